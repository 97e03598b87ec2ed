#include "store/usage.hpp"

#include "home.hpp"
#include "store/ledger.hpp"
#include "store/sessions.hpp"

namespace chorus::store {
namespace {

constexpr base::TimeMs day = 86'400'000;

class UsageTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("TZ", "UTC0", 1);
        tzset();
    }
    void call(AgentId agent, base::TimeMs at, std::int64_t tokens, const std::string& model,
              base::MicroUsd cost = base::unknown_cost, const std::string& profile = {}) {
        in_transaction(store, [&] {
            Turn turn;
            turn.agent_id = agent;
            turn.started_at = at;
            turn.ended_at = at + 5;
            insert_turn(store, turn);
            settle_call(store,
                        {.agent_id = agent,
                         .turn_id = turn.id,
                         .model = model,
                         .profile = profile,
                         .usage = {tokens, 1, 2, 3, 0, cost}},
                        at);
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
            text += row.key + ":" + std::to_string(row.calls) + "/" +
                    std::to_string(row.usage.input_tokens) + " ";
        return text;
    }

    Home home;
    Store store = home.open();
    AgentId ada = add_agent(store, "ada");
    AgentId bob = add_agent(store, "bob");
};

TEST_F(UsageTest, is_added_up_by_day_agent_model_and_profile) {
    call(ada, 10, 100, "p/x", 500'000, "one");
    call(ada, day + 10, 20, "p/y");
    call(bob, day + 20, 3, "p/x", 250'000, "two");
    EXPECT_EQ(rows({}), "1970-01-01:1/100 1970-01-02:2/23 ");
    EXPECT_EQ(rows({.by = UsageBy::agent}), "ada:2/120 bob:1/3 ");
    EXPECT_EQ(rows({.by = UsageBy::model}), "p/x:2/103 p/y:1/20 ");
    EXPECT_EQ(rows({.by = UsageBy::profile}), ":1/20 one:1/100 two:1/3 ");
    EXPECT_EQ(rows({.agent = "ada"}), "1970-01-01:1/100 1970-01-02:1/20 ");
    EXPECT_EQ(rows({.since = 11, .until = day + 20}), "1970-01-02:1/20 ");
    EXPECT_EQ(rows({.since = day}), "1970-01-02:2/23 ");
    EXPECT_EQ(rows({.until = day}), "1970-01-01:1/100 ");
    EXPECT_EQ(rows({.agent = "nobody"}), "");
}

TEST_F(UsageTest, knows_dollars_where_a_price_was_known) {
    call(ada, 10, 100, "p/x", 500'000, "one");
    call(ada, 20, 20, "p/y");
    const auto by_model = load_usage(store, {.by = UsageBy::model});
    ASSERT_EQ(by_model.size(), 2U);
    EXPECT_EQ(by_model[0].priced_calls, 1);
    EXPECT_EQ(by_model[0].usage.cost, 500'000);
    EXPECT_EQ(by_model[1].priced_calls, 0);
    const UsageRow total = total_of(by_model);
    EXPECT_EQ(total.calls, 2);
    EXPECT_EQ(total.priced_calls, 1);
    EXPECT_EQ(total.usage.cost, 500'000);
    EXPECT_EQ(total.usage, (chat::Usage{120, 2, 4, 6, 0, 500'000}));
}

TEST_F(UsageTest, counts_a_call_in_the_first_session_that_held_it) {
    call(ada, 100, 1, "m");
    call(ada, 200, 10, "m");
    call(ada, 300, 100, "m");
    call(bob, 110, 1'000, "m");
    // the turn's row is made a moment before its first message
    session(ada, "first", 101, 250);
    session(ada, "second", 101, 350);
    EXPECT_EQ(rows({.by = UsageBy::session}), "first:2/11 second:1/100 :1/1000 ");
    EXPECT_EQ(load_usage(store, {.by = UsageBy::session})[0].label, "about first");
}

}  // namespace
}  // namespace chorus::store
