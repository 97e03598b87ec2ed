#include "store/messages.hpp"

#include <algorithm>
#include <chrono>

#include "home.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::vector<std::int64_t> ids(const std::vector<chat::Message>& messages) {
    std::vector<std::int64_t> result;
    for (const chat::Message& message : messages) result.push_back(message.id);
    return result;
}

using Ids = std::vector<std::int64_t>;

Ids window(Store& store, AgentId agent, const WindowBounds& bounds, ThreadId thread = 1) {
    return ids(load_window(store, agent, thread, bounds));
}

Ids search(Store& store, std::string_view query) {
    in_transaction(store, [&] { index_waiting(store); });
    Statement statement =
        store.prepare("SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid");
    statement.bind(query);
    Ids found;
    while (statement.step()) found.push_back(statement.integer(0));
    return found;
}

chat::Message assistant_message() {
    chat::Message message;
    message.role = chat::Role::assistant;
    message.content = "I will look.";
    message.tool_calls = {{"call_1", "bash", R"({"command":"echo \"föö\"\nmake zebra"})"},
                          {"call_2", "view", "{mal formed"}};
    message.opaque =
        chat::Opaque{"anthropic", "opus", R"([{"type":"thinking","signature":"a/b+c=="}])"};
    message.timestamp = 11;
    return message;
}

// C-20, C-21, C-22, C-23
TEST(Messages, come_back_as_they_were_said) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const AgentId other = add_agent(store, "bob");
    const Turn turn = add_turn(store, agent);
    chat::Message question = user_message("what?", 10, turn.id);
    question.starts_turn = true;
    question.status = "thread 2: running";
    chat::Message answer = assistant_message();
    chat::Message result = user_message("no such file", 12, turn.id);
    result.role = chat::Role::tool_result;
    result.tool_call_id = "call_1";
    result.is_error = true;
    std::vector<chat::Message> said{question, answer, result};
    for (chat::Message& message : said) message.id = add_message(store, agent, message);
    add_message(store, other, user_message("not hers", 10));
    EXPECT_EQ(load_messages_after(store, agent, 1, 0), said);
    EXPECT_EQ(load_messages_after(store, agent, 1, said[0].id),
              std::vector(said.begin() + 1, said.end()));
    EXPECT_EQ(ids(load_turn_messages(store, turn.id)), (Ids{said[0].id, said[2].id}));
    EXPECT_EQ(newest_message_id(store, agent, 1), said[2].id);
    EXPECT_EQ(newest_message_id(store, agent, 2), 0);
}

TEST(Messages, hold_any_text) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    std::string controls;
    for (char c = 1; c < 32; ++c) controls += c;
    std::string long_text;
    while (long_text.size() < (1U << 20)) long_text += "zeile 𝄞 \xef\xbf\xbd\n";
    for (const std::string& text :
         {std::string(), controls, std::string("'; DROP TABLE messages; --"),
          std::string("日本語 \xe2\x80\xae rtl \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80"),
          std::string("%s ?1 :x \"\\"), long_text}) {
        const std::int64_t id = add_message(store, agent, user_message(text, 1));
        EXPECT_EQ(load_messages_after(store, agent, 1, id - 1).at(0).content, text);
    }
}

TEST(Messages, are_never_older_than_the_one_before) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    for (const base::TimeMs time : {1000, 400, 1000, 999, 1001})
        add_message(store, agent, user_message("x", time));
    std::vector<base::TimeMs> times;
    for (const chat::Message& message : load_messages_after(store, agent, 1, 0))
        times.push_back(message.timestamp);
    EXPECT_EQ(times, (std::vector<base::TimeMs>{1000, 1000, 1000, 1000, 1001}));
    EXPECT_EQ(find_agent(store, agent)->last_activity, 1001);
    EXPECT_EQ(window(store, agent, {.after_time = 999}).size(), 5U)
        << "a clock that steps back hides nothing";
}

TEST(Messages, share_their_agents_clock_over_threads) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    Thread second;
    second.agent_id = agent;
    second.id = 2;
    in_transaction(store, [&] { insert_thread(store, second); });
    add_message(store, agent, user_message("one", 500));
    add_message(store, agent, user_message("two", 100), 2);
    EXPECT_EQ(load_messages_after(store, agent, 2, 0).at(0).timestamp, 500);
}

TEST(Messages, need_an_agent_and_a_thread) {
    const Home home;
    Store store = home.open();
    EXPECT_EQ(error_of([&] { add_message(store, 7, user_message("x", 1)); }).code(),
              base::ErrorCode::not_found);
    const AgentId agent = add_agent(store, "ada");
    EXPECT_THROW(add_message(store, agent, user_message("x", 1), 2), base::Error);
}

