#include "model/retry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "sys/clock.hpp"

namespace chorus::model {
namespace {

// Fails as told, then answers.
class Flaky final : public Model {
  public:
    explicit Flaky(std::vector<Failure> failures, bool streams = false)
        : failures_(std::move(failures)), streams_(streams) {}

    Answer ask(const chat::Request&, const StreamSink&, const Interruption&) override {
        Answer answer;
        answer.text_was_streamed = streams_;
        answer.reply.usage = {100, 10, 0, 0};
        if (asked >= failures_.size() + empty) answer.reply.text = "done";
        if (asked < failures_.size()) answer.failure = failures_[asked];
        answer.reply.stop = stop;
        ++asked;
        return answer;
    }
    std::size_t asked = 0;
    chat::StopReason stop = chat::StopReason::end;
    std::size_t empty = 0;  // answers after the failures that say nothing

  private:
    std::vector<Failure> failures_;
    bool streams_;
};

Failure failing(bool retryable = true, std::optional<std::int64_t> after_ms = std::nullopt) {
    Failure failure;
    failure.category = Category::server_error;
    failure.retryable = retryable;
    failure.retry_after_ms = after_ms;
    return failure;
}

struct Attempts {
    Answer answer;
    std::vector<RetryEvent> events;
};

Attempts run(Flaky& model, const RetryPolicy& policy, const Interruption& interruption = {}) {
    Attempts out;
    out.answer = ask_with_retries(model, {}, {}, interruption, policy,
                                  [&](const RetryEvent& event) { out.events.push_back(event); });
    return out;
}

constexpr RetryPolicy quick{.first_ms = 2, .longest_ms = 8};

// S-42
TEST(Retry, TriesAgainUntilItWorks) {
    Flaky model({failing(), failing()});
    const Attempts out = run(model, quick);
    EXPECT_FALSE(out.answer.failure);
    EXPECT_EQ(model.asked, 3U);
    ASSERT_EQ(out.events.size(), 2U);
    EXPECT_EQ(out.events[0].attempt, 1);
    EXPECT_EQ(out.events[1].attempt, 2);
}

TEST(Retry, WhatFailedAttemptsUsedIsToldBesides) {
    Flaky model({failing(), failing()});
    const Attempts out = run(model, quick);
    EXPECT_EQ(out.answer.reply.usage, (chat::Usage{100, 10, 0, 0}));
    EXPECT_EQ(out.answer.spent_before, (chat::Usage{200, 20, 0, 0}));
    Flaky hopeless(std::vector<Failure>(10, failing()));
    EXPECT_EQ(run(hopeless, quick).answer.spent_before, (chat::Usage{300, 30, 0, 0}));
}

TEST(Retry, AnEmptyAnswerIsAskedForOnceMore) {
    Flaky once({});
    once.empty = 1;
    const Attempts out = run(once, quick);
    EXPECT_FALSE(out.answer.failure);
    EXPECT_EQ(once.asked, 2U);
    Flaky ever({});
    ever.empty = 10;
    const Attempts ends = run(ever, quick);
    ASSERT_TRUE(ends.answer.failure);
    EXPECT_EQ(ends.answer.failure->message, "the answer was empty");
    EXPECT_EQ(ever.asked, 2U);
    EXPECT_EQ(ends.answer.spent_before, (chat::Usage{100, 10, 0, 0}));
}

TEST(Retry, AnAnswerWithoutTheCallsThatItAnnouncesIsAFailure) {
    Flaky model({});
    model.stop = chat::StopReason::tool_use;
    const Attempts out = run(model, quick);
    ASSERT_TRUE(out.answer.failure);
    EXPECT_NE(out.answer.failure->message.find("contains no call"), std::string::npos);
    EXPECT_EQ(model.asked, 2U);
}

TEST(Retry, ALongRetryAfterIsWaitedForWithinADeadline) {
    Flaky model({failing(true, 61'000)});
    RetryPolicy policy = quick;
    policy.deadline_ms = sys::monotonic_ms() + 600'000;
    int looks = 0;
    const Attempts out = run(model, policy, {.stop = [&] { return ++looks > 2; }});
    ASSERT_EQ(out.events.size(), 1U);
    EXPECT_EQ(out.events.front().wait_ms, 61'000);
}

TEST(Retry, GivesUpAfterTheMost) {
    Flaky model(std::vector<Failure>(10, failing()));
    const Attempts out = run(model, quick);
    EXPECT_TRUE(out.answer.failure);
    EXPECT_EQ(model.asked, 4U);
    EXPECT_EQ(out.events.size(), 3U);
}

TEST(Retry, WaitsAreJitteredAndBounded) {
    bool differs = false;
    for (int round = 0; round < 50; ++round) {
        Flaky model(std::vector<Failure>(10, failing()));
        const Attempts out = run(model, {.most = 4, .first_ms = 1, .longest_ms = 3});
        for (const RetryEvent& event : out.events) {
            EXPECT_GE(event.wait_ms, 0);
            EXPECT_LE(event.wait_ms, std::min(3, 1 << (event.attempt - 1)));
            differs = differs || event.wait_ms != out.events.front().wait_ms;
        }
    }
    EXPECT_TRUE(differs);
}

TEST(Retry, NotWhatIsNotWorthIt) {
    Flaky model({failing(false)});
    EXPECT_TRUE(run(model, quick).answer.failure);
    EXPECT_EQ(model.asked, 1U);
}

TEST(Retry, NotOnceTextWasShown) {
    Flaky model({failing()}, true);
    EXPECT_TRUE(run(model, quick).answer.failure);
    EXPECT_EQ(model.asked, 1U);
}

TEST(Retry, DoesAsTheServerSays) {
    Flaky model({failing(true, 30)});
    const std::int64_t start = sys::monotonic_ms();
    const Attempts out = run(model, quick);
    EXPECT_FALSE(out.answer.failure);
    EXPECT_EQ(out.events.at(0).wait_ms, 30);
    EXPECT_GE(sys::monotonic_ms() - start, 30);
}

TEST(Retry, DoesNotWaitForHours) {
    Flaky model({failing(true, 61'000)});
    const Attempts out = run(model, quick);
    ASSERT_TRUE(out.answer.failure);
    EXPECT_EQ(out.answer.failure->retry_after_ms, 61'000);
    EXPECT_EQ(model.asked, 1U);
    EXPECT_TRUE(out.events.empty());
    EXPECT_EQ(out.answer.failure->message, "; the server asks to wait 61 s");
}

TEST(Retry, NeverSleepsPastTheDeadline) {
    Flaky model({failing(true, 5'000)});
    RetryPolicy policy = quick;
    policy.deadline_ms = sys::monotonic_ms() + 1'000;
    const std::int64_t start = sys::monotonic_ms();
    EXPECT_TRUE(run(model, policy).answer.failure);
    EXPECT_LT(sys::monotonic_ms() - start, 900);
    EXPECT_EQ(model.asked, 1U);
}

TEST(Retry, AnInterruptionCutsTheWait) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    Flaky model({failing(true, 30'000)});
    const std::int64_t start = sys::monotonic_ms();
    const Attempts out = run(model, quick, {.stop = {}, .wake_fd = ends[0]});
    EXPECT_TRUE(out.answer.failure);
    EXPECT_EQ(model.asked, 1U);
    EXPECT_LT(sys::monotonic_ms() - start, 5'000);
    close(ends[0]);
    close(ends[1]);
}

TEST(Retry, StopIsLookedAtWhileWaiting) {
    Flaky model({failing(true, 30'000)});
    int looks = 0;
    const std::int64_t start = sys::monotonic_ms();
    const Attempts out = run(model, quick, {.stop = [&] { return ++looks > 2; }});
    EXPECT_TRUE(out.answer.failure);
    EXPECT_LT(sys::monotonic_ms() - start, 5'000);
}

}  // namespace
}  // namespace chorus::model
