#include "turn/queue.hpp"

#include <time.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "turn/said.hpp"
#include "turn/settings.hpp"
#include "turn/shutdown.hpp"

namespace chorus::turn {
namespace {

bool is_at_work(Place& place) {
    const auto turn = store::find_open_turn(place.store, place.agent.id, place.thread.id);
    return turn && turn->pid != 0 && sys::is_alive({turn->pid, turn->pid_start});
}

void insert(Place& place, const std::string& text, const std::string& actor) {
    store::insert_inbox(place.store, {.id = 0,
                                      .agent_id = place.agent.id,
                                      .thread_id = place.thread.id,
                                      .source = "user",
                                      .actor = actor,
                                      .content = text,
                                      .created_at = sys::now_ms(),
                                      .delivered_turn = 0});
}

chat::TurnResult queued(const Place& place, const Surroundings& surroundings) {
    surroundings.warn("queued for thread " + std::to_string(place.thread.id));
    chat::TurnResult result;
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.state = chat::State::submitted;
    result.reason = "queued";
    return result;
}

// The transaction that ends a turn looks into the inbox: what is inserted while the turn is open is
// seen by it.
bool insert_for_live_turn(Place& place, const std::string& text, const std::string& actor) {
    store::Transaction transaction(place.store);
    if (!is_at_work(place)) return false;
    insert(place, text, actor);
    transaction.commit();
    return true;
}

}  // namespace

std::optional<chat::TurnResult> queue_or_lock(Place& place, const TurnOptions& options,
                                              const Surroundings& surroundings) {
    const std::int64_t until_ms = sys::monotonic_ms() + base::limits::file_lock_ms;
    const std::string actor = actor_text(options.actor, surroundings.environment);
    std::optional<std::string> text;
    while (!try_lock_thread(place, surroundings)) {
        check_may_begin(options, surroundings);
        if (sys::monotonic_ms() > until_ms)
            throw base::Error(base::ErrorCode::agent_busy,
                              "agent '" + place.agent.name + "': thread " +
                                  std::to_string(place.thread.id) +
                                  " is taken by a process that runs no turn",
                              "try again later");
        if (is_at_work(place)) {
            if (!text) text = compose_message(place, options, Keep::yes, sys::now_ms());
            if (insert_for_live_turn(place, *text, actor)) return queued(place, surroundings);
        }
        const timespec pause{0, 10'000'000};
        nanosleep(&pause, nullptr);
    }
    return std::nullopt;
}

chat::TurnResult queue_behind(Place& place, const TurnOptions& options,
                              const Surroundings& surroundings) {
    const std::string text = compose_message(place, options, Keep::yes, sys::now_ms());
    store::Transaction transaction(place.store);
    insert(place, text, actor_text(options.actor, surroundings.environment));
    transaction.commit();
    return queued(place, surroundings);
}

}  // namespace chorus::turn
