#include "upkeep/stopping.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "store/tasks.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"

namespace chorus::upkeep {
namespace {

constexpr std::int64_t look_interval_ms = 100;
constexpr std::int64_t orphans_ms = 3'000;  // a watcher needs a moment to kill what it watches

}  // namespace

Stopping::Stopping(store::Store& store, std::vector<store::AgentId> agents,
                   std::int64_t patience_ms)
    : store_(store), agents_(std::move(agents)), kill_at_ms_(sys::monotonic_ms() + patience_ms) {}

void Stopping::look() {
    const std::int64_t now_ms = sys::monotonic_ms();
    if (now_ms < next_look_ms_) return;
    next_look_ms_ = now_ms + look_interval_ms;
    for (const store::AgentId agent : agents_)
        for (const store::Turn& turn : store::open_turns(store_, agent))
            if (turn.pid != 0) stop({turn.pid, turn.pid_start});
    // a process whose turn is recorded as ended may still hold the locks
    for (const sys::Identity& process : std::set(asked_)) stop(process);
}

// Leaves out tasks, which are ended separately.
std::vector<sys::Identity> Stopping::started_by(const sys::Identity& process) const {
    std::vector<sys::Identity> started = sys::descendants(process);
    for (const store::AgentId agent : agents_)
        for (const store::Task& task : store::running_tasks(store_, agent)) {
            const sys::Identity supervisor{task.pid, task.pid_start};
            const auto of_task = sys::descendants(supervisor);
            std::erase_if(started, [&](const sys::Identity& one) {
                return one == supervisor ||
                       std::find(of_task.begin(), of_task.end(), one) != of_task.end();
            });
        }
    return started;
}

void Stopping::stop(const sys::Identity& process) {
    if (!asked_.contains(process)) {
        if (!sys::ask_to_end(process)) return;
        asked_.insert(process);
    }
    if (sys::monotonic_ms() < kill_at_ms_ || killed_.contains(process)) return;
    const auto started = started_by(process);
    if (!sys::signal_process(process, SIGKILL)) return;
    orphans_.insert(orphans_.end(), started.begin(), started.end());
    killed_.insert(process);
}

void Stopping::finish() const {
    const auto any_alive = [this] {
        return std::any_of(orphans_.begin(), orphans_.end(), sys::is_alive);
    };
    const std::int64_t until_ms = sys::monotonic_ms() + orphans_ms;
    while (any_alive() && sys::monotonic_ms() < until_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const sys::Identity& orphan : orphans_) sys::signal_process(orphan, SIGKILL);
}

}  // namespace chorus::upkeep
