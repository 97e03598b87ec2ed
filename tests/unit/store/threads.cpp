#include "store/threads.hpp"

#include <algorithm>

#include "home.hpp"

namespace chorus::store {
namespace {

Thread add_thread(Store& store, Thread thread) {
    return in_transaction(store, [&] { return insert_thread(store, thread); });
}

TEST(Threads, get_the_next_free_number_and_come_back) {
    const Home home;
    Store store = home.open();
    Thread thread;
    thread.agent_id = add_agent(store, "ada");
    thread.id = 0;
    thread.branch = "20260212103000-try";
    thread.parent_thread = 1;
    thread.branch_point = 42;
    thread.summary = "a try";
    thread.created_at = 7;
    EXPECT_EQ(add_thread(store, thread).id, 2);
    thread.branch.clear();
    EXPECT_EQ(add_thread(store, thread).id, 3);
    const std::optional<Thread> found =
        find_thread_of_branch(store, thread.agent_id, "20260212103000-try");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, 2);
    EXPECT_EQ(found->parent_thread, 1);
    EXPECT_EQ(found->branch_point, 42);
    EXPECT_EQ(found->summary, "a try");
    EXPECT_EQ(found->created_at, 7);
    EXPECT_EQ(list_threads(store, thread.agent_id).size(), 3U);
    EXPECT_FALSE(find_thread(store, thread.agent_id, 4));
}

TEST(Threads, are_numbered_by_agent) {
    const Home home;
    Store store = home.open();
    Thread thread;
    thread.id = 0;
    for (const char* name : {"ada", "bob"}) {
        thread.agent_id = add_agent(store, name);
        EXPECT_EQ(add_thread(store, thread).id, 2);
    }
}

TEST(Threads, keep_their_window) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    in_transaction(store, [&] {
        Thread cut = *find_thread(store, agent, 1);
        cut.window_start = 12;
        cut.cut_limits = {.rolling_window_ms = 5, .max_messages = 6, .token_budget = 0};
        set_cut(store, cut);
        set_window_floor(store, agent, 1, 3);
        set_compaction(store, agent, 1, 20);
    });
    const Thread thread = *find_thread(store, agent, 1);
    EXPECT_EQ(thread.window_start, 12);
    EXPECT_EQ(thread.window_floor, 3);
    EXPECT_EQ(thread.compaction, 20);
    EXPECT_EQ(thread.cut_limits.rolling_window_ms, 5);
    EXPECT_EQ(thread.cut_limits.max_messages, 6);
    EXPECT_EQ(thread.cut_limits.token_budget, 0);
}

TEST(Threads, have_the_status_and_the_times_of_their_turns) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    EXPECT_EQ(list_threads(store, agent).front().status, "idle");
    Turn turn = add_turn(store, agent);
    turn.started_at = find_thread(store, agent, 1)->last_activity + 4;
    const auto expect = [&](TurnState state, base::TimeMs ended_at, const std::string& status) {
        turn.state = state;
        turn.ended_at = ended_at;
        in_transaction(store, [&] { update_turn(store, turn); });
        const Thread thread = list_threads(store, agent).front();
        EXPECT_EQ(thread.status, status);
        EXPECT_EQ(thread.last_activity, std::max(turn.started_at, ended_at));
    };
    expect(TurnState::working, 0, "running");
    expect(TurnState::prompt, 0, "waiting_for_permission");
    expect(TurnState::parked, 0, "idle");
    expect(TurnState::idle, turn.started_at + 5, "idle");
}

TEST(Threads, show_the_step_of_their_open_turn) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    Turn turn = add_turn(store, agent);
    turn.current_step = "bash: make";
    in_transaction(store, [&] { update_turn(store, turn); });
    EXPECT_EQ(list_threads(store, agent).at(0).current_step, "step 1, bash: make");
    turn.ended_at = 5;
    in_transaction(store, [&] { update_turn(store, turn); });
    EXPECT_EQ(list_threads(store, agent).at(0).current_step, "");
}

TEST(GivenName, is_what_stands_behind_the_time) {
    EXPECT_EQ(given_name("20260212103000-try"), "try");
    EXPECT_EQ(given_name("20260212103000-20260212103000-x"), "20260212103000-x");
    for (const char* name : {"main", "", "20260212103000", "20260212103000-", "2026021210300-try",
                             "2026021210300x-try", "20260212103000_try"})
        EXPECT_EQ(given_name(name), name);
}

}  // namespace
}  // namespace chorus::store