TEST(Messages, keep_the_hash_of_the_request_up_to_them) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const std::int64_t id = add_message(store, agent, user_message("x", 1));
    EXPECT_EQ(prefix_hash_of(store, id), "");
    in_transaction(store, [&] { set_prefix_hash(store, id, "abc"); });
    EXPECT_EQ(prefix_hash_of(store, id), "abc");
    EXPECT_EQ(prefix_hash_of(store, 99), "");
}

TEST(Messages, ids_are_not_given_twice) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const std::int64_t id = add_message(store, agent, user_message("x", 1));
    in_transaction(store, [&] { delete_message(store, id); });
    const std::int64_t second = add_message(store, agent, user_message("y", 1));
    EXPECT_EQ(second, id + 1);
    // an older one that goes changes nothing
    add_message(store, agent, user_message("z", 1));
    in_transaction(store, [&] { delete_message(store, second); });
    EXPECT_EQ(add_message(store, agent, user_message("z", 1)), id + 3);
}

TEST(Messages, are_found_by_who_said_what) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const std::int64_t question = add_message(store, agent, user_message("Wo ist das Café?", 1));
    const std::int64_t answer = add_message(store, agent, assistant_message());
    chat::Message output = user_message("zebra: command not found", 3);
    output.role = chat::Role::tool_result;
    output.tool_call_id = "call_1";
    const std::int64_t result = add_message(store, agent, output);
    EXPECT_EQ(search(store, "cafe"), Ids{question});
    EXPECT_EQ(search(store, "answer : look"), Ids{answer});
    EXPECT_EQ(search(store, "zebra"), (Ids{answer, result}));
    EXPECT_EQ(search(store, "arguments : make"), Ids{answer}) << "an escaped newline ends no word";
    EXPECT_EQ(search(store, "arguments : (bash AND foo AND mal AND formed)"), Ids{answer});
    EXPECT_EQ(search(store, "output : zebra"), Ids{result});
    EXPECT_EQ(search(store, "prompt : zebra"), Ids{});
    Statement snippet = store.prepare(
        "SELECT snippet(messages_fts, -1, '[', ']', '…', 8) FROM messages_fts WHERE messages_fts "
        "MATCH 'zebra' "
        "ORDER BY rowid");
    ASSERT_TRUE(snippet.step());
    EXPECT_NE(snippet.text(0).find("make [zebra]"), std::string::npos) << snippet.text(0);
}

TEST(Messages, are_indexed_as_the_view_shows_them) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const std::int64_t id = add_message(store, agent, assistant_message());
    add_message(store, agent, user_message("zebra", 2));
    in_transaction(store, [&] {
        index_waiting(store);
        execute(store.handle(),
                "INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')");
        // takes out exactly the words it is given: a wrong one would stay
        store
            .prepare(
                "INSERT INTO messages_fts (messages_fts, rowid, prompt, answer, arguments, output) "
                "SELECT 'delete', id, prompt, answer, arguments, output FROM searchable WHERE id = "
                "?")
            .bind(id)
            .run();
    });
    EXPECT_EQ(search(store, "zebra"), Ids{id + 1});
    EXPECT_EQ(search(store, "look OR make OR formed"), Ids{});
    in_transaction(store, [&] {
        execute(store.handle(),
                "INSERT INTO messages_fts (messages_fts) VALUES ('delete-all');"
                "INSERT INTO messages_fts (rowid, prompt, answer, arguments, output) "
                "SELECT id, prompt, answer, arguments, output FROM searchable");
    });
    EXPECT_EQ(search(store, "zebra"), (Ids{id, id + 1}));
}

// C-24, C-25, C-29, C-30, C-37
// C-05
TEST(Window, begins_strictly_after_its_bounds) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    for (const base::TimeMs time : {100, 200, 300, 400})
        add_message(store, agent, user_message("x", time));
    EXPECT_EQ(window(store, agent, {}), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(window(store, agent, {.after_message = 2}), (Ids{3, 4}));
    EXPECT_EQ(window(store, agent, {.after_time = 300}), (Ids{4}));
    EXPECT_EQ(window(store, agent, {.after_time = 299}), (Ids{3, 4}));
    EXPECT_EQ(window(store, agent, {.after_message = 3, .after_time = 150}), (Ids{4}));
    EXPECT_EQ(window(store, agent, {.after_message = 1, .after_time = 350}), (Ids{4}));
    EXPECT_EQ(window(store, agent, {.after_message = 4}), Ids{});
    EXPECT_EQ(window(store, agent, {.after_time = 400}), Ids{});
    EXPECT_EQ(load_messages_after(store, agent, 1, 0).size(), 4U);
}

