#include "store/turns.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

void save(Store& store, const Turn& turn) {
    in_transaction(store, [&] { update_turn(store, turn); });
}

TEST(Turns, come_back_with_every_column) {
    const Home home;
    Store store = home.open();
    Turn turn = add_turn(store, add_agent(store, "ada"));
    turn.state = TurnState::parked;
    turn.reason = "all_profiles_rate_limited";
    turn.pid = 123;
    turn.pid_start = 456;
    turn.actor = "mia";
    turn.model = "openai/x";
    turn.profile = "work";
    turn.attempt = 3;
    turn.started_at = 1;
    turn.exit_code = 75;
    turn.iterations = 4;
    turn.tool_calls = 5;
    turn.current_step = "calling bash";
    turn.error_category = "rate_limited";
    turn.error_detail = "429";
    turn.resume_at = 99;
    turn.usage = {1, 2, 3, 4, 5, 6};
    turn.idempotency_key = "k";
    turn.options = R"({"on_ask":"fail"})";
    turn.result = "{}";
    turn.working_directory = "/src";
    turn.prefix_hash = "h";
    turn.commit_before = "b";
    turn.commit_after = "a";
    save(store, turn);
    const Turn found = *find_turn(store, turn.id);
    EXPECT_EQ(found.agent_id, turn.agent_id);
    EXPECT_EQ(found.thread_id, 1);
    EXPECT_EQ(found.turn_number, 1);
    EXPECT_EQ(found.state, TurnState::parked);
    EXPECT_EQ(found.reason, turn.reason);
    EXPECT_EQ(found.pid, 123);
    EXPECT_EQ(found.pid_start, 456);
    EXPECT_EQ(found.actor, "mia");
    EXPECT_EQ(found.model, "openai/x");
    EXPECT_EQ(found.profile, "work");
    EXPECT_EQ(found.attempt, 3);
    EXPECT_EQ(found.started_at, 1);
    EXPECT_EQ(found.ended_at, 0);
    EXPECT_EQ(found.exit_code, 75);
    EXPECT_EQ(found.iterations, 4);
    EXPECT_EQ(found.tool_calls, 5);
    EXPECT_EQ(found.current_step, "calling bash");
    EXPECT_EQ(found.error_category, "rate_limited");
    EXPECT_EQ(found.error_detail, "429");
    EXPECT_EQ(found.resume_at, 99);
    EXPECT_EQ(found.usage, turn.usage);
    EXPECT_EQ(found.idempotency_key, "k");
    EXPECT_EQ(found.options, turn.options);
    EXPECT_EQ(found.result, "{}");
    EXPECT_EQ(found.working_directory, "/src");
    EXPECT_EQ(found.prefix_hash, "h");
    EXPECT_EQ(found.commit_before, "b");
    EXPECT_EQ(found.commit_after, "a");
}

TEST(Turns, tell_unknown_from_nothing) {
    const Home home;
    Store store = home.open();
    Turn turn = add_turn(store, add_agent(store, "ada"));
    EXPECT_EQ(find_turn(store, turn.id)->exit_code, -1);
    EXPECT_EQ(find_turn(store, turn.id)->usage.cost, 0);
    turn.exit_code = 0;
    turn.usage.cost = base::unknown_cost;
    save(store, turn);
    EXPECT_EQ(find_turn(store, turn.id)->exit_code, 0);
    EXPECT_EQ(find_turn(store, turn.id)->usage.cost, base::unknown_cost);
}

TEST(Turns, of_a_thread_are_open_one_at_a_time) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    Thread second;
    second.agent_id = agent;
    second.id = 2;
    in_transaction(store, [&] { insert_thread(store, second); });
    Turn first = add_turn(store, agent);
    EXPECT_EQ(error_of([&] { add_turn(store, agent); }).code(), base::ErrorCode::agent_busy);
    EXPECT_EQ(add_turn(store, agent, 2).turn_number, 1);
    EXPECT_EQ(open_turns(store, agent).size(), 2U);
    first.ended_at = 5;
    save(store, first);
    EXPECT_FALSE(find_open_turn(store, agent, 1));
    const Turn next = add_turn(store, agent);
    EXPECT_EQ(next.turn_number, 2);
    EXPECT_EQ(find_open_turn(store, agent, 1)->id, next.id);
    EXPECT_EQ(newest_turn(store, agent, 1)->id, next.id);
    first.ended_at = 0;
    EXPECT_THROW(save(store, first), base::Error) << "re-opening is bound by it too";
}

