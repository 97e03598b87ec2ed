#include "turn/cancel.hpp"

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/time.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"

namespace chorus::turn {
namespace {

constexpr std::chrono::milliseconds ask_again{20};

// Whether it was there to be asked.
bool ask(const sys::Identity& process) {
    if (sys::ask_to_end(process)) return true;
    if (!sys::is_alive(process)) return false;
    throw base::Error(base::ErrorCode::forbidden,
                      "process " + std::to_string(process.pid) + ": it is another user's");
}

[[noreturn]] void refuse_to_wait(const store::Turn& turn, std::int64_t waited_ms) {
    const std::string pid = std::to_string(turn.pid);
    throw base::Error(base::ErrorCode::timeout,
                      "turn " + std::to_string(turn.turn_number) + " of thread " +
                          std::to_string(turn.thread_id) + ": process " + pid +
                          " was asked to end and has not in " + base::seconds_text(waited_ms),
                      "wait longer with --wait; kill -9 " + pid +
                          " ends it at once, and what it has committed stays");
}

}  // namespace

std::vector<store::Turn> cancel_turns(store::Store& store, store::AgentId agent,
                                      const CancelOptions& options,
                                      const std::function<bool()>& stop) {
    const std::int64_t deadline = sys::monotonic_ms() + options.wait_ms;
    std::vector<store::Turn> asked;
    for (store::Turn& turn : store::open_turns(store, agent)) {
        if (options.thread != 0 && turn.thread_id != options.thread) continue;
        if (ask({turn.pid, turn.pid_start})) asked.push_back(std::move(turn));
    }
    for (store::Turn& turn : asked) {
        while (sys::is_alive({turn.pid, turn.pid_start})) {
            if (stop() || sys::monotonic_ms() >= deadline) refuse_to_wait(turn, options.wait_ms);
            std::this_thread::sleep_for(ask_again);
        }
        turn = store::find_turn(store, turn.id).value_or(turn);
    }
    return asked;
}

}  // namespace chorus::turn
