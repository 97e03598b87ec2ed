#include "store/text_index.hpp"

#include <algorithm>

#include "home.hpp"
#include "store/search.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

using Ids = std::vector<std::int64_t>;

class TextIndexTest : public testing::Test {
  protected:
    std::int64_t say(const std::string& text, base::TimeMs time = 1) {
        return add_message(store, ada, user_message(text, time));
    }
    std::int64_t indexed() const {
        return query_integer(store.handle(), "SELECT count(*) FROM messages_fts_docsize");
    }
    Ids find(const std::string& text, std::int64_t most = 100) {
        Ids ids;
        for (const Found& found : search_messages(store, {.text = text, .most = most}))
            ids.push_back(found.id);
        return ids;
    }
    Ids found_in_order_of_id(const std::string& text) {
        Ids ids = find(text);
        std::sort(ids.begin(), ids.end());
        return ids;
    }

    Home home;
    Store store = home.open();
    AgentId ada = add_agent(store, "ada");
};

TEST_F(TextIndexTest, is_written_once_for_a_batch_and_search_finds_what_waits) {
    Ids said;
    for (int i = 1; i < index_batch; ++i) {
        said.push_back(say("zebra " + std::to_string(i), i));
        ASSERT_EQ(indexed(), 0) << i;
    }
    EXPECT_EQ(found_in_order_of_id("zebra"), said);
    said.push_back(say("zebra", 100));
    ASSERT_EQ(said.back() % index_batch, 0);
    EXPECT_EQ(indexed(), index_batch);
    EXPECT_EQ(found_in_order_of_id("zebra"), said);
    said.push_back(say("zebra", 101));
    EXPECT_EQ(indexed(), index_batch);
    EXPECT_EQ(found_in_order_of_id("zebra"), said);
}

TEST_F(TextIndexTest, of_both_the_best_comes_first) {
    for (int i = 1; i <= index_batch; ++i) say(i == 1 ? "one zebra among many words" : "nothing");
    say("zebra and a great many other words that say nothing of animals at all, and then some "
        "more");
    const std::int64_t best = say("zebra zebra");
    EXPECT_EQ(find("zebra"), (Ids{best, 1, best - 1}));
    EXPECT_EQ(find("zebra", 1), Ids{best});
}

TEST_F(TextIndexTest, holds_a_large_message_at_once) {
    const std::int64_t large = say("zebra " + std::string(most_waiting_bytes, 'x'));
    EXPECT_EQ(indexed(), 1);
    chat::Message call;
    call.role = chat::Role::assistant;
    call.tool_calls = {{"c", "bash", std::string(most_waiting_bytes, 'y') + " zebra"}};
    const std::int64_t called = add_message(store, ada, call);
    EXPECT_EQ(indexed(), 2);
    EXPECT_EQ(found_in_order_of_id("zebra"), (Ids{large, called}));
    in_transaction(store, [&] { index_waiting(store); });
    EXPECT_EQ(indexed(), 2) << "none is there twice";
    EXPECT_EQ(found_in_order_of_id("zebra"), (Ids{large, called}));
}

TEST_F(TextIndexTest, passes_over_copies) {
    const std::int64_t one = say("zebra");
    for (int i = 2; i <= index_batch; ++i)
        in_transaction(store, [&] { copy_message(store, one, ada, 1, 0, i); });
    EXPECT_EQ(indexed(), 1) << "the batch was full with a copy";
    in_transaction(store, [&] { copy_message(store, one, ada, 1, 0, 100); });
    EXPECT_EQ(find("zebra"), Ids{one});
}

TEST_F(TextIndexTest, forgets_what_is_deleted_whether_it_waits_or_not) {
    const std::int64_t large = say("zebra " + std::string(most_waiting_bytes, 'x'));
    const std::int64_t small = say("zebra");
    for (const std::int64_t id : {large, small})
        in_transaction(store, [&] { delete_message(store, id); });
    EXPECT_EQ(indexed(), 0);
    EXPECT_EQ(find("zebra"), Ids{});
    in_transaction(store, [&] { index_waiting(store); });
    EXPECT_EQ(find("zebra"), Ids{});
}

TEST_F(TextIndexTest, is_as_before_where_a_batch_is_rolled_back) {
    for (int i = 1; i < index_batch; ++i) say("zebra " + std::to_string(i), i);
    {
        const Transaction transaction(store);
        insert_message(store, ada, 1, user_message("zebra", 1));
        EXPECT_EQ(indexed(), index_batch);
    }
    EXPECT_EQ(indexed(), 0);
    EXPECT_EQ(find("zebra").size(), static_cast<std::size_t>(index_batch) - 1);
    say("zebra", 100);
    EXPECT_EQ(find("zebra").size(), static_cast<std::size_t>(index_batch));
}

TEST_F(TextIndexTest, takes_an_older_database_as_indexed) {
    const std::int64_t one = say("zebra");
    in_transaction(store, [&] { index_waiting(store); });
    execute(store.handle(), std::string(without_imports) + "PRAGMA user_version = 11");
    Store migrated = home.open();
    EXPECT_EQ(query_integer(migrated.handle(), "SELECT value FROM settings WHERE scope = 'search'"),
              one);
}

}  // namespace
}  // namespace chorus::store
