#include "store/ledger.hpp"

#include <unistd.h>

#include "home.hpp"
#include "store/usage.hpp"

namespace chorus::store {
namespace {

constexpr base::TimeMs noon = 43'200'000;

class LedgerTest : public testing::Test {
  protected:
    void SetUp() override {
        setenv("TZ", "UTC0", 1);
        tzset();
        add_turn(store, agent);
    }
    ModelCall reserved(base::TimeMs at, base::MicroUsd cost) {
        ModelCall call{.agent_id = agent, .turn_id = 1, .model = "p/x"};
        call.usage = {100, 50, 0, 0, 0, cost};
        in_transaction(store, [&] { reserve_call(store, call, at); });
        return call;
    }
    void settle(ModelCall call, base::MicroUsd cost) {
        call.state = CallState::settled;
        call.usage = {10, 5, 0, 0, 0, cost};
        in_transaction(store, [&] { settle_call(store, call, 0); });
    }
    std::string day(AgentId of = 0, base::TimeMs now = noon) {
        const Spent spent = spent_on_day(store, of, now);
        return std::to_string(spent.settled.cost) + "+" + std::to_string(spent.reserved.cost);
    }

    Home home;
    Store store = home.open();
    AgentId agent = add_agent(store, "ada");
};

TEST_F(LedgerTest, reserves_then_settles) {
    const ModelCall one = reserved(noon, 1'000);
    const ModelCall other = reserved(noon, 200);
    EXPECT_NE(one.id, other.id);
    EXPECT_EQ(day(), "0+1200");
    settle(one, 30);
    EXPECT_EQ(day(), "30+200");
    in_transaction(store, [&] { release_call(store, other.id); });
    EXPECT_EQ(day(), "30+0");
    EXPECT_EQ(day(agent), "30+0");
    EXPECT_EQ(day(agent + 1), "0+0");
    EXPECT_EQ(day(0, noon + 86'400'000), "0+0");
    const auto rows = load_usage(store, {});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].calls, 1);
    EXPECT_EQ(rows[0].estimated_calls, 0);
    EXPECT_EQ(rows[0].usage, (chat::Usage{10, 5, 0, 0, 0, 30}));
}

TEST_F(LedgerTest, settles_in_full_what_a_killed_process_has_reserved) {
    const std::int64_t own = reserved(noon, 7).id;
    const pid_t child = start_child([&] {
        Store other = home.open();
        ModelCall call{.agent_id = agent, .turn_id = 1, .model = "p/x"};
        call.usage = {100, 50, 0, 0, 0, 1'000};
        in_transaction(other, [&] { reserve_call(other, call, noon); });
    });
    ASSERT_EQ(wait_for(child), 0);
    EXPECT_EQ(day(), "0+1007");
    settle_gone(store);
    EXPECT_EQ(day(), "1000+7");
    EXPECT_EQ(load_usage(store, {})[0].estimated_calls, 1);
    EXPECT_EQ(find_turn(store, 1)->usage, (chat::Usage{100, 50, 0, 0, 0, 1'000}));
    chat::Usage all;
    in_transaction(store, [&] { all = settle_reserved(store, 1); });
    EXPECT_EQ(all, (chat::Usage{200, 100, 0, 0, 0, 1'007}));
    EXPECT_EQ(day(), "1007+0");
    in_transaction(store, [&] { release_call(store, own); });
}

TEST_F(LedgerTest, counts_an_unknown_cost_as_nothing) {
    settle(reserved(noon, base::unknown_cost), base::unknown_cost);
    EXPECT_EQ(day(), "0+0");
    EXPECT_EQ(load_usage(store, {})[0].priced_calls, 0);
}

}  // namespace
}  // namespace chorus::store
