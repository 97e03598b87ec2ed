#include <algorithm>
#include <cstring>

#include "base/width.hpp"
#include "chorus-tasks/view.hpp"
#include "place/agent_tasks.hpp"
#include "sys/clock.hpp"

namespace chorus::command {
namespace {

using store::Task;

constexpr std::size_t least_command = 18;
constexpr std::size_t status_width = 9;  // completed

struct List : Named {
    explicit List(cli::Command& verb) : Named(verb) {
        verb.flag("--all", all, "include tasks that ended more than 10 min ago");
        watching.add_follow(verb);
    }

    // "  [task_001] npm run build       running   (started 5 min ago, PID 12345)": the command is
    // cut so that the rest fits.
    static std::vector<std::string> task_lines(const std::vector<Task>& tasks,
                                               std::size_t command_width) {
        std::vector<std::string> lines;
        for (const Task& task : tasks) {
            const std::string command = base::cut_to_width(one_line(task.command), command_width);
            lines.push_back("  [" + task.id + "] " + cli::padded(command, command_width) + "  " +
                            cli::padded(std::string(store::name(task.status)), status_width) +
                            " (" + end_of(task) + ")");
        }
        return lines;
    }

    // Returns the width of the longest command, less if the longest line would not fit.
    static std::size_t command_width(const std::vector<Task>& tasks, std::size_t width) {
        std::size_t wanted = least_command;
        std::size_t rest = 0;
        for (const Task& task : tasks) {
            wanted = std::max(wanted, base::display_width(one_line(task.command)));
            rest = std::max(rest, std::strlen("  [] ") + task.id.size() + 2 + status_width +
                                      std::strlen(" ()") + base::display_width(end_of(task)));
        }
        return std::min(wanted, std::max(width > rest ? width - rest : 0, least_command));
    }

    // `tasks` are the running ones, then the ended ones.
    std::vector<std::string> for_people(const std::vector<Task>& tasks, std::size_t running,
                                        std::size_t width) const {
        if (tasks.empty())
            return {"No tasks for " + name +
                    (all ? ": none was ever started."
                         : ": none is running, none ended in the last 10 min (see --all).")};
        auto lines = task_lines(tasks, command_width(tasks, width));
        if (running < tasks.size())
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(running),
                         all ? "Completed:" : "Recently completed:");
        if (running > 0) lines.insert(lines.begin(), "Running tasks for " + name + ":");
        return lines;
    }

    cli::Frame draw(Opened& opened, const store::Agent& known, Form form, std::size_t width) const {
        const store::Agent agent = again(opened, known);
        const std::string problem = report::settle_tasks(opened.home, opened.store, agent);
        if (!problem.empty()) notice(problem);
        auto tasks = store::running_tasks(opened.store, agent.id);
        const std::size_t running = tasks.size();
        for (Task& task : store::ended_tasks(opened.store, agent.id,
                                             all ? -1 : sys::now_ms() - report::recently_ms))
            tasks.push_back(std::move(task));
        cli::Frame frame{.lines = {}, .is_last = is_gone(agent)};
        if (form == Form::terminal) {
            frame.lines = for_people(tasks, running, width);
            cut_lines(frame.lines, width);
            return frame;
        }
        const cli::Table table(
            "task",
            {{"id"}, {"status"}, {"started_at"}, {"ended_at"}, {"pid"}, {"exit"}, {"command"}});
        frame.lines = table.lines(
            cli::each(tasks, [&](const Task& task) { return fields_of(task, agent.name); }), form);
        return frame;
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        if (!is_gone(agent)) tell_plants(place::task_site(opened.store, opened.home, agent));
        return watching.show(opened, json, [&](Form form, std::size_t width) {
            return draw(opened, agent, form, width);
        });
    }

    bool all = false;
    Watching watching;
};

}  // namespace

const cli::Verb list_verb = verb<List>("list", "list the background tasks of an agent", json_lines);

}  // namespace chorus::command
