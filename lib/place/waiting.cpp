#include "place/waiting.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "context/find_thread.hpp"
#include "life/find_agent.hpp"
#include "life/known_models.hpp"
#include "place/secrets.hpp"
#include "place/shutdown.hpp"
#include "store/gate.hpp"
#include "sys/clock.hpp"
#include "sys/git_place.hpp"

namespace chorus::place {
namespace {

using base::Error;
using base::ErrorCode;

std::string holder_of(store::Store& store, const store::Agent& agent, const store::Thread& thread) {
    const auto turn = store::find_open_turn(store, agent.id, thread.id);
    if (!turn || turn->pid == 0) return "another process";
    return "process " + std::to_string(turn->pid) + " (turn " + std::to_string(turn->turn_number) +
           ")";
}

std::function<bool()> until_it_may_begin(const Place& place) {
    return until_it_may_begin(place.options, place.surroundings);
}

// Reads again what the locks protect: it may have changed while they were waited for.
void read_again(Place& place) {
    const Surroundings& surroundings = place.surroundings;
    place.agent = life::require_again(place.store, place.agent);
    place.home_configuration = agent::load_home_configuration(surroundings.home);
    place.catalog = life::load_catalog(place.store, surroundings.home);
    place.root = root_for(place.store, place.agent, wanted_by(place.options, place.agent),
                          surroundings.home, surroundings.environment);
    place.redaction = secrets_of(surroundings.home, surroundings.environment,
                                 place.home_configuration.shared.environment);
}

void find_thread(Place& place) {
    place.thread =
        context::require_thread(place.store, place.agent, place.directory, place.options.thread);
}

// The thread is chosen after the wait: the branch that `current` names may have changed meanwhile.
void lock_agent(Place& place, std::int64_t wait_ms) {
    auto held = life::hold_agent(place.surroundings.home, place.store, place.agent,
                                 sys::Lock::Mode::shared, wait_ms, until_it_may_begin(place));
    place.agent = std::move(held.agent);
    place.agent_lock = std::move(held.lock);
    find_thread(place);
}

// Returns whether it had to be waited for.
bool take_lock(std::optional<sys::Lock>& lock, const Place& place, const std::string& path,
               std::int64_t wait_ms, sys::Lock::Range range = {}) {
    lock = sys::Lock::try_acquire(path, sys::Lock::Mode::exclusive, range);
    if (lock) return false;
    lock = sys::Lock::acquire(path, sys::Lock::Mode::exclusive, wait_ms, until_it_may_begin(place),
                              range);
    return true;
}

// One process at a time uses a key, on whatever thread. If a turn has the key, its thread is used.
bool lock_key(Place& place, std::int64_t wait_ms) {
    constexpr std::size_t digits = 10;  // of a hash, within the range that can be locked
    const std::string& key = place.options.idempotency_key;
    const std::string hash = base::sha256_hex(key).substr(0, digits);
    const bool waited =
        take_lock(place.key_lock, place, place.surroundings.home.key_lock(place.agent.id), wait_ms,
                  {std::stoll(hash, nullptr, 16), 1});
    if (!place.key_lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + place.agent.name + "': a turn with this idempotency key is at work",
                    "wait with --wait, and its result is printed");
    place.keyed = store::find_turn_by_key(place.store, place.agent.id, key);
    if (place.keyed)
        place.thread = *store::find_thread(place.store, place.agent.id, place.keyed->thread_id);
    return waited;
}

// Returns the ways past a busy thread that fit the given options.
std::string ways_past(const Place& place) {
    const TurnOptions& options = place.options;
    const bool may_go_beside = !options.says_nothing() && options.thread.empty() && !place.keyed &&
                               !options.new_thread &&
                               !place.directory.is_of_sub_agent();  // which has one thread
    return may_go_beside ? "wait with --wait, or use another thread with --new-thread"
                         : "wait with --wait";
}

bool lock_thread(Place& place, std::int64_t wait_ms) {
    const bool waited =
        take_lock(place.thread_lock, place,
                  place.surroundings.home.thread_lock(place.agent.id, place.thread.id), wait_ms);
    if (!place.thread_lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + place.agent.name + "': thread " + std::to_string(place.thread.id) +
                        " is at work: " + holder_of(place.store, place.agent, place.thread),
                    ways_past(place));
    place.thread = *store::find_thread(place.store, place.agent.id, place.thread.id);
    return waited;
}

}  // namespace

std::function<bool()> until_it_may_begin(const TurnOptions& options,
                                         const Surroundings& surroundings) {
    return [&] {
        check_may_begin(options, surroundings);
        return false;
    };
}

void lock_place(Place& place) {
    const TurnOptions& options = place.options;
    const std::int64_t until_ms = sys::monotonic_ms() + options.wait_ms;
    const auto left_ms = [&]() -> std::int64_t {
        if (options.wait_ms < 0) return -1;
        return std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0);
    };
    const bool waits_for_agent = !place.agent_lock;
    if (waits_for_agent) lock_agent(place, left_ms());
    const bool waited_for_key = !options.idempotency_key.empty() && lock_key(place, left_ms());
    const bool locks = place.keyed ? !has_answered(*place.keyed) : !options.new_thread;
    const bool waited_for_thread = locks && lock_thread(place, left_ms());
    if (waits_for_agent || waited_for_key || waited_for_thread) read_again(place);
    sys::remove_mount_points(place.root.path());
}

Tried try_lock(Place& place) {
    const agent::Home& home = place.surroundings.home;
    place.agent_lock =
        sys::Lock::try_acquire(home.agent_lock(place.agent.id), sys::Lock::Mode::shared);
    if (!place.agent_lock) return Tried::agent_taken;
    find_thread(place);
    place.thread_lock = sys::Lock::try_acquire(home.thread_lock(place.agent.id, place.thread.id),
                                               sys::Lock::Mode::exclusive);
    if (!place.thread_lock) {
        place.agent_lock.reset();
        return Tried::thread_taken;
    }
    place.thread = *store::find_thread(place.store, place.agent.id, place.thread.id);
    read_again(place);
    sys::remove_mount_points(place.root.path());
    return Tried::locked;
}

void begin_thread(Place& place, store::ThreadId id,
                  const std::function<void(store::Thread& made)>& fill) {
    store::Thread thread;
    thread.agent_id = place.agent.id;
    thread.id = id;
    thread.branch = place.thread.branch;
    thread.parent_thread = place.thread.id;
    thread.created_at = thread.last_activity = sys::now_ms();
    if (id != 0)  // nobody sees it without its lock
        place.thread_lock = sys::Lock::try_acquire(
            place.surroundings.home.thread_lock(place.agent.id, id), sys::Lock::Mode::exclusive);
    store::Transaction transaction(place.store);
    (void)life::require_again(place.store, place.agent);
    place.thread = store::insert_thread(place.store, thread);
    fill(place.thread);
    transaction.commit();
    if (id == 0) lock_thread(place, place.options.wait_ms);
}

void limit_waits(Place& place) {
    const std::int64_t deadline_ms = place.options.deadline_ms;
    const std::int64_t last_ms =
        deadline_ms == 0 ? 0 : deadline_ms + base::limits::timeout_grace_ms;
    place.store.set_patience(store::longest_wait_ms, [last_ms] {
        if (last_ms != 0 && sys::monotonic_ms() > last_ms)
            throw Error(ErrorCode::timeout,
                        "turn: the time given with --timeout is up, and another process prevents "
                        "recording its end");
        return false;
    });
}

}  // namespace chorus::place