// C-31
TEST(Window, keeps_what_was_said_in_the_millisecond_of_a_clear) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const std::int64_t before = add_message(store, agent, user_message("before", 1000));
    in_transaction(store, [&] { advance_clear(store, agent, 1000, before); });
    const std::int64_t after = add_message(store, agent, user_message("after", 1000));
    EXPECT_EQ(
        window(store, agent,
               {.after_message = find_agent(store, agent)->last_clear_message, .after_time = 900}),
        Ids{after});
}

TEST(Window, is_of_one_thread) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    Thread second;
    second.agent_id = agent;
    second.id = 2;
    in_transaction(store, [&] { insert_thread(store, second); });
    for (int i = 0; i < 6; ++i)
        add_message(store, agent, user_message("x", 10 * i + 10), i % 2 + 1);
    EXPECT_EQ(window(store, agent, {.after_time = 10}), (Ids{3, 5}));
    EXPECT_EQ(window(store, agent, {.after_time = 10}, 2), (Ids{2, 4, 6}));
}

TEST(Window, holds_the_whole_open_turn_whatever_its_age) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    add_message(store, agent, user_message("old", 10));
    const Turn turn = add_turn(store, agent);
    for (const base::TimeMs time : {20, 30})
        add_message(store, agent, user_message("open", time, turn.id));
    add_message(store, agent, user_message("no turn", 40));
    add_message(store, agent, user_message("open", 50, turn.id));
    EXPECT_EQ(window(store, agent, {.after_message = 4, .open_turn = turn.id}), (Ids{2, 3, 5}));
    EXPECT_EQ(window(store, agent, {.after_time = 25, .open_turn = turn.id}), (Ids{2, 3, 4, 5}));
    EXPECT_EQ(window(store, agent, {.after_time = 1000, .open_turn = turn.id}), (Ids{2, 3, 5}));
    EXPECT_EQ(window(store, agent, {.open_turn = turn.id}), (Ids{1, 2, 3, 4, 5}));
}

void fill(Store& store, AgentId agent, std::int64_t rows) {
    in_transaction(store, [&] {
        store
            .prepare(
                "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE "
                "n < ?) "
                "INSERT INTO messages (agent_id, thread_id, role, timestamp, content) "
                "SELECT ?, 1, 'user', n, 'a message of some words' FROM numbers")
            .bind(rows)
            .bind(agent)
            .run();
    });
}

double fastest_load_us(Store& store, AgentId agent, base::TimeMs after_time) {
    using Clock = std::chrono::steady_clock;
    double fastest = 1e9;
    for (int i = 0; i < 60; ++i) {
        const auto began = Clock::now();
        const auto messages = load_window(store, agent, 1, {.after_time = after_time});
        fastest = std::min(fastest,
                           std::chrono::duration<double, std::micro>(Clock::now() - began).count());
        EXPECT_EQ(messages.size(), 200U);
    }
    return fastest;
}

TEST(Window, costs_what_it_holds_among_a_million) {
    const Home home;
    Store store = home.open();
    const AgentId few = add_agent(store, "ada");
    const AgentId many = add_agent(store, "bob");
    fill(store, few, 200);
    const double alone_us = fastest_load_us(store, few, 0);
    fill(store, many, 1'000'000);
    const double among_us = fastest_load_us(store, many, 999'800);
    EXPECT_LT(among_us, 3 * alone_us)
        << alone_us << " us alone, " << among_us << " us among a million";
    EXPECT_LT(fastest_load_us(store, few, 0), 3 * alone_us);
}

TEST(Messages, that_were_rewound_are_seen_by_a_fork_of_the_time_before) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const auto say = [&](base::TimeMs at) {
        return add_message(store, agent, user_message("x", at));
    };
    for (base::TimeMs at = 1; at <= 4; ++at) say(at);
    EXPECT_EQ(in_transaction(store, [&] { return rewind_messages(store, agent, 1, 3); }), 2);
    EXPECT_EQ(say(5), 5);
    EXPECT_EQ(say(6), 6);
    EXPECT_EQ(in_transaction(store, [&] { return rewind_messages(store, agent, 1, 6); }), 1);
    EXPECT_EQ(in_transaction(store, [&] { return rewind_messages(store, agent, 1, 6); }), 0);
    EXPECT_EQ(window(store, agent, {}), (Ids{1, 2, 5}));
    const auto at = [&](std::int64_t message, const WindowBounds& bounds = {}) {
        return ids(load_window_at(store, agent, 1, message, bounds));
    };
    EXPECT_EQ(at(2), (Ids{1, 2}));
    EXPECT_EQ(at(4), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(at(5), (Ids{1, 2, 5}));
    EXPECT_EQ(at(6), (Ids{1, 2, 5, 6}));
    EXPECT_EQ(at(6, {.after_message = 1}), (Ids{2, 5, 6}));
    EXPECT_EQ(at(6, {.after_time = 2}), (Ids{5, 6}));
    EXPECT_TRUE(find_message(store, 4)->left_out);
    EXPECT_FALSE(find_message(store, 5)->left_out);
    EXPECT_FALSE(find_message(store, 7));
}

TEST(Messages, that_were_dropped_or_compacted_are_seen_as_they_were) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const Turn turn = add_turn(store, agent);
    for (base::TimeMs at = 1; at <= 3; ++at)
        add_message(store, agent, user_message("x", at, turn.id));
    in_transaction(store, [&] { drop_messages(store, turn.id, 3); });
    add_message(store, agent, user_message("stands for 1 and 2", 4));
    in_transaction(store, [&] {
        store.prepare("UPDATE messages SET compacted_into = 4 WHERE id <= 2").run();
        store.prepare(R"(UPDATE messages SET extra = '{"compaction":true}' WHERE id = 4)").run();
    });
    EXPECT_EQ(ids(load_window_at(store, agent, 1, 2, {})), (Ids{1, 2}));
    EXPECT_EQ(ids(load_window_at(store, agent, 1, 3, {})), (Ids{1, 2}));
    EXPECT_EQ(ids(load_window_at(store, agent, 1, 4, {})), (Ids{4}));
    EXPECT_EQ(in_transaction(store, [&] { return rewind_messages(store, agent, 1, 3); }), 0);
    EXPECT_EQ(window(store, agent, {}), (Ids{4}));
}

