#include "store/checkpoints.hpp"

#include "home.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::int64_t add(Store& store, AgentId agent, TurnId turn, const std::string& tree,
                 bool of_rewind = false) {
    Checkpoint checkpoint{.agent_id = agent,
                          .turn_id = turn,
                          .of_rewind = of_rewind,
                          .made_at = 5,
                          .tree = tree,
                          .problem = tree.empty() ? "none" : "",
                          .store_bytes = 7};
    in_transaction(store, [&] { insert_checkpoint(store, checkpoint); });
    return checkpoint.id;
}

TEST(Checkpoints, are_found_by_the_turn_that_they_come_before) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    const AgentId bob = add_agent(store, "bob");
    EXPECT_FALSE(checkpoint_before(store, ada, 1));
    const auto first = add(store, ada, 3, "x");
    const auto second = add(store, ada, 7, "y");
    add(store, bob, 1, "z");
    EXPECT_EQ(checkpoint_before(store, ada, 1)->id, first);
    EXPECT_EQ(checkpoint_before(store, ada, 3)->tree, "x");
    EXPECT_EQ(checkpoint_before(store, ada, 4)->id, second);
    EXPECT_FALSE(checkpoint_before(store, ada, 8));
    EXPECT_TRUE(has_checkpoint(store, ada, 7));
    EXPECT_FALSE(has_checkpoint(store, ada, 4));
    EXPECT_FALSE(find_checkpoint(store, bob, first));
    EXPECT_EQ(newest_checkpoint(store, ada)->store_bytes, 7);
}

TEST(Checkpoints, that_were_removed_stand_for_no_later_one) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    const auto first = add(store, ada, 1, "x");
    const auto second = add(store, ada, 2, "y");
    in_transaction(store, [&] { remove_checkpoint(store, first, "it was too old"); });
    EXPECT_EQ(checkpoint_before(store, ada, 1)->problem, "it was too old");
    const auto kept = kept_checkpoints(store, ada);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept.front().id, second);
}

TEST(Checkpoints, of_a_rewind_that_was_cut_short_are_told) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    const auto turn = add(store, ada, 1, "x");
    EXPECT_FALSE(first_of_rewind_after(store, ada, turn));
    const auto rewind = add(store, ada, 1, "y", true);
    add(store, ada, 1, "z", true);
    EXPECT_EQ(first_of_rewind_after(store, ada, turn)->id, rewind);
    EXPECT_EQ(newest_checkpoint_of_turn(store, ada), turn);
    add(store, ada, 2, "z");
    EXPECT_FALSE(first_of_rewind_after(store, ada, turn));
}

TEST(Checkpoints, of_turns_that_are_older_than_them_are_not_known) {
    const Home home;
    AgentId ada = 0;
    {
        Store store = home.open();
        ada = add_agent(store, "ada");
        in_transaction(store, [&] {
            Turn turn;
            turn.agent_id = ada;
            insert_turn(store, turn);
        });
        in_transaction(store, [&] {
            execute(store.handle(), std::string(without_imports) +
                                        "DROP TABLE checkpoints; PRAGMA user_version = 10");
        });
    }
    Store store = home.open();
    const auto before = checkpoint_before(store, ada, 1);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->tree, "");
    EXPECT_FALSE(checkpoint_before(store, ada, before->turn_id + 1));
}

}  // namespace
}  // namespace chorus::store
