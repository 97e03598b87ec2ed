#include <memory>

#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"
#include "report/standing.hpp"

namespace chorus::tasks_command {
namespace {

using cli::Form;
using report::AgentLine;
using store::AgentStatus;

// An agent that is not active is shown by its status.
std::string state_of(const AgentLine& line) {
    return std::string(line.agent.status == AgentStatus::active ? store::name(line.state)
                                                                : store::name(line.agent.status));
}

std::string json_of(const AgentLine& line) {
    chat::JsonText out = chat::open_object("overview");
    write_text(out, "agent", line.agent.name);
    write_text(out, "lifecycle", store::name(line.agent.status));
    write_text(out, "turn_state", store::name(line.state));
    write_text(out, "model", line.agent.model);
    out.key("threads").number(line.tally.threads).key("tasks").number(line.tally.tasks);
    out.key("pending").number(line.tally.prompts);
    write_time(out, "last_activity_at", line.agent.last_activity);
    return out.end_object().take();
}

cli::Table table_of(const std::vector<AgentLine>& agents, Form form) {
    using cli::Align;
    cli::Table table({{"NAME", Align::left, true},
                      {"STATE"},
                      {"MODEL", Align::left, true},
                      {"THREADS", Align::right},
                      {"TASKS", Align::right},
                      {"PENDING", Align::right},
                      {"LAST ACTIVITY"}});
    for (const AgentLine& line : agents) {
        const base::TimeMs active = line.agent.last_activity;
        table.add({line.agent.name, state_of(line), one_line(line.agent.model),
                   std::to_string(line.tally.threads), std::to_string(line.tally.tasks),
                   std::to_string(line.tally.prompts),
                   form == Form::terminal ? ago(active) : iso(active)});
    }
    return table;
}

cli::Frame draw(Opened& opened, Form form, std::size_t width) {
    const std::vector<AgentLine> agents = report::standing_of_all(opened.home, opened.store);
    cli::Frame frame;
    if (form == Form::json) {
        for (const AgentLine& line : agents) frame.lines.push_back(json_of(line));
    } else if (form == Form::plain) {
        frame.lines = table_of(agents, form).fields();
    } else if (agents.empty()) {
        frame.lines = {"There are no agents; 'chorus-init NAME' makes one."};
        cut_lines(frame.lines, width);
    } else {
        frame.lines = table_of(agents, form).lines(width);
    }
    return frame;
}

}  // namespace

Action add_overview(cli::Command& app) {
    const auto options = std::make_shared<ViewOptions>();
    add_json(app, *options, "without a verb: print one JSON object per line");
    add_follow(app, *options);
    return [options](Opened& opened) {
        return show(opened, *options,
                    [&](Form form, std::size_t width) { return draw(opened, form, width); });
    };
}

}  // namespace chorus::tasks_command
