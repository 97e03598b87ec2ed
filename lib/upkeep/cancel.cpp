#include "upkeep/cancel.hpp"

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/time.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"
#include "sys/process.hpp"
#include "turn/recovery.hpp"

namespace chorus::upkeep {
namespace {

constexpr std::chrono::milliseconds ask_again{20};

// Returns false if the process is gone.
bool ask(const sys::Identity& process) {
    if (sys::ask_to_end(process)) return true;
    if (!sys::is_alive(process)) return false;
    throw base::Error(base::ErrorCode::forbidden,
                      "process " + std::to_string(process.pid) + ": it belongs to another user");
}

// Returns false if the turn is not parked or another process continues it now.
bool give_up_parked(const agent::Home& home, store::Store& store, store::Turn& turn) {
    if (turn.state != store::TurnState::parked) return false;
    const auto held = sys::Lock::try_acquire(home.thread_lock(turn.agent_id, turn.thread_id),
                                             sys::Lock::Mode::exclusive);
    if (!held) return false;
    store::Transaction transaction(store);
    turn = store::find_turn(store, turn.id).value_or(turn);
    if (turn.state != store::TurnState::parked) return false;
    turn::write_exit(store, turn, "canceled");
    transaction.commit();
    return true;
}

[[noreturn]] void refuse_to_wait(const store::Turn& turn, std::int64_t waited_ms) {
    const std::string pid = std::to_string(turn.pid);
    throw base::Error(base::ErrorCode::timeout,
                      "turn " + std::to_string(turn.turn_number) + " of thread " +
                          std::to_string(turn.thread_id) + ": process " + pid +
                          " was asked to end but still runs after " + base::seconds_text(waited_ms),
                      "wait longer with --wait, or end it at once with kill -9 " + pid +
                          "; what it has committed is kept");
}

}  // namespace

std::vector<store::Turn> give_up_parked_turns(const agent::Home& home, store::Store& store,
                                              store::AgentId agent) {
    std::vector<store::Turn> given_up;
    for (store::Turn& turn : store::open_turns(store, agent))
        if (give_up_parked(home, store, turn)) given_up.push_back(std::move(turn));
    return given_up;
}

std::vector<store::Turn> cancel_turns(const agent::Home& home, store::Store& store,
                                      store::AgentId agent, const CancelOptions& options,
                                      const std::function<bool()>& stop) {
    const std::int64_t deadline = sys::monotonic_ms() + options.wait_ms;
    std::vector<store::Turn> asked;
    std::vector<store::Turn> given_up;
    for (store::Turn& turn : store::open_turns(store, agent)) {
        if (options.thread != 0 && turn.thread_id != options.thread) continue;
        if (give_up_parked(home, store, turn))
            given_up.push_back(std::move(turn));
        else if (ask({turn.pid, turn.pid_start}))
            asked.push_back(std::move(turn));
    }
    for (store::Turn& turn : asked) {
        while (sys::is_alive({turn.pid, turn.pid_start})) {
            if (stop() || sys::monotonic_ms() >= deadline) refuse_to_wait(turn, options.wait_ms);
            std::this_thread::sleep_for(ask_again);
        }
        const auto ended = store::find_turn(store, turn.id);
        if (!ended) {  // an ephemeral one
            turn.state = store::TurnState::exited;
            turn.ended_at = sys::now_ms();
        }
        turn = ended.value_or(turn);
    }
    given_up.insert(given_up.end(), asked.begin(), asked.end());
    return given_up;
}

}  // namespace chorus::upkeep
