// Background tasks.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iostream>

#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "base/width.hpp"
#include "chorus-tasks/verbs.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/text_stream.hpp"
#include "cli/time_text.hpp"
#include "place/agent_tasks.hpp"
#include "place/shutdown.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

using store::Task;

constexpr std::int64_t look_ms = 100;

// A verb about some tasks of an agent.
struct OfTasks : Named {
    using Named::Named;
    task::Site site(Opened& opened) const {
        return place::task_site(opened.store, opened.home, require_agent(opened));
    }
    std::vector<std::string> ids;
    bool json = false;
};

struct Run : Named {
    explicit Run(cli::Command& verb) : Named(verb) {
        verb.words("COMMAND", words,
                   "after --: one word for bash -c, or a program and its arguments")
            .required()
            .may_be_empty();
        verb.option("--on-exit PROMPT", order.on_exit,
                    "message to the agent when the task has ended");
        verb.flag("--run", order.goes_on, "start a turn with the message of --on-exit");
        verb.option("--actor NAME", order.actor,
                    "name of the person who starts it, for the audit log");
        verb.flag("--json", json, "print one JSON object");
    }

    // One word is a command line; several are a program and its arguments.
    std::string command() const {
        if (words.size() == 1) return words.front();
        std::vector<std::string> quoted;
        for (const std::string& word : words) quoted.push_back(base::shell_quoted(word));
        return base::join(quoted, " ");
    }

    ExitStatus run(Opened& opened) {
        order.command = command();
        if (base::trim(order.command).empty())
            throw Error(ErrorCode::bad_request, "run: the command is empty");
        if (base::find_invalid_utf8(order.command))
            throw Error(ErrorCode::bad_request, "run: the command is not UTF-8");
        if (order.goes_on && order.on_exit.empty())
            throw Error(ErrorCode::bad_request, "--run: needs the message of --on-exit");
        const Task task = place::start_by_hand(opened.store, require_agent(opened), order,
                                               opened.home, opened.environment);
        return cli::print(json, "task", fields_of(task, name), task.id);
    }

    std::vector<std::string> words;
    place::HandOrder order;
    bool json = false;
};

struct Kill : OfTasks {
    explicit Kill(cli::Command& verb) : OfTasks(verb) {
        verb.list("ID|all", ids, "the tasks, or all").required();
        verb.flag("--json", json, "print one JSON object per line");
    }

    std::vector<Task> chosen(const task::Site& site) const {
        if (ids.size() == 1 && ids.front() == "all") return task::settle(site);
        std::vector<Task> tasks;
        for (const std::string& id : ids) tasks.push_back(task::require_task(site, id));
        return tasks;
    }

    ExitStatus run(Opened& opened) const {
        const task::Site place = site(opened);
        const auto ended =
            task::end(place, chosen(place), place::shutdown_grace_ms(opened.environment));
        task::mirror(place);
        ExitStatus status = ExitStatus::done;
        for (const Task& task : ended) {
            tell_end(task);
            if (json) std::cout << cli::json("task", fields_of(task, name)) << '\n';
            if (task.ended_at == 0) status = ExitStatus::failed;
        }
        if (ended.empty()) notice("no task is running");
        return status;
    }
};

struct Wait : OfTasks {
    explicit Wait(cli::Command& verb) : OfTasks(verb) {
        verb.list("ID", ids, "the tasks").required();
        verb.option("--timeout TIME", timeout, "wait at most TIME, then exit with 124");
        verb.flag("--json", json, "print one JSON object per line");
    }

    // Returns the exit status of the task, 128 + its signal, or 1 if its end is unknown.
    static ExitStatus status_of(const Task& task) {
        if (task.signal != 0) return static_cast<ExitStatus>(128 + task.signal);
        if (task.exit_code >= 0) return static_cast<ExitStatus>(task.exit_code);
        return ExitStatus::failed;
    }

