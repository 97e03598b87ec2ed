#include "chorus-tasks/view.hpp"

namespace chorus::command {
namespace {

using cli::Fit;
using report::AgentLine;

struct Overview : Printing {
    explicit Overview(cli::Command& app) {
        app.flag("--json", json, "without a verb: print one JSON object per line");
        watching.add_follow(app);
    }

    static Fields fields_of(const AgentLine& line) {
        const std::string_view lifecycle = store::name(line.agent.status);
        const std::string_view state = store::name(line.state);
        const bool is_active = line.agent.status == store::AgentStatus::active;
        return {{"agent", line.agent.name},
                {"lifecycle", lifecycle},
                {"turn_state", state, std::string(is_active ? state : lifecycle)},
                {"model", line.agent.model},
                {"threads", line.tally.threads},
                {"tasks", line.tally.tasks},
                {"pending", line.tally.prompts},
                {"last_activity_at", Time{line.agent.last_activity}}};
    }

    ExitStatus run(Opened& opened) const {
        const cli::Table table("overview", {{"agent", "NAME", Fit::gives_way},
                                            {"turn_state", "STATE"},
                                            {"model", "MODEL", Fit::gives_way},
                                            {"threads", "THREADS", Fit::right},
                                            {"tasks", "TASKS", Fit::right},
                                            {"pending", "PENDING", Fit::right},
                                            {"last_activity_at", "LAST ACTIVITY"}});
        return watching.show(opened, json, [&](Form form, std::size_t width) {
            const auto agents = report::standing_of_all(opened.home, opened.store);
            cli::Frame frame{.lines = table.lines(cli::each(agents, fields_of), form, width)};
            if (form == Form::terminal && agents.empty())
                frame.lines = {"There are no agents; 'chorus-init NAME' makes one."};
            if (form == Form::terminal) cut_lines(frame.lines, width);
            return frame;
        });
    }

    Watching watching;
};

}  // namespace

const cli::Options overview = options_of<Overview>();

}  // namespace chorus::command
