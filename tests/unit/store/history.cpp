#include "store/history.hpp"

#include <chrono>

#include "home.hpp"

namespace chorus::store {
namespace {

using Ids = std::vector<std::int64_t>;

Ids ids_of(Store& store, const MessageFilter& filter) {
    Ids ids;
    for_each_message(store, filter, [&](const StoredMessage& said) {
        ids.push_back(said.message.id);
        return true;
    });
    return ids;
}

Ids turns_of(Store& store, const TurnFilter& filter) {
    Ids ids;
    for_each_turn(store, filter, [&](const Turn& turn) {
        ids.push_back(turn.id);
        return true;
    });
    return ids;
}

Thread thread_of(AgentId agent, ThreadId id) {
    Thread thread;
    thread.agent_id = agent;
    thread.id = id;
    return thread;
}

class History : public testing::Test {
  protected:
    // Ids from 1 at times 10, 20, 30 …, in turn in threads 1, 2 and 3.
    History() {
        in_transaction(store, [&] {
            insert_thread(store, thread_of(agent, 2));
            insert_thread(store, thread_of(agent, 3));
        });
        for (int i = 1; i <= 12; ++i)
            add_message(store, agent, user_message("m" + std::to_string(i), i * 10), 1 + i % 3);
        add_message(store, add_agent(store, "bob"), user_message("not hers", 500));
    }
    Home home;
    Store store = home.open();
    AgentId agent = add_agent(store, "ada");
};

// C-19 C-23
TEST_F(History, gives_what_all_threads_said_in_order) {
    EXPECT_EQ(ids_of(store, {.agent = agent}), (Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .thread = 2}), (Ids{1, 4, 7, 10}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .thread = 9}), Ids{});
    EXPECT_EQ(ids_of(store, {.agent = agent + 7}), Ids{});
}

TEST_F(History, is_narrowed_by_id_time_and_number) {
    EXPECT_EQ(ids_of(store, {.agent = agent, .after = 10}), (Ids{11, 12}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .since = 100}), (Ids{10, 11, 12}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .since = 95, .until = 110}), (Ids{10}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .until = 21}), (Ids{1, 2}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .newest = 2}), (Ids{11, 12}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .until = 51, .newest = 2}), (Ids{4, 5}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .thread = 3, .newest = 2}), (Ids{8, 11}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .after = 11, .newest = 9}), (Ids{12}));
    EXPECT_EQ(ids_of(store, {.agent = agent, .since = 1'000}), Ids{});
    EXPECT_EQ(ids_of(store, {.agent = agent, .since = 1'000, .newest = 3}), Ids{});
}

TEST_F(History, ends_where_its_reader_has_enough) {
    int seen = 0;
    for_each_message(store, {.agent = agent}, [&](const StoredMessage&) { return ++seen < 4; });
    EXPECT_EQ(seen, 4);
}

TEST_F(History, tells_people_s_words_from_all_that_was_said) {
    const Turn turn = add_turn(store, agent);
    chat::Message call;
    call.role = chat::Role::assistant;
    call.turn_id = turn.id;
    call.tool_calls = {{"c1", "bash", "{}"}};
    chat::Message result = user_message("out", 200, turn.id);
    result.role = chat::Role::tool_result;
    result.tool_call_id = "c1";
    chat::Message answer = user_message("done", 200, turn.id);
    answer.role = chat::Role::assistant;
    chat::Message failed = answer;
    add_message(store, agent, call);
    add_message(store, agent, result);
    const std::int64_t said = add_message(store, agent, answer);
    const std::int64_t taken_back = add_message(store, agent, failed);
    in_transaction(store, [&] { drop_messages(store, turn.id, taken_back); });
    const MessageFilter words{.agent = agent, .said = Said::by_people_and_agent, .after = 12};
    EXPECT_EQ(ids_of(store, words), (Ids{said}));
    const MessageFilter all{.agent = agent, .after = 13};
    EXPECT_EQ(ids_of(store, all).size(), 4U);
    EXPECT_EQ(turn_messages(store, turn.id).size(), 4U);
    EXPECT_EQ(turn_messages(store, turn.id).back().left_for, 0);
    EXPECT_EQ(turn_messages(store, turn.id).front().left_for, std::nullopt);
    EXPECT_EQ(turn_messages(store, turn.id).front().message.tool_calls, call.tool_calls);
}

TEST_F(History, has_turns_in_their_order_with_what_began_them) {
    Ids all;
    for (const ThreadId thread : {1, 2, 1}) {
        Turn turn;
        turn.agent_id = agent;
        turn.thread_id = thread;
        turn.started_at = 1'000 * (static_cast<std::int64_t>(all.size()) + 1);
        turn.ended_at = turn.started_at + 1;
        in_transaction(store, [&] { insert_turn(store, turn); });
        all.push_back(turn.id);
    }
    EXPECT_EQ(turns_of(store, {.agent = agent}), all);
    EXPECT_EQ(turns_of(store, {.agent = agent, .thread = 1}), (Ids{all[0], all[2]}));
    EXPECT_EQ(turns_of(store, {.agent = agent, .newest = 2}), (Ids{all[1], all[2]}));
    EXPECT_EQ(turns_of(store, {.agent = agent, .since = 2'000, .until = 3'000}), (Ids{all[1]}));
    EXPECT_EQ(turn_prompt(store, all[0], 10), "");
    add_message(store, agent, user_message("zwölf Boxkämpfer", 999, all[0]));
    add_message(store, agent, user_message("later", 999, all[0]));
    EXPECT_EQ(turn_prompt(store, all[0], 5), "zwölf");
}

}  // namespace
}  // namespace chorus::store
