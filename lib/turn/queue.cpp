#include "turn/queue.hpp"

#include <time.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "life/find_agent.hpp"
#include "place/in_force.hpp"
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

void insert(place::Place& place, const std::string& text, const std::string& actor) {
    store::insert_inbox(place.store, {.id = 0,
                                      .agent_id = place.agent.id,
                                      .thread_id = place.thread.id,
                                      .source = "user",
                                      .actor = actor,
                                      .content = text,
                                      .created_at = sys::now_ms(),
                                      .delivered_turn = 0});
}

chat::TurnResult queued(const place::Place& place, const place::Surroundings& surroundings,
                        const std::string& who) {
    surroundings.warn("queued for thread " + std::to_string(place.thread.id) + who);
    chat::TurnResult result;
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.state = chat::State::submitted;
    result.reason = "queued";
    result.accepted = true;
    return result;
}

constexpr const char* for_next = ": its next turn takes it up";

// The inbox is read after the transaction that ends a turn, so a message inserted while the turn is
// open is always seen.
bool insert_for_live_turn(place::Place& place, const std::string& text, const std::string& actor) {
    store::Transaction transaction(place.store);
    (void)life::require_again(place.store, place.agent);
    if (!thread_is_at_work(place)) return false;
    insert(place, text, actor);
    transaction.commit();
    return true;
}

}  // namespace

std::optional<chat::TurnResult> queue_or_lock(place::Place& place,
                                              const place::TurnOptions& options,
                                              const place::Surroundings& surroundings) {
    const std::int64_t until_ms = sys::monotonic_ms() + base::limits::file_lock_ms;
    const std::string actor = place::actor_text(options.actor, surroundings.environment);
    std::optional<std::string> text;
    for (;;) {
        const place::Tried tried = place::try_lock(place, options, surroundings);
        if (tried == place::Tried::locked) return std::nullopt;
        place::check_may_begin(options, surroundings);
        // no turn can take the message now, and none may begin
        if (tried == place::Tried::agent_taken || sys::monotonic_ms() > until_ms)
            return queue_behind(place, options, surroundings);
        if (thread_is_at_work(place)) {
            if (!text) text = compose_message(place, options, KeepArtifact::yes, sys::now_ms());
            if (insert_for_live_turn(place, *text, actor)) return queued(place, surroundings, "");
        }
        const timespec pause{0, 10'000'000};
        nanosleep(&pause, nullptr);
    }
}

chat::TurnResult queue_behind(place::Place& place, const place::TurnOptions& options,
                              const place::Surroundings& surroundings) {
    const std::string text = compose_message(place, options, KeepArtifact::yes, sys::now_ms());
    store::Transaction transaction(place.store);
    (void)life::require_again(place.store, place.agent);
    insert(place, text, place::actor_text(options.actor, surroundings.environment));
    transaction.commit();
    return queued(place, surroundings, for_next);
}

}  // namespace chorus::turn
