#include "store/prefixes.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

Prefix prefix(std::int64_t message, const std::string& docs) {
    return {.message_id = message,
            .window_start = 1,
            .model = "m",
            .prompt = "p",
            .docs = docs,
            .project = "a",
            .tools = "t"};
}

TEST(Prefixes, are_kept_where_they_change) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const auto note = [&](const Prefix& one) {
        return in_transaction(store, [&] { return note_prefix(store, agent, 1, one); });
    };
    EXPECT_TRUE(note(prefix(5, "d1")));
    EXPECT_FALSE(note(prefix(7, "d1")));
    EXPECT_TRUE(note(prefix(9, "d2")));
    EXPECT_TRUE(note(prefix(11, "d1")));
    const auto all = load_prefixes(store, agent, 1);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].message_id, 5);
    EXPECT_EQ(all[1].docs, "d2");
    EXPECT_EQ(all[2].message_id, 11);
    EXPECT_TRUE(load_prefixes(store, agent, 2).empty());
}

}  // namespace
}  // namespace chorus::store
