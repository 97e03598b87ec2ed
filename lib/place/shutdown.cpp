#include "place/shutdown.hpp"

#include <csignal>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "context/session.hpp"
#include "sys/clock.hpp"

namespace chorus::place {
namespace {

constexpr std::int64_t drain_ms = 20'000;
constexpr std::int64_t default_grace_ms = 10'000;

bool is_past(std::int64_t deadline_ms) {
    return deadline_ms != 0 && sys::monotonic_ms() >= deadline_ms;
}

}  // namespace

std::int64_t shutdown_grace_ms(const sys::Environment& environment) {
    return environment.find_ms("CHORUS_SHUTDOWN_TIMEOUT_MS").value_or(default_grace_ms);
}

ShutdownTimeouts shutdown_timeouts(const sys::Environment& environment) {
    return {environment.find_ms("CHORUS_DRAIN_TIMEOUT_MS").value_or(drain_ms),
            shutdown_grace_ms(environment)};
}

Shutdown::Shutdown(const Place& place)
    : interrupt_(place.surroundings.interrupt),
      deadline_ms_(place.options.deadline_ms),
      timeouts_(shutdown_timeouts(place.surroundings.environment)),
      interrupt_drain_ms_(timeouts_.drain_ms) {
    if (place.surroundings.ask && !place.surroundings.environment.find("CHORUS_DRAIN_TIMEOUT_MS"))
        interrupt_drain_ms_ = terminal_drain_ms;
}

bool Shutdown::timed_out() const {
    return is_past(deadline_ms_);
}

bool Shutdown::command_must_stop() {
    if (timed_out()) return true;
    if (!by_signal()) return false;
    const std::int64_t now = sys::monotonic_ms();
    std::int64_t since = 0;
    if (signalled_at_ms_.compare_exchange_strong(since, now)) since = now;
    return now - since >=
           (interrupt_.signal() == SIGINT ? interrupt_drain_ms_ : timeouts_.drain_ms);
}

std::int64_t Shutdown::command_grace_ms() const {
    return by_signal() ? timeouts_.grace_ms : base::limits::timeout_grace_ms;
}

void check_may_begin(const TurnOptions& options, const Surroundings& surroundings) {
    if (surroundings.interrupt.requested())
        throw base::Error(base::ErrorCode::canceled, "turn: interrupted before it began");
    if (is_past(options.deadline_ms))
        throw base::Error(base::ErrorCode::timeout,
                          "turn: the time given with --timeout was up before it began");
}

void save_at_shutdown(Place& place, const std::string& model, base::TimeMs after_time) {
    if (place.options.ephemeral) return;
    try {
        const auto messages =
            context::session_messages(place.store, place.agent, {place.thread.id}, after_time);
        if (messages.empty()) return;
        context::save_session(place.store, place.surroundings.home, place.agent, messages,
                              {.trigger = context::SessionTrigger::shutdown,
                               .model = model,
                               .description = context::topic(messages)},
                              place.redaction);
    } catch (const std::exception& problem) {
        place.surroundings.warn(std::string("the session could not be saved: ") + problem.what());
    }
}

}  // namespace chorus::place
