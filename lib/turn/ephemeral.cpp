#include "turn/ephemeral.hpp"

#include "context/fork.hpp"
#include "context/transcript.hpp"
#include "place/waiting.hpp"
#include "store/forget.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::turn {
namespace {

using store::TurnState;

bool waits(const store::Turn& turn) {
    return turn.state == TurnState::prompt || turn.state == TurnState::parked;
}

void forget(place::Place& place, const store::Thread& thread) {
    sys::try_remove_tree(context::transcript_path(place.directory, thread));
    store::forget_thread(place.store, place.agent.id, thread.id);
}

void forget_leftovers(place::Place& place) {
    for (const store::ThreadId id : store::ephemeral_threads(place.store, place.agent.id)) {
        const auto lock = sys::Lock::try_acquire(
            place.surroundings.home.thread_lock(place.agent.id, id), sys::Lock::Mode::exclusive);
        if (!lock) continue;
        const auto thread = store::find_thread(place.store, place.agent.id, id);
        const auto turn = store::newest_turn(place.store, place.agent.id, id);
        if (thread && !(turn && waits(*turn))) forget(place, *thread);
    }
}

}  // namespace

void begin_ephemeral_thread(place::Place& place, std::int64_t rolling_window_ms) {
    forget_leftovers(place);
    const store::Thread parent = place.thread;
    place::begin_thread(place, [&](store::Thread& made) {
        store::mark_ephemeral(place.store, place.agent.id, made.id);
        if (!place.options.fresh)
            context::copy_window(place.store, place.agent, parent, made, rolling_window_ms);
    });
}

void forget_thread(place::Place& place) {
    if (place.thread.parent_thread != 0 &&
        store::is_ephemeral(place.store, place.agent.id, place.thread.id))
        forget(place, place.thread);
}

void forget_if_over(place::Place& place, chat::TurnResult& result) {
    if (place.thread.parent_thread == 0 ||
        !store::is_ephemeral(place.store, place.agent.id, place.thread.id))
        return;
    const auto turn = store::newest_turn(place.store, place.agent.id, place.thread.id);
    if (turn && waits(*turn)) return;
    forget(place, place.thread);
    if (result.error) result.error = base::Error(result.error->code(), result.error->message());
}

}  // namespace chorus::turn
