#include "turn/queue.hpp"

#include <chrono>
#include <thread>

#include "base/limits.hpp"
#include "life/find_agent.hpp"
#include "place/shutdown.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "turn/said.hpp"

namespace chorus::turn {
namespace {

bool thread_is_at_work(place::Place& place) {
    const auto turn = store::find_open_turn(place.store, place.agent.id, place.thread.id);
    return turn && turn->pid != 0 && sys::is_alive({turn->pid, turn->pid_start});
}

// The inbox is read after the transaction that ends a turn, so a message inserted while the turn is
// open is always seen. Returns false if it is for a turn at work, and none is.
bool insert(place::Place& place, const std::string& text, bool for_live_turn) {
    store::Transaction transaction(place.store);
    (void)life::require_again(place.store, place.agent);
    if (for_live_turn && !thread_is_at_work(place)) return false;
    store::insert_inbox(place.store, {.agent_id = place.agent.id,
                                      .thread_id = place.thread.id,
                                      .source = "user",
                                      .actor = place.actor(),
                                      .content = text,
                                      .created_at = sys::now_ms()});
    transaction.commit();
    return true;
}

chat::TurnResult queued(const place::Place& place, const std::string& who) {
    place.surroundings.warn("queued for thread " + std::to_string(place.thread.id) + who);
    chat::TurnResult result;
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.state = chat::State::submitted;
    result.reason = "queued";
    result.accepted = true;
    return result;
}

}  // namespace

std::optional<chat::TurnResult> queue_or_lock(place::Place& place) {
    const std::int64_t until_ms = sys::monotonic_ms() + base::limits::file_lock_ms;
    std::optional<std::string> text;
    for (;;) {
        const place::Tried tried = place::try_lock(place);
        if (tried == place::Tried::locked) return std::nullopt;
        place::check_may_begin(place.options, place.surroundings);
        // no turn can take the message now, and none may begin
        if (tried == place::Tried::agent_taken || sys::monotonic_ms() > until_ms)
            return queue_behind(place);
        if (thread_is_at_work(place)) {
            if (!text) text = compose_message(place, KeepArtifact::yes);
            if (insert(place, *text, true)) return queued(place, "");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

chat::TurnResult queue_behind(place::Place& place) {
    insert(place, compose_message(place, KeepArtifact::yes), false);
    return queued(place, ": its next turn takes it up");
}

}  // namespace chorus::turn