TEST(Messages, are_copied_with_all_that_a_request_needs) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    chat::Message question = user_message("what zebra?", 10);
    question.starts_turn = true;
    question.status = "thread 2: running";
    const chat::Message answer = assistant_message();
    const std::int64_t first = add_message(store, agent, question);
    const std::int64_t second = add_message(store, agent, answer);
    Thread thread;
    thread.agent_id = agent;
    thread.id = 0;
    const Turn turn = in_transaction(store, [&] {
        thread = insert_thread(store, thread);
        Turn made;
        made.agent_id = agent;
        made.thread_id = thread.id;
        insert_turn(store, made);
        return made;
    });
    std::vector<chat::Message> copies = in_transaction(store, [&] {
        copy_message(store, first, agent, thread.id, 0, 500);
        copy_message(store, second, agent, thread.id, turn.id, 500);
        return load_window(store, agent, thread.id, {});
    });
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(copies[0].timestamp, 500);
    EXPECT_EQ(copies[1].turn_id, turn.id);
    EXPECT_EQ(find_message(store, copies[1].id)->original, second);
    for (chat::Message& copy : copies) copy.id = copy.turn_id = 0;
    copies[0].timestamp = question.timestamp;
    copies[1].timestamp = answer.timestamp;
    EXPECT_EQ(copies, (std::vector{question, answer}));
    // as people read it, and found once
    EXPECT_EQ(load_messages_after(store, agent, thread.id, 0).at(0).timestamp, 10);
    EXPECT_EQ(search(store, "zebra"), (Ids{first, second}));
    const std::int64_t again =
        in_transaction(store, [&] { return copy_message(store, second + 1, agent, 1, 0, 600); });
    EXPECT_EQ(find_message(store, again)->original, first);
    EXPECT_EQ(load_messages_after(store, agent, 1, again - 1).at(0).timestamp, 10);
}

// As many as load_window gives, whatever the bounds.
TEST(Window, is_counted_as_it_is_loaded) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    const Turn turn = add_turn(store, ada);
    for (int i = 1; i <= 10; ++i)
        add_message(store, ada, user_message("m", 100 * i, i < 4 ? turn.id : 0));
    in_transaction(store, [&] { rewind_messages(store, ada, 1, 10); });
    for (const WindowBounds& bounds :
         {WindowBounds{}, WindowBounds{4, 0, 0}, WindowBounds{0, 500, 0},
          WindowBounds{0, 500, turn.id}, WindowBounds{2, 0, turn.id}, WindowBounds{0, 9999, 0}})
        EXPECT_EQ(count_window(store, ada, 1, bounds),
                  static_cast<std::int64_t>(load_window(store, ada, 1, bounds).size()))
            << bounds.after_message << " " << bounds.after_time;
    EXPECT_EQ(count_window(store, ada, 1, {0, 500, turn.id}), 7);
    EXPECT_EQ(count_window(store, ada, 2, {}), 0);
}

}  // namespace
}  // namespace chorus::store
