#include <algorithm>
#include <cstring>
#include <memory>

#include "base/width.hpp"
#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"
#include "place/agent_tasks.hpp"
#include "report/standing.hpp"
#include "sys/clock.hpp"

namespace chorus::tasks_command {
namespace {

using cli::Form;
using store::Task;

struct Options : ViewOptions {
    bool all = false;
};

struct Tasks {
    std::vector<Task> running;
    std::vector<Task> ended;
};

Tasks load(Opened& opened, const store::Agent& agent, bool all) {
    const std::string problem = report::settle_tasks(opened.home, opened.store, agent);
    if (!problem.empty()) notice(problem);
    const base::TimeMs since = all ? -1 : sys::now_ms() - report::recently_ms;
    return {store::running_tasks(opened.store, agent.id),
            store::ended_tasks(opened.store, agent.id, since)};
}

constexpr std::size_t least_command = 18;
constexpr std::size_t status_width = 9;  // completed

// "  [task_001] npm run build       running   (started 5 min ago, PID 12345)": the command is cut
// so that the rest fits.
std::vector<std::string> task_lines(const std::vector<Task>& tasks, std::size_t command_width) {
    std::vector<std::string> lines;
    for (const Task& task : tasks) {
        const std::string command = base::cut_to_width(one_line(task.command), command_width);
        lines.push_back("  [" + task.id + "] " + cli::padded(command, command_width) + "  " +
                        cli::padded(std::string(store::name(task.status)), status_width) + " (" +
                        end_of(task) + ")");
    }
    return lines;
}

// Returns the width of the longest command, less if the longest line would not fit.
std::size_t command_width(const Tasks& tasks, std::size_t width) {
    std::size_t wanted = least_command;
    std::size_t rest = 0;
    for (const auto* part : {&tasks.running, &tasks.ended})
        for (const Task& task : *part) {
            wanted = std::max(wanted, base::display_width(one_line(task.command)));
            rest = std::max(rest, std::strlen("  [] ") + task.id.size() + 2 + status_width +
                                      std::strlen(" ()") + base::display_width(end_of(task)));
        }
    return std::min(wanted, std::max(width > rest ? width - rest : 0, least_command));
}

std::vector<std::string> for_people(const store::Agent& agent, const Tasks& tasks, bool all,
                                    std::size_t width) {
    const auto& [running, ended] = tasks;
    std::vector<std::string> lines;
    const auto add = [&](const std::vector<Task>& part) {
        const auto more = task_lines(part, command_width(tasks, width));
        lines.insert(lines.end(), more.begin(), more.end());
    };
    if (running.empty() && ended.empty())
        lines.push_back("No tasks for " + agent.name +
                        (all ? ": none was ever started."
                             : ": none is running, none ended in the last 10 min (see --all)."));
    if (!running.empty()) lines.push_back("Running tasks for " + agent.name + ":");
    add(running);
    if (!ended.empty()) lines.push_back(all ? "Completed:" : "Recently completed:");
    add(ended);
    cut_lines(lines, width);
    return lines;
}

std::string plain_line(const Task& task) {
    return cli::tabbed({task.id, std::string(store::name(task.status)), iso(task.started_at),
                        iso(task.ended_at), std::to_string(task.pid), exit_of(task),
                        one_line(task.command)});
}

cli::Frame draw(Opened& opened, const Options& options, const store::Agent& known, Form form,
                std::size_t width) {
    const store::Agent agent = again(opened, known);
    const Tasks tasks = load(opened, agent, options.all);
    cli::Frame frame{.lines = {}, .is_last = is_gone(agent)};
    if (form == Form::terminal) {
        frame.lines = for_people(agent, tasks, options.all, width);
        return frame;
    }
    for (const auto* part : {&tasks.running, &tasks.ended})
        for (const Task& task : *part)
            frame.lines.push_back(form == Form::json ? json_of(task, agent.name)
                                                     : plain_line(task));
    return frame;
}

}  // namespace

Action add_list(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, *options);
    verb.flag("--all", options->all, "include tasks that ended more than 10 min ago");
    add_follow(verb, *options);
    add_json(verb, *options, "print one JSON object per line");
    return [options](Opened& opened) {
        const store::Agent agent = known_agent(opened, options->name);
        if (!is_gone(agent)) tell_plants(place::task_site(opened.store, opened.home, agent));
        return show(opened, *options, [&](Form form, std::size_t width) {
            return draw(opened, *options, agent, form, width);
        });
    };
}

}  // namespace chorus::tasks_command
