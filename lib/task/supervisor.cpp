#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/agents.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "sys/plants.hpp"
#include "sys/process.hpp"
#include "sys/signals.hpp"
#include "task/ending.hpp"
#include "task/kept_plants.hpp"
#include "task/log.hpp"
#include "task/order.hpp"
#include "task/task.hpp"

namespace chorus::task {
namespace {

using base::Error;
using base::ErrorCode;
using store::TaskStatus;

constexpr std::int64_t first_pause_ms = 100;
constexpr std::int64_t longest_pause_ms = 30'000;

void pause(std::int64_t ms) {
    const timespec time{ms / 1000, ms % 1000 * 1'000'000};
    nanosleep(&time, nullptr);
}

class Supervisor {
  public:
    explicit Supervisor(Instructions instructions)
        : instructions_(std::move(instructions)),
          home_(instructions_.home),
          directory_(instructions_.directory),
          store_(
              store::Store::open_existing({home_.database(), home_.gate(), home_.presence_lock()})),
          task_(instructions_.order.about),
          redaction_(instructions_.order.secrets) {}

    void work() {
        enter();
        const std::string refusal = run();
        // recorded before the error is reported
        keep_end();
        if (!refusal.empty()) throw Error(ErrorCode::failed, refusal);
        // the message is in the inbox for that turn or any other
        if (task_.goes_on)
            begin_turn(instructions_.agent_name, task_.thread_id, Begin::inbox,
                       sys::Environment::of_process());
    }

  private:
    // Makes the lock, the directory and the logs before the row: a reader of the row finds them.
    void enter() {
        store::Transaction transaction(store_);
        const auto agent = store::find_agent(store_, task_.agent_id);
        if (!agent || agent->status != store::AgentStatus::active)
            throw Error(ErrorCode::exited,
                        "agent '" + instructions_.agent_name + "' was destroyed");
        require_room(store_, task_.agent_id, "");  // another process may have started one
        const std::int64_t number = free_number();
        task_.id = store::task_id(number);
        lock_ = sys::Lock::try_acquire(home_.task_lock(task_.agent_id), sys::LockMode::exclusive,
                                       {number, 1});
        if (!lock_) throw Error(ErrorCode::internal, task_.id + ": its lock is taken");
        sys::make_directory(directory_.task(task_.id));
        out_.emplace(directory_.task_out(task_.id), redaction_);
        err_.emplace(directory_.task_err(task_.id), redaction_);
        const sys::Identity self = sys::own_identity();
        task_.pid = self.pid;
        task_.pid_start = self.start;
        task_.boot_id = sys::boot_id();
        task_.started_at = sys::now_ms();
        store::insert_task(store_, task_);
        note_change(store_, task_, "", "started");
        transaction.commit();
    }

    // An adopted agent may have logs of tasks that are not in this database.
    std::int64_t free_number() {
        std::int64_t number = store::next_task_number(store_, task_.agent_id);
        while (sys::exists(directory_.task_out(store::task_id(number)))) ++number;
        return number;
    }

    // Tells start() that the command runs. From here on nothing is reported.
    void detach() const {
        (void)sys::try_write_all(STDOUT_FILENO, task_.id);
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) sys::redirect_to_null(fd);
    }

    sys::Finished execute() {
        const Order& order = instructions_.order;
        const sys::Bounds bounds{
            .timeout_ms = order.timeout_ms,
            .grace_ms = order.grace_ms,
            .output_bytes = 0,
            .stop = [this] { return signals_.requested(); },
            .stop_fd = signals_.fd(),
            .started = [this](const sys::Identity&) { detach(); },
            .output =
                [this](sys::Bounds::Source source, std::string_view piece) {
                    (source == sys::Bounds::Source::out ? *out_ : *err_).append(piece);
                }};
        return sys::run(command(), bounds);
    }

