#include "report/standing.hpp"

#include <gtest/gtest.h>

#include "sys/process.hpp"

namespace chorus::report {
namespace {

using store::TurnState;

store::Turn turn_of(TurnState state) {
    store::Turn turn;
    turn.id = 7;
    turn.state = state;
    return turn;
}

ThreadStanding thread_with(store::Turn turn) {
    ThreadStanding thread;
    thread.state = turn.state;
    thread.turn = std::move(turn);
    return thread;
}

// S-12, S-13
TEST(Standing, a_turn_whose_process_is_gone_is_not_at_work) {
    store::Turn turn = turn_of(TurnState::working);
    const sys::Identity self = sys::own_identity();
    turn.pid = self.pid;
    turn.pid_start = self.start;
    EXPECT_EQ(state_now(turn), TurnState::working);
    turn.pid_start += 1;  // another process has that pid now
    EXPECT_EQ(state_now(turn), TurnState::unknown);
    EXPECT_FALSE(is_at_work(state_now(turn)));
    EXPECT_EQ(what_of(thread_with([&] {
                  store::Turn gone = turn;
                  gone.state = TurnState::unknown;
                  gone.pid = 12;
                  return gone;
              }())),
              "its process 12 is gone");
    turn.state = TurnState::exited;
    turn.ended_at = 5;
    EXPECT_EQ(state_now(turn), TurnState::exited);
}

TEST(Standing, a_turn_that_waits_has_no_process_and_is_as_its_row_says) {
    for (const TurnState state : {TurnState::prompt, TurnState::parked})
        EXPECT_EQ(state_now(turn_of(state)), state);
}

TEST(Standing, the_foremost_is_at_work_or_waits_before_it_is_the_newest) {
    std::vector<ThreadStanding> threads(1);
    EXPECT_EQ(foremost(threads), nullptr);
    store::Turn idle = turn_of(TurnState::idle);
    idle.id = 9;
    threads.push_back(thread_with(turn_of(TurnState::error)));
    threads.push_back(thread_with(idle));
    EXPECT_EQ(foremost(threads), &threads[2]);
    threads.push_back(thread_with(turn_of(TurnState::parked)));
    EXPECT_EQ(foremost(threads), &threads[3]);
    threads.push_back(thread_with(turn_of(TurnState::prompt)));
    EXPECT_EQ(foremost(threads), &threads[4]);
    threads.push_back(thread_with(turn_of(TurnState::working)));
    EXPECT_EQ(foremost(threads), &threads[5]);
}

// S-06, S-08, S-09, S-10, S-12: what goes with each state
TEST(Standing, says_what_goes_with_the_state) {
    ThreadStanding working = thread_with(turn_of(TurnState::working));
    EXPECT_EQ(what_of(working), "waiting for the model");
    store::ToolRun run;
    run.tool = "bash";
    working.turn->tool_calls = 3;
    working.calls = {run};
    EXPECT_EQ(what_of(working), "calling bash (+3)");
    working.calls = {run, run, run};
    EXPECT_EQ(what_of(working), "calling bash and 2 more (+3)");

    ThreadStanding waiting = thread_with(turn_of(TurnState::prompt));
    EXPECT_EQ(what_of(waiting), "decided or expired; -t 1 --resume continues it");
    store::Prompt prompt;
    prompt.kind = chat::PromptKind::permission;
    prompt.action = "tool:bash:make";
    waiting.prompts = {prompt, prompt};
    EXPECT_EQ(what_of(waiting), "tool:bash:make and 1 more");

    store::Turn failed = turn_of(TurnState::error);
    failed.error_detail = "model: no answer";
    EXPECT_EQ(what_of(thread_with(failed)), "model: no answer");
    failed.error_category = "no_internet";
    EXPECT_EQ(what_of(thread_with(failed)), "no_internet: model: no answer");

    store::Turn parked = turn_of(TurnState::parked);
    parked.reason = "all_profiles_rate_limited";
    parked.resume_at = 1'770'000'000'000;
    EXPECT_EQ(what_of(thread_with(parked)),
              "all_profiles_rate_limited, until 2026-02-02T02:40:00.000Z");

    store::Turn exited = turn_of(TurnState::exited);
    exited.reason = "crashed";
    EXPECT_EQ(what_of(thread_with(exited)), "crashed");
    EXPECT_EQ(signal_of(exited), 0);
    exited.exit_code = 130;
    EXPECT_EQ(what_of(thread_with(exited)), "exit 130, signal 2 (INT)");
    EXPECT_EQ(signal_of(exited), 2);
    exited.exit_code = 143;
    EXPECT_EQ(signal_of(exited), 15);

    store::Turn idle = turn_of(TurnState::idle);
    EXPECT_EQ(what_of(thread_with(idle)), "");
    idle.reason = "max_iterations";
    EXPECT_EQ(what_of(thread_with(idle)), "max_iterations");
    EXPECT_EQ(what_of({}), "");
}

TEST(Standing, every_state_has_a_name_of_a2a) {
    EXPECT_EQ(a2a_state(TurnState::starting), "submitted");
    EXPECT_EQ(a2a_state(TurnState::working), "working");
    EXPECT_EQ(a2a_state(TurnState::idle), "completed");
    EXPECT_EQ(a2a_state(TurnState::prompt), "input-required");
    EXPECT_EQ(a2a_state(TurnState::error), "failed");
    EXPECT_EQ(a2a_state(TurnState::parked), "failed");
    EXPECT_EQ(a2a_state(TurnState::exited), "canceled");
    EXPECT_EQ(a2a_state(TurnState::unknown), "unknown");
}

}  // namespace
}  // namespace chorus::report
