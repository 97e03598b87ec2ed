// Ends a turn early, on a signal or when its time is up: the time that a running command gets, and
// the session that is saved.
#pragma once

#include <atomic>
#include <cstdint>

#include "place/place.hpp"

namespace chorus::place {

// CHORUS_DRAIN_TIMEOUT_MS and CHORUS_SHUTDOWN_TIMEOUT_MS, or their defaults: how long a command may
// continue after a signal to the turn, and then the time between its own SIGTERM and SIGKILL.
// Error(bad_request) if they are malformed.
struct ShutdownTimeouts {
    std::int64_t drain_ms = 0;
    std::int64_t grace_ms = 0;
};
ShutdownTimeouts shutdown_timeouts(const sys::Environment& environment);
// The first of them by default after SIGINT at a terminal: a person waits for the shell prompt.
constexpr std::int64_t terminal_drain_ms = 2'000;
// The second of them only.
std::int64_t shutdown_grace_ms(const sys::Environment& environment);

class Shutdown {
  public:
    // Error(bad_request) for variables that are malformed.
    explicit Shutdown(const Place& place);

    bool by_signal() const { return interrupt_.requested(); }
    bool timed_out() const;
    // If true, begin nothing new.
    bool requested() const { return by_signal() || timed_out(); }
    // After a signal a command may still finish within the drain time. For any thread.
    bool command_must_stop();
    // The time it then has between SIGTERM and SIGKILL.
    std::int64_t command_grace_ms() const;
    // The same for a background task that is ended.
    std::int64_t grace_ms() const { return timeouts_.grace_ms; }

  private:
    const sys::Interrupt& interrupt_;
    std::int64_t deadline_ms_;
    ShutdownTimeouts timeouts_;
    std::int64_t interrupt_drain_ms_;  // instead, after SIGINT
    std::atomic<std::int64_t> signalled_at_ms_ = 0;
};

// Throws Error(canceled) or Error(timeout) if a turn must not begin any more.
void check_may_begin(const TurnOptions& options, const Surroundings& surroundings);

// Saves the thread's window as a session with trigger `shutdown`, without asking a model. A failure
// is a warning: the turn has ended and is recorded.
void save_at_shutdown(Place& place, const std::string& model, base::TimeMs after_time);

}  // namespace chorus::place