    sys::ProcessCommand command() const {
        const Order& order = instructions_.order;
        const bool is_shell = order.program.empty();
        sys::ProcessCommand command =
            is_shell ? sys::shell_command(order.sandbox, task_.command)
                     : sys::ProcessCommand{.arguments = order.program, .input = order.input};
        command.environment = order.environment;
        command.directory = task_.directory;
        command.guarded_fd = lock_->fd();
        if (is_shell) return sys::sandboxed(order.sandbox, command);
        sys::Environment::of_process().pass_to(command);
        return command;
    }

    // Returns why it could not be started, or "".
    std::string run() {
        std::string refusal;
        try {
            // a sub-agent's process is outside the sandbox, and its commands are inside
            const Order& order = instructions_.order;
            const bool looks =
                !order.program.empty() || order.sandbox.mode != sys::SandboxMode::off;
            const auto before = looks ? sys::Plants::in(task_.directory) : sys::Plants();
            if (looks) sys::write_file(directory_.task_plants(task_.id), before.text());
            const sys::Finished finished = execute();
            for (Log* log : {&*out_, &*err_}) log->end();
            take_over(finished);
            if (looks) tell(plants_since(task_.directory, before));
        } catch (const Error& error) {
            if (has_run_)
                add_note(error.message());
            else
                refusal = refuse(error.message());
        }
        task_.ended_at = sys::now_ms();
        return refusal;
    }

    std::string refuse(const std::string& problem) {
        task_.status = TaskStatus::failed;
        task_.on_exit.clear();
        add_note("could not be started: " + problem);
        err_->note(task_.note);
        return problem;
    }

    void take_over(const sys::Finished& finished) {
        has_run_ = true;
        task_.exit_code = finished.exit_code;
        task_.signal = finished.signal;
        task_.status = finished.stopped          ? TaskStatus::killed
                       : finished.exit_code == 0 ? TaskStatus::completed
                                                 : TaskStatus::failed;
        if (finished.timed_out) add_note("timed out");
        tell({finished.replaced, finished.replaced});
        for (const Log* log : {&*out_, &*err_})
            if (!log->problem().empty()) add_note(log->problem());
    }

    // Notes what the next user of the workspace has to know.
    void tell(const sys::PlantReport& report) {
        if (report.line.empty()) return;
        add_note(report.line);
        err_->note(report.line);
        if (!audited_.empty()) audited_ += "; ";
        audited_ += redaction_.apply(report.record);
    }

    void add_note(const std::string& text) {
        if (!task_.note.empty()) task_.note += "; ";
        task_.note += text;
    }

    // Retries while the disk is full, and gives up where the home is gone. A lock tells waiting
    // processes meanwhile: nothing else can be written.
    void keep_end() {
        std::optional<sys::Lock> unrecorded;
        for (std::int64_t wait_ms = first_pause_ms;;
             wait_ms = std::min(2 * wait_ms, longest_pause_ms)) {
            try {
                record_end(store_, task_, audited_);
                return;
            } catch (const Error&) {
                if (!sys::exists(home_.database())) throw;
            }
            for (Log* log : {&*out_, &*err_}) log->give_back();
            if (!unrecorded && wait_ms > first_pause_ms)
                unrecorded =
                    sys::Lock::try_acquire(home_.task_lock(task_.agent_id),
                                           sys::LockMode::exclusive, unrecorded_range_of(task_));
            pause(wait_ms);
        }
    }

    Instructions instructions_;
    agent::Home home_;
    agent::Directory directory_;
    sys::KeptSignals signals_;
    store::Store store_;
    store::Task task_;
    policy::Redaction redaction_;
    std::optional<sys::Lock> lock_;
    std::optional<Log> out_;
    std::optional<Log> err_;
    std::string audited_;
    bool has_run_ = false;
};

}  // namespace

void supervise(std::string_view order) {
    Supervisor(parse_instructions(order)).work();
}

}  // namespace chorus::task
