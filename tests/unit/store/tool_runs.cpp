#include "home.hpp"
#include "store/turns.hpp"

namespace chorus::store {
namespace {

TEST(ToolRuns, keep_intent_and_outcome_in_call_order) {
    const Home home;
    Store store = home.open();
    ToolRun run;
    run.turn_id = add_turn(store, add_agent(store, "ada")).id;
    in_transaction(store, [&] {
        for (const auto& [position, id] :
             {std::pair{2, "b"}, std::pair{1, "c"}, std::pair{10, "a"}}) {
            run.position = position;
            run.tool_call_id = id;
            run.tool = "bash";
            run.action = "tool:bash:make";
            insert_tool_run(store, run);
        }
    });
    EXPECT_THROW(in_transaction(store, [&] { insert_tool_run(store, run); }), base::Error);
    run.position = 0;
    run.decision = "ask_approved";
    run.evidence = R"({"before":"x"})";
    run.intent_at = 5;
    run.finished_at = 6;
    run.outcome = "unknown";
    in_transaction(store, [&] { update_tool_run(store, run); });
    const auto runs = load_tool_runs(store, run.turn_id);
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].tool_call_id + runs[1].tool_call_id + runs[2].tool_call_id, "cba");
    EXPECT_EQ(runs[0].intent_at, 0);
    EXPECT_EQ(runs[0].outcome, "");
    EXPECT_EQ(runs[2].position, 10);
    EXPECT_EQ(runs[2].tool, "bash");
    EXPECT_EQ(runs[2].action, "tool:bash:make");
    EXPECT_EQ(runs[2].decision, "ask_approved");
    EXPECT_EQ(runs[2].evidence, R"({"before":"x"})");
    EXPECT_EQ(runs[2].intent_at, 5);
    EXPECT_EQ(runs[2].finished_at, 6);
    EXPECT_EQ(runs[2].outcome, "unknown");
}

TEST(ToolRuns, know_their_outcomes) {
    const Home home;
    Store store = home.open();
    ToolRun run;
    run.turn_id = add_turn(store, add_agent(store, "ada")).id;
    for (const char* outcome :
         {"ok", "error", "denied", "interrupted", "unknown", "cancelled", "expired"}) {
        run.tool_call_id = outcome;
        run.outcome = outcome;
        in_transaction(store, [&] { insert_tool_run(store, run); });
    }
    run.tool_call_id = "x";
    run.outcome = "fine";
    EXPECT_THROW(in_transaction(store, [&] { insert_tool_run(store, run); }), base::Error);
}

TEST(ToolRuns, unfinished_are_those_begun_without_a_result) {
    const Home home;
    Store store = home.open();
    const Turn turn = add_turn(store, add_agent(store, "ada"));
    in_transaction(store, [&] {
        std::int64_t position = 0;
        for (const auto& [intent_at, finished_at] :
             {std::pair{5, 7}, std::pair{6, 0}, std::pair{0, 0}, std::pair{7, 0}}) {
            ToolRun run;
            run.turn_id = turn.id;
            run.position = position++;
            run.tool_call_id = "c" + std::to_string(position);
            run.intent_at = intent_at;
            run.finished_at = finished_at;
            insert_tool_run(store, run);
        }
    });
    const auto runs = unfinished_tool_runs(store, turn.id);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].tool_call_id, "c2");
    EXPECT_EQ(runs[1].tool_call_id, "c4");
}

}  // namespace
}  // namespace chorus::store
