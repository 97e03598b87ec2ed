// Bounded retries with full-jitter backoff around one request.
#pragma once

#include <cstdint>
#include <functional>

#include "model/model.hpp"

namespace chorus::model {

struct RetryPolicy {
    int most = 3;
    std::int64_t first_ms = 500;
    std::int64_t longest_ms = 8'000;
    // A longer Retry-After is honoured only within a deadline, and never for a rate limit.
    std::int64_t longest_server_wait_ms = 60'000;
    std::int64_t deadline_ms = 0;  // monotonic; 0: none
    bool waits_for_rate_limit = true;
};

struct RetryEvent {
    int attempt = 0;  // the one that failed, from 1
    std::int64_t wait_ms = 0;
    Failure failure;
};

// Returns false when interrupted.
bool wait_for(std::int64_t wait_ms, const Interruption& interruption);

// An interruption cuts waits short. Never retries once text was streamed. An answer without text
// and calls, or one that announces a call and has none, is retried once and then reported as a
// failure.
Answer ask_with_retries(Model& model, const chat::Request& request, const StreamSink& sink,
                        const Interruption& interruption, const RetryPolicy& policy,
                        const std::function<void(const RetryEvent&)>& on_retry);

}  // namespace chorus::model