TEST(Turns, are_found_by_their_key) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    Turn turn = add_turn(store, agent);
    turn.idempotency_key = "nightly-1";
    turn.ended_at = 1;
    save(store, turn);
    EXPECT_EQ(find_turn_by_key(store, agent, "nightly-1")->id, turn.id);
    EXPECT_FALSE(find_turn_by_key(store, agent, ""));
    EXPECT_FALSE(find_turn_by_key(store, add_agent(store, "bob"), "nightly-1"));
    Turn again = add_turn(store, agent);
    again.idempotency_key = "nightly-1";
    EXPECT_THROW(save(store, again), base::Error);
}

TEST(Turns, count_for_the_agent) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const Turn turn = add_turn(store, agent);
    in_transaction(store, [&] { count_turn(store, turn, 1234); });
    EXPECT_EQ(find_agent(store, agent)->turn_count, 1);
    EXPECT_EQ(find_agent(store, agent)->last_activity, 1234);
}

TEST(Turns, states_have_their_wire_names) {
    EXPECT_EQ(name(TurnState::starting), "starting");
    EXPECT_EQ(name(TurnState::prompt), "prompt");
    EXPECT_EQ(name(TurnState::unknown), "unknown");
}

TEST(Steps, come_back_in_order) {
    const Home home;
    Store store = home.open();
    const Turn turn = add_turn(store, add_agent(store, "ada"));
    in_transaction(store, [&] {
        insert_step(
            store,
            {.turn_id = turn.id, .step_number = 2, .description = "second", .started_at = 3});
        insert_step(store, {.turn_id = turn.id,
                            .step_number = 1,
                            .description = "first",
                            .started_at = 1,
                            .ended_at = 3,
                            .duration_ms = 2});
    });
    const auto steps = load_steps(store, turn.id);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].description, "first");
    EXPECT_EQ(steps[0].duration_ms, 2);
    EXPECT_EQ(steps[1].ended_at, 0);
}

TEST(Turns, at_work_are_those_of_every_agent_that_have_a_process) {
    const Home home;
    Store store = home.open();
    EXPECT_TRUE(turns_at_work(store).empty());
    const AgentId ada = add_agent(store, "ada");
    const AgentId bob = add_agent(store, "bob");
    Turn suspended = add_turn(store, ada);
    suspended.state = TurnState::prompt;
    suspended.pid = 0;
    Turn working = add_turn(store, bob);
    working.pid = 17;
    working.pid_start = 3;
    save(store, suspended);
    save(store, working);
    const auto found = turns_at_work(store);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].agent_id, bob);
    EXPECT_EQ(found[0].pid, 17);
    EXPECT_EQ(found[0].pid_start, 3);
    working.ended_at = 5;
    save(store, working);
    EXPECT_TRUE(turns_at_work(store).empty());
}

TEST(Turns, newest_of_each_thread) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    EXPECT_TRUE(newest_turns(store, ada).empty());
    Thread second;
    second.agent_id = ada;
    second.id = 0;
    in_transaction(store, [&] { insert_thread(store, second); });
    const AgentId bob = add_agent(store, "bob");
    for (const ThreadId thread : {2, 1, 1, 2}) {
        Turn turn = add_turn(store, ada, thread);
        turn.ended_at = 9;
        save(store, turn);
    }
    add_turn(store, bob);
    const auto found = newest_turns(store, ada);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].thread_id, 1);
    EXPECT_EQ(found[0].turn_number, 2);
    EXPECT_EQ(found[0].id, 3);
    EXPECT_EQ(found[1].thread_id, 2);
    EXPECT_EQ(found[1].id, 4);
}

}  // namespace
}  // namespace chorus::store
