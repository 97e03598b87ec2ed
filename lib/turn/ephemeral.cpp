#include "turn/ephemeral.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "context/forgetting.hpp"
#include "context/fork.hpp"
#include "place/waiting.hpp"
#include "store/forget.hpp"

namespace chorus::turn {

void begin_ephemeral_thread(place::Place& place, std::int64_t rolling_window_ms) {
    const store::Thread parent = place.thread;
    place::begin_thread(place, store::new_ephemeral_thread(), [&](store::Thread& made) {
        if (!place.options.fresh)
            context::copy_window(place.store, place.agent, parent, made, rolling_window_ms);
    });
}

void forget_thread(place::Place& place) {
    if (store::is_ephemeral(place.thread.id))
        context::forget_thread(place.surroundings.home, place.store, place.agent, place.thread);
}

void forget_if_over(place::Place& place, chat::TurnResult& result) {
    if (!store::is_ephemeral(place.thread.id)) return;
    try {
        forget_thread(place);
    } catch (const base::Error& error) {
        place.surroundings.warn("the agent's next turn forgets this one: " + error.message());
    }
    // the other hints name ways to continue it
    const std::string hint =
        result.resume_at == 0 ? "" : "run it again after " + base::iso8601(result.resume_at);
    if (result.error)
        result.error = base::Error(result.error->code(), result.error->message(), hint);
}

}  // namespace chorus::turn
