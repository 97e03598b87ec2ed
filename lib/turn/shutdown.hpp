// A turn that is told to end before its end, by a signal or because its time is up: what a running
// command is left, and the session that is saved.
#pragma once

#include <atomic>
#include <cstdint>

#include "turn/place.hpp"

namespace chorus::turn {

// CHORUS_DRAIN_TIMEOUT_MS and CHORUS_SHUTDOWN_TIMEOUT_MS, or what holds without them: how long a
// command may go on after SIGTERM, and then from SIGTERM to SIGKILL. Error(bad_request) where they
// are malformed.
struct ShutdownTimeouts {
    std::int64_t drain_ms = 0;
    std::int64_t grace_ms = 0;
};
ShutdownTimeouts shutdown_timeouts(const sys::Environment& environment);
// The second of them alone.
std::int64_t shutdown_grace_ms(const sys::Environment& environment);

class Shutdown {
  public:
    // `deadline_ms` as in TurnOptions. Error(bad_request) for variables that are malformed.
    Shutdown(const Surroundings& surroundings, std::int64_t deadline_ms);

    bool by_signal() const { return interrupt_.requested(); }
    bool timed_out() const;
    // Nothing new is begun.
    bool requested() const { return by_signal() || timed_out(); }
    // After a signal a command may come to its end first. From any thread.
    bool command_must_stop();
    // What it then has from SIGTERM to SIGKILL.
    std::int64_t command_grace_ms() const;
    // The same for a background task that is ended.
    std::int64_t grace_ms() const { return grace_ms_; }

  private:
    const sys::Interrupt& interrupt_;
    std::int64_t deadline_ms_;
    std::int64_t drain_ms_;            // after SIGTERM and SIGHUP
    std::int64_t interrupt_drain_ms_;  // after SIGINT
    std::int64_t grace_ms_;
    std::atomic<std::int64_t> signalled_at_ms_ = 0;
};

// Error(canceled) or Error(timeout) where a turn that has not begun is not to begin.
void check_may_begin(const TurnOptions& options, const Surroundings& surroundings);

// The thread's window as a session with trigger `shutdown`, no model asked. What goes wrong with it
// is a warning: the turn has ended and is on record.
void save_at_shutdown(Place& place, const Surroundings& surroundings, const std::string& model,
                      base::TimeMs after_time);

}  // namespace chorus::turn