    ExitStatus run(Opened& opened) const {
        const task::Site place = site(opened);
        for (const std::string& id : ids) (void)task::require_task(place, id);
        const std::int64_t most_ms =
            timeout.empty() ? -1 : cli::require_duration_ms(timeout, "--timeout");
        const std::int64_t until_ms = sys::monotonic_ms() + most_ms;
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        ExitStatus status = ExitStatus::done;
        for (const std::string& id : ids) {
            const std::int64_t left_ms =
                most_ms < 0 ? -1 : std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0);
            const auto task =
                task::wait(place, id, left_ms, [&interrupt] { return interrupt.requested(); });
            if (interrupt.requested()) throw Error(ErrorCode::canceled, "wait: interrupted");
            if (!task)
                throw Error(ErrorCode::timeout,
                            "wait: task " + one_line(id) + " did not end in time");
            tell_end(*task);
            if (json) std::cout << cli::json("task", fields_of(*task, name)) << std::endl;
            if (status == ExitStatus::done) status = status_of(*task);
        }
        tell_plants(place);
        task::mirror(place);
        return status;
    }

    std::string timeout;
};

// Follows a file that grows and that others may truncate or replace.
class Follower {
  public:
    explicit Follower(std::string path) : path_(std::move(path)) {}

    // Copies what is new to stdout.
    void copy() {
        reopen_where_replaced();
        if (!file_) return;
        struct stat status {};
        if (fstat(file_.get(), &status) == 0 && status.st_size < offset_) offset_ = 0;
        for (;;) {
            const ssize_t count = pread(file_.get(), buffer_.data(), buffer_.size(), offset_);
            if (count <= 0) break;
            offset_ += count;
            text_.print({buffer_.data(), static_cast<std::size_t>(count)});
            if (!std::cout) break;
        }
        std::cout.flush();
    }
    void finish() { text_.finish(); }
    bool was_there() const { return static_cast<bool>(file_); }

  private:
    void reopen_where_replaced() {
        struct stat there {};
        struct stat ours {};
        if (lstat(path_.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return;
        if (file_ && fstat(file_.get(), &ours) == 0 && ours.st_ino == there.st_ino &&
            ours.st_dev == there.st_dev)
            return;
        file_ = sys::Fd(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        offset_ = 0;
    }

    std::string path_;
    sys::Fd file_;
    off_t offset_ = 0;
    sys::Buffer buffer_;
    cli::TextStream text_;
};

struct Log : Named {
    explicit Log(cli::Command& verb) : Named(verb) {
        verb.word("ID", id, "the task").required();
        verb.flag("-f,--follow", follow, "keep printing new output until the task ends");
        verb.flag("--stderr", from_stderr, "print its stderr instead");
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.store, name);
        const task::Site site = place::task_site(opened.store, opened.home, agent);
        const Task task = task::require_task(site, id);
        Follower follower(from_stderr ? site.directory.task_err(task.id)
                                      : site.directory.task_out(task.id));
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        bool is_over = task.ended_at != 0 || !follow;
        while (!is_over && !interrupt.requested() && std::cout) {
            follower.copy();
            is_over = task::await_end(site, task, look_ms);
        }
        if (interrupt.requested()) throw Error(ErrorCode::canceled, "log: interrupted");
        follower.copy();
        follower.finish();
        tell_plants(site);
        if (const auto ended = store::find_task(opened.store, site.agent, task.id);
            ended && !ended->note.empty())
            notice(task.id + ": " + ended->note);
        if (!follower.was_there())
            throw Error(ErrorCode::not_found, "log: the output of " + task.id + " is gone");
        return ExitStatus::done;
    }

    std::string id;
    bool follow = false;
    bool from_stderr = false;
};

constexpr std::size_t least_command = 18;
constexpr std::size_t status_width = 9;  // completed

struct List : Named {
    explicit List(cli::Command& verb) : Named(verb) {
        verb.flag("--all", all, "include tasks that ended more than 10 min ago");
        watching.add_follow(verb);
        verb.flag("--json", watching.json, "print one JSON object per line");
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
        const store::Agent agent = life::require_known(opened.store, name);
        if (!is_gone(agent)) tell_plants(place::task_site(opened.store, opened.home, agent));
        return watching.show(
            opened, [&](Form form, std::size_t width) { return draw(opened, agent, form, width); });
    }

    bool all = false;
    Watching watching;
};

}  // namespace

std::vector<cli::Verb> task_verbs() {
    return {verb<Kill>("kill", "end background tasks"),
            verb<List>("list", "list the background tasks of an agent"),
            verb<Log>("log", "print the output of a task"),
            verb<Run>("run", "start a background task"),
            verb<Wait>("wait", "wait for tasks to end")};
}

}  // namespace chorus::command
