#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "chorus-tasks/view.hpp"
#include "cli/text_stream.hpp"
#include "place/agent_tasks.hpp"
#include "sys/fd.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

using store::Task;

constexpr std::int64_t look_ms = 100;

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

    void run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        const task::Site site = place::task_site(opened.store, opened.home, agent);
        const Task task = task::require_task(site, id);
        Follower follower(from_stderr ? site.directory.task_err(task.id)
                                      : site.directory.task_out(task.id));
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        const std::int64_t wait_ms = given_look_ms(opened.environment).value_or(look_ms);
        bool is_over = task.ended_at != 0 || !follow;
        while (!is_over && !interrupt.requested() && std::cout) {
            follower.copy();
            is_over = task::await_end(site, task, wait_ms, [&] { return interrupt.requested(); });
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
    }

    std::string id;
    bool follow = false;
    bool from_stderr = false;
};

}  // namespace

const cli::Verb log_verb = verb<Log>("log", "print the output of a task");

}  // namespace chorus::command
