#include "model/retry.hpp"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/clock.hpp"

namespace chorus::model {
namespace {

constexpr std::int64_t look_up_every_ms = 100;

bool is_stopped(const Interruption& interruption) {
    return interruption.stop && interruption.stop();
}

// Full jitter: processes that failed together do not retry together.
std::int64_t backoff_ms(const RetryPolicy& policy, int attempt) {
    const int doublings = std::min(attempt - 1, 30);
    const std::int64_t most = std::min(policy.longest_ms, policy.first_ms << doublings);
    std::random_device source;
    return std::uniform_int_distribution<std::int64_t>(0, std::max<std::int64_t>(most, 0))(source);
}

// Returns nothing if waiting is pointless: too long, or past the deadline.
std::optional<std::int64_t> wait_before_next(const Failure& failure, const RetryPolicy& policy,
                                             int attempt) {
    if (failure.category == Category::rate_limited && !policy.waits_for_rate_limit)
        return std::nullopt;
    const bool told = failure.retry_after_ms && *failure.retry_after_ms > 0;
    // with a deadline, that alone decides, except for a rate limit, which another key may not have
    const bool may_be_long = policy.deadline_ms > 0 && failure.category == Category::server_error;
    if (told && !may_be_long && *failure.retry_after_ms > policy.longest_server_wait_ms)
        return std::nullopt;
    const std::int64_t wait = told ? *failure.retry_after_ms : backoff_ms(policy, attempt);
    if (policy.deadline_ms > 0 && sys::monotonic_ms() + wait >= policy.deadline_ms)
        return std::nullopt;
    return wait;
}

bool may_be_retried(const Answer& answer) {
    return answer.failure && answer.failure->retryable && !answer.text_was_streamed;
}

// Returns why a complete answer is unusable, or "": some models occasionally send only thinking, or
// announce a call that does not follow.
std::string defect_of(const Answer& answer) {
    const chat::Reply& reply = answer.reply;
    if (answer.failure || !reply.tool_calls.empty()) return {};
    if (reply.stop == chat::StopReason::tool_use)
        return "the answer ended with " + base::quoted(reply.raw_stop) + " but contains no call";
    const bool is_empty = reply.stop == chat::StopReason::end && base::trim(reply.text).empty();
    return is_empty ? "the answer was empty" : "";
}

}  // namespace

bool wait_for(std::int64_t wait_ms, const Interruption& interruption) {
    const std::int64_t end = sys::monotonic_ms() + wait_ms;
    for (;;) {
        if (is_stopped(interruption)) return false;
        const std::int64_t left = end - sys::monotonic_ms();
        if (left <= 0) return true;
        // poll ignores a negative descriptor
        pollfd wake{.fd = interruption.wake_fd, .events = POLLIN, .revents = 0};
        if (poll(&wake, 1, static_cast<int>(std::min(left, look_up_every_ms))) > 0) return false;
    }
}

Answer ask_with_retries(Model& model, const chat::Request& request, const StreamSink& sink,
                        const Interruption& interruption, const RetryPolicy& policy,
                        const std::function<void(const RetryEvent&)>& on_retry) {
    chat::Usage spent;
    std::optional<Failure> last;
    bool was_broken = false;
    for (int attempt = 1;; ++attempt) {
        Answer answer = model.ask(request, sink, interruption);
        answer.spent_before = spent;
        if (std::string defect = defect_of(answer); !defect.empty())
            answer.failure = Failure{.message = std::move(defect),
                                     .retryable = !std::exchange(was_broken, true)};
        // the failure before the interruption says more than the interruption
        if (answer.failure && last && is_stopped(interruption)) answer.failure = last;
        if (!may_be_retried(answer) || attempt > policy.most || is_stopped(interruption))
            return answer;
        const std::optional<std::int64_t> wait = wait_before_next(*answer.failure, policy, attempt);
        if (!wait) {
            if (answer.failure->category == Category::server_error &&
                answer.failure->retry_after_ms)
                answer.failure->message += "; the server asks to wait " +
                                           base::seconds_text(*answer.failure->retry_after_ms);
            return answer;
        }
        if (on_retry) on_retry({attempt, *wait, *answer.failure});
        if (!wait_for(*wait, interruption)) return answer;
        spent += answer.reply.usage;
        last = std::move(answer.failure);
    }
}

}  // namespace chorus::model
