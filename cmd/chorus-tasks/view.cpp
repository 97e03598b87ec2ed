#include "chorus-tasks/view.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/width.hpp"
#include "cli/time_text.hpp"
#include "life/find_agent.hpp"
#include "sys/clock.hpp"

namespace chorus::tasks_command {

void add_name(cli::Command& verb, ViewOptions& options) {
    verb.word("NAME", options.name, "the agent").required();
}

void add_json(cli::Command& verb, ViewOptions& options, const char* help) {
    verb.flag("--json", options.json, help);
}

void add_follow(cli::Command& verb, ViewOptions& options) {
    verb.flag("-f,--follow", options.follow, "keep showing changes until interrupted");
}

store::Agent known_agent(Opened& opened, const std::string& name) {
    return life::require_known(opened.store, name);
}

store::Agent again(Opened& opened, const store::Agent& agent) {
    return store::find_agent(opened.store, agent.id).value_or(agent);
}

bool is_gone(const store::Agent& agent) {
    return agent.status == store::AgentStatus::destroyed;
}

namespace {

class Looking {
  public:
    Looking(Opened& opened, const ViewOptions& options, const Draw& draw)
        : store_(opened.store), form_(cli::form_of_stdout(options.json)), draw_(draw) {}

    cli::Form form() const { return form_; }
    cli::View view() {
        return {.draw = [this](std::size_t width) { return draw_(form_, width); },
                .has_changed =
                    [this] {
                        const std::int64_t now = store_.version_by_others();
                        return std::exchange(version_, now) != now;
                    }};
    }

  private:
    store::Store& store_;
    cli::Form form_;
    const Draw& draw_;
    std::int64_t version_ = store_.version_by_others();
};

}  // namespace

base::ExitStatus show(Opened& opened, const ViewOptions& options, const Draw& draw) {
    Looking looking(opened, options, draw);
    return options.follow ? cli::follow(looking.view(), looking.form()) : cli::show(looking.view());
}

base::ExitStatus append(Opened& opened, const ViewOptions& options, const Draw& draw) {
    Looking looking(opened, options, draw);
    return cli::append(looking.view(), options.follow);
}

std::string iso(base::TimeMs time) {
    return time == 0 ? "" : base::iso8601(time);
}

std::string ago(base::TimeMs time) {
    return time == 0 ? "" : cli::span_text(sys::now_ms() - time) + " ago";
}

void cut_lines(std::vector<std::string>& lines, std::size_t width) {
    for (std::string& line : lines) line = base::cut_to_width(line, width);
}

std::string fitted(const std::string& head, const std::string& middle, const std::string& tail,
                   std::size_t width) {
    constexpr std::size_t least = 8;
    const std::size_t rest = base::display_width(head) + base::display_width(tail);
    const std::size_t room = std::max(width > rest ? width - rest : 0, least);
    return head + base::cut_to_width(middle, room) + tail;
}

}  // namespace chorus::tasks_command
