#include "store/usage.hpp"

#include "home.hpp"
#include "store/sessions.hpp"

namespace chorus::store {
namespace {

constexpr base::TimeMs day = 86'400'000;

class UsageTest : public testing::Test {
  protected:
    void turn(AgentId agent, base::TimeMs at, std::int64_t tokens, const std::string& model,
              double usd = -1) {
        in_transaction(store, [&] {
            Turn turn;
            turn.agent_id = agent;
            turn.started_at = at;
            turn.ended_at = at + 5;
            turn.model = model;
            turn.usage = {tokens, 1, 2, 3};
            turn.cost_usd = usd;
            insert_turn(store, turn);
        });
    }
    void session(AgentId agent, const std::string& id, base::TimeMs from, base::TimeMs to) {
        Session session;
        session.id = id;
        session.agent_id = agent;
        session.description = "about " + id;
        session.saved_at = to + 1;
        session.window_start = from;
        session.window_end = to;
        in_transaction(store, [&] { insert_session(store, session); });
    }
    std::string rows(const UsageFilter& filter) {
        std::string text;
        for (const UsageRow& row : load_usage(store, filter))
            text += row.key + ":" + std::to_string(row.turns) + "/" +
                    std::to_string(row.usage.input_tokens) + " ";
        return text;
    }

    Home home;
    Store store = home.open();
    AgentId ada = add_agent(store, "ada");
    AgentId bob = add_agent(store, "bob");
};

TEST_F(UsageTest, is_added_up_by_day_agent_and_model) {
    turn(ada, 10, 100, "p/x", 0.5);
    turn(ada, day + 10, 20, "p/y");
    turn(bob, day + 20, 3, "p/x", 0.25);
    EXPECT_EQ(rows({}), "1970-01-01:1/100 1970-01-02:2/23 ");
    EXPECT_EQ(rows({.by = UsageBy::agent}), "ada:2/120 bob:1/3 ");
    EXPECT_EQ(rows({.by = UsageBy::model}), "p/x:2/103 p/y:1/20 ");
    EXPECT_EQ(rows({.agent = "ada"}), "1970-01-01:1/100 1970-01-02:1/20 ");
    EXPECT_EQ(rows({.since = 11, .until = day + 20}), "1970-01-02:1/20 ");
    EXPECT_EQ(rows({.agent = "nobody"}), "");
}

TEST_F(UsageTest, knows_dollars_where_a_price_was_known) {
    turn(ada, 10, 100, "p/x", 0.5);
    turn(ada, 20, 20, "p/y");
    const auto by_model = load_usage(store, {.by = UsageBy::model});
    ASSERT_EQ(by_model.size(), 2U);
    EXPECT_EQ(by_model[0].priced_turns, 1);
    EXPECT_DOUBLE_EQ(by_model[0].cost_usd, 0.5);
    EXPECT_EQ(by_model[1].priced_turns, 0);
    const UsageRow total = total_of(by_model);
    EXPECT_EQ(total.turns, 2);
    EXPECT_EQ(total.priced_turns, 1);
    EXPECT_DOUBLE_EQ(total.cost_usd, 0.5);
    EXPECT_EQ(total.usage, (chat::Usage{120, 2, 4, 6}));
}

TEST_F(UsageTest, counts_a_turn_in_the_first_session_that_held_it) {
    turn(ada, 100, 1, "m");
    turn(ada, 200, 10, "m");
    turn(ada, 300, 100, "m");
    turn(bob, 110, 1'000, "m");
    // the turn's row is made a moment before its first message
    session(ada, "first", 101, 250);
    session(ada, "second", 101, 350);
    EXPECT_EQ(rows({.by = UsageBy::session}), "first:2/11 second:1/100 :1/1000 ");
    EXPECT_EQ(load_usage(store, {.by = UsageBy::session})[0].label, "about first");
}

}  // namespace
}  // namespace chorus::store
