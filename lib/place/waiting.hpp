// Waits until a turn may use its agent and thread (--wait), and takes their locks.
#pragma once

#include <functional>

#include "place/place.hpp"

namespace chorus::place {

// Returns a function that ends a wait by throwing once the turn may no longer begin.
std::function<bool()> until_it_may_begin(const TurnOptions& options,
                                         const Surroundings& surroundings);
// Takes the locks, and reads again what they protect if one had to be waited for.
// Error(agent_busy). With --new-thread the thread stays the present one, without a lock.
void lock_place(Place& place);
// Takes the locks of the agent and the thread if both are free now.
enum class Tried { locked, agent_taken, thread_taken };
Tried try_lock(Place& place);
// --new-thread: creates and locks the thread, once it is known that the turn can begin; with the
// next free id, or with one that nobody else uses. `fill` adds to it in the same transaction.
void begin_thread(
    Place& place, store::ThreadId id = 0,
    const std::function<void(store::Thread& made)>& fill = [](store::Thread&) {});
// Limits how long commits of a turn at work wait for other writers: until --timeout requires its
// end, then Error(timeout).
void limit_waits(Place& place);

}  // namespace chorus::place
