#include "chorus-tasks/view.hpp"

#include <utility>

#include "base/text.hpp"
#include "base/width.hpp"
#include "chat/event.hpp"
#include "cli/time_text.hpp"
#include "turn/questions.hpp"

namespace chorus::command {
namespace {

class Looking {
  public:
    Looking(Opened& opened, bool json, const Watching::Draw& draw)
        : store_(opened.store), form_(cli::form_of_stdout(json)), draw_(draw) {}

    Form form() const { return form_; }
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
    Form form_;
    const Watching::Draw& draw_;
    std::int64_t version_ = store_.version_by_others();
};

}  // namespace

void Watching::add_follow(cli::Command& verb) {
    verb.flag("-f,--follow", follow, "keep showing changes until interrupted");
}

ExitStatus Watching::show(Opened& opened, const Draw& draw) const {
    Looking looking(opened, json, draw);
    return follow ? cli::follow(looking.view(), looking.form()) : cli::show(looking.view());
}

ExitStatus Watching::append(Opened& opened, const Draw& draw) const {
    Looking looking(opened, json, draw);
    return cli::append(looking.view(), follow);
}

store::Agent again(Opened& opened, const store::Agent& agent) {
    return store::find_agent(opened.store, agent.id).value_or(agent);
}

bool is_gone(const store::Agent& agent) {
    return agent.status == store::AgentStatus::destroyed;
}

std::string agent_of(Opened& opened, const store::Prompt& prompt) {
    const auto agent = store::find_agent(opened.store, prompt.agent_id);
    return agent ? agent->name : "";
}

store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt) {
    const auto turn = store::find_turn(opened.store, prompt.turn_id);
    return turn ? turn->thread_id : 0;
}

void tell_end(const store::Task& task) {
    notice(task.id + ": " + store::outcome(task) + (task.note.empty() ? "" : "; " + task.note));
}

void tell_plants(const task::Site& site) {
    for (const std::string& plants : task::plants_of(site, task::settle(site, tell_end)))
        notice(plants);
}

std::string iso(base::TimeMs time) {
    return time == 0 ? "" : base::iso8601(time);
}

void cut_lines(std::vector<std::string>& lines, std::size_t width) {
    for (std::string& line : lines) line = base::cut_to_width(line, width);
}

std::string exit_of(const store::Task& task) {
    if (task.signal != 0) return "signal " + base::signal_name(task.signal);
    return task.exit_code < 0 ? "" : "exit " + std::to_string(task.exit_code);
}

std::string end_of(const store::Task& task) {
    if (task.status == store::TaskStatus::running)
        return "started " + cli::ago(task.started_at) + ", PID " + std::to_string(task.pid);
    const std::string exit = exit_of(task);
    return exit + (exit.empty() ? "" : ", ") + cli::ago(task.ended_at) +
           (task.note.empty() ? "" : "; " + one_line(task.note));
}

Fields fields_of(const store::Task& task, const std::string& agent) {
    return {{"agent", agent},
            {"id", task.id},
            {"status", store::name(task.status)},
            {"command", task.command},
            {"directory", task.directory},
            {"started_at", Time{task.started_at}},
            {"ended_at", Time{task.ended_at}},
            {"pid", cli::number(task.pid, 0), std::to_string(task.pid)},
            {"exit_code", cli::number(task.exit_code, -1)},
            {"signal", cli::number(task.signal, 0)},
            {"note", task.note},
            {"thread", task.thread_id},
            {"turn_id", cli::number(task.turn_id, 0)},
            {"tool_call_id", task.tool_call_id},
            {"actor", task.actor},
            {"on_exit", task.on_exit},
            cli::shown("exit", exit_of(task))};
}

std::vector<Fields> asked(const std::vector<store::Prompt>& prompts) {
    return cli::each(prompts, [](const store::Prompt& prompt) -> Fields {
        return {{"notice", cli::Member([notice = turn::notice_of(prompt)](chat::JsonText& out) {
                     chat::write_members(out, notice);
                 })}};
    });
}

}  // namespace chorus::command
