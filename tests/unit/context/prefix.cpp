#include "context/prefix.hpp"

#include "context/window.hpp"
#include "store/messages.hpp"
#include "store/turns.hpp"
#include "support/scratch.hpp"

namespace chorus::context {
namespace {

// A thread written as turns write it: each message hashed on the one before, the first of a window
// on nothing.
class PrefixTest : public testing::Test {
  protected:
    PrefixTest() {
        store::Transaction transaction(store);
        store::Agent row;
        row.name = "ada";
        agent = store::insert_agent(store, row).id;
        transaction.commit();
    }
    template <typename Work>
    void commit(Work work) {
        store::Transaction transaction(store);
        work();
        transaction.commit();
    }
    std::int64_t say(const std::string& text, bool hashed = true) {
        chat::Message message;
        message.role = chat::Role::assistant;  // so that it is on record what was sent
        message.content = text;
        message.starts_turn = true;
        std::int64_t id = 0;
        commit([&] {
            id = store::insert_message(store, agent, 1, message);
            if (!hashed) return;
            chain = chained_hash(chain, message);
            store::set_prefix_hash(store, id, chain);
        });
        said.push_back(message);
        return id;
    }
    void begin_at(std::size_t first) {
        chain.clear();
        for (std::size_t i = first; i < said.size(); ++i) chain = chained_hash(chain, said[i]);
    }
    void sent(std::int64_t message, std::int64_t start, const std::string& docs = "d",
              const std::string& tools = "t") {
        commit([&] {
            store::note_prefix(store, agent, 1,
                               {.message_id = message,
                                .window_start = start,
                                .model = "m",
                                .prompt = "p",
                                .docs = docs,
                                .project = "",
                                .tools = tools});
        });
    }
    void edit(std::int64_t id, const std::string& text) {
        const std::string command = "sqlite3 '" + (scratch / "chorus.db") +
                                    "' \"UPDATE messages SET content = '" + text +
                                    "' WHERE id = " + std::to_string(id) + "\"";
        ASSERT_EQ(std::system(command.c_str()), 0);
    }
    PrefixReport check() { return check_prefix(store, agent, 1); }

    test::Scratch scratch;
    store::Store store = store::Store::open({scratch / "chorus.db", scratch / "locks/database"});
    store::AgentId agent = 0;
    std::string chain;
    std::vector<chat::Message> said;
};

TEST_F(PrefixTest, of_a_thread_that_only_grew_is_right) {
    EXPECT_EQ(check().broken, 0);
    for (int i = 1; i <= 5; ++i) {
        const auto id = say("m" + std::to_string(i));
        sent(id, 1);
    }
    const PrefixReport report = check();
    EXPECT_EQ(report.broken, 0);
    EXPECT_EQ(report.messages, 5);
    EXPECT_EQ(report.cuts + report.docs + report.tools + report.prompt + report.model, 0);
}

TEST_F(PrefixTest, names_the_first_message_that_is_another_one) {
    for (int i = 1; i <= 5; ++i) sent(say("m" + std::to_string(i)), 1);
    edit(4, "another");
    EXPECT_EQ(check().broken, 4);
    edit(2, "another");
    const PrefixReport report = check();
    EXPECT_EQ(report.broken, 2);
    EXPECT_EQ(report.messages, 1);
}

TEST_F(PrefixTest, may_begin_anew_at_a_cut_and_the_cuts_are_counted) {
    for (int i = 1; i <= 3; ++i) sent(say("m" + std::to_string(i)), 1);
    begin_at(1);
    sent(say("m4"), 2);
    sent(say("m5"), 2);
    begin_at(5);
    sent(say("m6"), 6);
    PrefixReport report = check();
    EXPECT_EQ(report.broken, 0);
    EXPECT_EQ(report.messages, 6);
    EXPECT_EQ(report.cuts, 2);
    edit(2, "another");
    EXPECT_EQ(check().broken, 2);
}

// The limits may cut when the user's message stands already: what is sent first is another window.
TEST_F(PrefixTest, may_begin_anew_behind_the_user_s_message) {
    for (int i = 1; i <= 3; ++i) sent(say("m" + std::to_string(i)), 1);
    const auto asked = say("m4");
    begin_at(2);
    sent(asked, 3);
    say("m5");
    EXPECT_EQ(check().broken, 0);
    EXPECT_EQ(check().cuts, 1);
}

TEST_F(PrefixTest, that_changes_without_a_cut_is_broken) {
    for (int i = 1; i <= 3; ++i) sent(say("m" + std::to_string(i)), 1);
    begin_at(1);
    sent(say("m4"), 1);
    EXPECT_EQ(check().broken, 4);
}

TEST_F(PrefixTest, passes_over_turns_that_keep_no_hash) {
    sent(say("m1"), 1);
    say("fresh", false);
    begin_at(0);
    sent(say("m3"), 1);
    const PrefixReport report = check();
    EXPECT_EQ(report.broken, 0);
    EXPECT_EQ(report.unhashed, 1);
    EXPECT_EQ(report.messages, 2);
}

TEST_F(PrefixTest, passes_over_what_retry_took_back) {
    store::Turn turn;
    turn.agent_id = agent;
    commit([&] { store::insert_turn(store, turn); });
    say("m1");
    const std::string before = chain;
    chat::Message failed;
    failed.turn_id = turn.id;
    failed.content = "half an ans";
    commit([&] {
        const auto id = store::insert_message(store, agent, 1, failed);
        store::set_prefix_hash(store, id, chained_hash(chain, failed));
        store::drop_messages(store, turn.id, id);
    });
    chain = before;
    say("m3");
    EXPECT_EQ(check().broken, 0);
    EXPECT_EQ(check().messages, 2);
}

TEST_F(PrefixTest, counts_the_causes_by_name) {
    sent(say("m1"), 1);
    sent(say("m2"), 1, "d2");
    sent(say("m3"), 1, "d3", "t2");
    sent(say("m4"), 1, "d3", "t2");
    const PrefixReport report = check();
    EXPECT_EQ(report.docs, 2);
    EXPECT_EQ(report.tools, 1);
    EXPECT_EQ(report.cuts, 0);
    EXPECT_EQ(report.project, 0);
}

}  // namespace
}  // namespace chorus::context
