#include "context/import.hpp"

#include <sqlite3.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "context/export.hpp"
#include "context/window.hpp"
#include "store/imports.hpp"
#include "store/messages.hpp"
#include "store/search.hpp"
#include "store/sessions.hpp"
#include "store/sqlite.hpp"
#include "support/scratch.hpp"
#include "sys/clock.hpp"
#include "unit/store/home.hpp"

namespace chorus::context {
namespace {

using chat::Json;
using chat::Role;
using test::put;
using test::says;
using test::text_of;

// A home with an agent, and what is imported into it.
class ImportTest : public testing::Test {
  protected:
    ImportTest() : paths_(home_.directory()), store_(home_.open()) { agent_ = add("ada"); }

    store::Agent add(const std::string& name) {
        store::Agent agent = *store::find_agent(store_, store::add_agent(store_, name));
        agent.dir = "agents/" + name;
        std::filesystem::create_directories(home_.directory() + "/" + agent.dir + "/sessions");
        return agent;
    }
    store::TurnId turn(const store::Agent& agent, bool is_open = false) {
        store::Turn made;
        made.agent_id = agent.id;
        made.model = "anthropic/m";
        made.state = store::TurnState::idle;
        made.usage = {100, 20, 5, 6, 7, 250'000};
        made.started_at = 1000;
        made.ended_at = is_open ? 0 : 2000;
        store::in_transaction(store_, [&] { store::insert_turn(store_, made); });
        return made.id;
    }
    void say(const store::Agent& agent, Role role, const std::string& content,
             store::TurnId turn_id = 0, std::vector<chat::ToolCall> calls = {}) {
        chat::Message message = store::user_message(content, sys::now_ms() - 60'000, turn_id);
        message.role = role;
        message.starts_turn = role == Role::user;
        message.tool_calls = std::move(calls);
        if (role == Role::tool_result) message.tool_call_id = content.substr(0, 2);
        store::add_message(store_, agent.id, message);
    }
    // Two turns, one with a call.
    void talk(const store::Agent& agent) {
        store::TurnId id = turn(agent);
        say(agent, Role::user, "first", id);
        say(agent, Role::assistant, "", id, {{"c1", "view", R"({"path": "x"})"}});
        say(agent, Role::tool_result, "c1 is there", id);
        say(agent, Role::assistant, "seen", id);
        id = turn(agent);
        say(agent, Role::user, "second", id);
        say(agent, Role::assistant, "done", id);
    }
    std::string exported(const store::Agent& agent) {
        ExportRecord record = load_record(store_, agent, {});
        add_sessions(record, store_, paths_);
        return to_jsonl(record, 0);
    }
    Imported import(const store::Agent& agent, const std::string& text) {
        return import_record(store_, paths_, agent, text, "file");
    }
    std::vector<chat::Message> window(const store::Agent& agent) {
        return cut_window(store::load_window(store_, agent.id, 1, {}), {}).messages;
    }
    // What there is of an agent, without what belongs to its home.
    std::vector<std::string> gist(const store::Agent& agent) {
        std::vector<std::string> all;
        for (const auto& stored : store::load_messages(store_, {.agent = agent.id})) {
            std::string line =
                std::to_string(said_at(stored)) + " " + std::to_string(stored.thread);
            for (const chat::ToolCall& call : stored.message.tool_calls)
                line += " " + call.id + call.name + call.arguments;
            all.push_back(line + " " + std::string(chat::name(stored.message.role)) +
                          (stored.message.starts_turn ? "*" : "") + stored.message.tool_call_id +
                          ": " + stored.message.content);
        }
        return all;
    }
    base::Error refused(const std::string& text) {
        const auto before = gist(agent_);
        const base::Error error = test::error_of([&] { import(agent_, text); });
        EXPECT_EQ(gist(agent_), before);
        EXPECT_TRUE(store::list_sessions(store_, agent_.id).empty());
        EXPECT_TRUE(std::filesystem::is_empty(home_.directory() + "/agents/ada/sessions"));
        return error;
    }

    store::Home home_;
    agent::Home paths_;
    store::Store store_;
    store::Agent agent_;
};

// Lines of a file that has one thread, and the last line that fits.
std::string file_of(const std::vector<std::string>& lines, int turns = 0, int messages = 0) {
    std::string text = R"({"type":"agent","schema":"chorus.export/1","origin":"o"})"
                       "\n"
                       R"({"type":"thread","thread_id":1,"branch":"main"})"
                       "\n";
    for (const std::string& line : lines) text += line + "\n";
    return text + R"({"type":"end","threads":1,"turns":)" + std::to_string(turns) +
           R"(,"messages":)" + std::to_string(messages) + R"(,"sessions":0})" + "\n";
}

std::string message_line(int id, const std::string& role, const std::string& more = "") {
    return R"({"type":"message","id":)" + std::to_string(id) + R"(,"thread_id":1,"role":")" + role +
           R"(","timestamp":"2026-02-12T10:30:00Z","content":"m)" + std::to_string(id) + "\"" +
           more + "}";
}

constexpr const char* starts = R"(,"extra":{"starts_turn":true})";
constexpr const char* calls =
    R"(,"tool_calls":[{"id":"a","name":"bash","arguments":"{}"},{"id":"b","name":"bash","arguments":"{}"}])";

TEST_F(ImportTest, WhatWasExportedAndImportedIsTheSameAgain) {
    talk(agent_);
    const store::Agent other = add("ben");
    const Imported imported = import(other, exported(agent_));
    EXPECT_EQ(imported.messages, 6U);
    EXPECT_EQ(imported.turns, 2U);
    EXPECT_TRUE(imported.in_window);
    EXPECT_EQ(gist(other), gist(agent_));
    EXPECT_EQ(window(other).size(), 6U);
    EXPECT_EQ(find_torn(window(other)), "");
    const auto turns = store::list_turns(store_, other.id);
    ASSERT_EQ(turns.size(), 2U);
    EXPECT_EQ(turns[1].turn_number, 2);
    EXPECT_EQ(turns[1].usage, (chat::Usage{100, 20, 5, 6, 7, 250'000}));
    EXPECT_EQ(store::find_agent(store_, other.id)->turn_count, 2);

    const store::Agent third = add("cy");
    EXPECT_EQ(import(third, exported(other)).messages, 6U);
    EXPECT_EQ(gist(third), gist(agent_));
}

TEST_F(ImportTest, NothingIsImportedTwice) {
    talk(agent_);
    const store::Agent other = add("ben");
    const std::string text = exported(agent_);
    import(other, text);
    const Imported again = import(other, text);
    EXPECT_EQ(again.messages, 0U);
    EXPECT_EQ(again.known, 6U);
    EXPECT_EQ(store::list_turns(store_, other.id).size(), 2U);

    say(agent_, Role::user, "third");
    EXPECT_EQ(import(other, exported(agent_)).messages, 1U);
    EXPECT_EQ(gist(other), gist(agent_));

    say(other, Role::user, "fourth");
    const Imported back = import(agent_, exported(other));
    EXPECT_EQ(back.messages, 1U);
    EXPECT_EQ(back.known, 7U);
    EXPECT_EQ(import(agent_, exported(agent_)).messages, 0U);
}

TEST_F(ImportTest, WhereTheAgentHasItsOwnItIsHistory) {
    talk(agent_);
    const store::Agent other = add("ben");
    say(other, Role::user, "mine");
    const Imported imported = import(other, exported(agent_));
    EXPECT_FALSE(imported.in_window);
    ASSERT_EQ(window(other).size(), 1U);
    EXPECT_EQ(window(other)[0].content, "mine");
    EXPECT_EQ(gist(other).size(), 7U);
}

TEST_F(ImportTest, ACallWithoutAResultIsCancelled) {
    const Imported imported = import(
        agent_, file_of({message_line(1, "user", starts), message_line(2, "assistant", calls),
                         message_line(3, "tool_result", R"(,"tool_call_id":"b")"),
                         message_line(4, "user", starts), message_line(5, "assistant", calls)},
                        0, 5));
    EXPECT_EQ(imported.messages, 5U);
    EXPECT_EQ(imported.cancelled, 3U);
    const auto messages = store::load_messages(store_, {.agent = agent_.id});
    std::vector<chat::Message> all;
    for (const auto& stored : messages) all.push_back(stored.message);
    EXPECT_EQ(find_torn(all), "");
    EXPECT_TRUE(all[3].is_error);
    EXPECT_EQ(all[3].tool_call_id, "a");
}

// It is said while its thread's last turn has not ended.
TEST_F(ImportTest, AResultBehindASummaryIsTheCallsResult) {
    const Imported imported = import(
        agent_,
        file_of({message_line(1, "user", starts), message_line(2, "assistant", calls),
                 message_line(3, "tool_result", R"(,"tool_call_id":"b")"),
                 message_line(4, "user", R"(,"extra":{"starts_turn":true,"compaction":true})"),
                 message_line(5, "tool_result", R"(,"tool_call_id":"a")")},
                0, 5));
    EXPECT_EQ(imported.cancelled, 0U);
    std::vector<std::string> kept;
    for (const auto& stored : store::load_messages(store_, {.agent = agent_.id}))
        if (!stored.left_out) kept.push_back(stored.message.content);
    EXPECT_EQ(kept, (std::vector<std::string>{"m1", "m2", "m3", "m4", "m5"}));
}

TEST_F(ImportTest, AResultThatAnswersNothingIsHistory) {
    import(agent_, file_of({message_line(1, "user", starts), message_line(2, "assistant", calls),
                            message_line(3, "tool_result", R"(,"tool_call_id":"a")"),
                            message_line(4, "tool_result", R"(,"tool_call_id":"a")"),
                            message_line(5, "tool_result", R"(,"tool_call_id":"b")"),
                            message_line(6, "tool_result", R"(,"tool_call_id":"x")")},
                           0, 6));
    std::vector<std::string> left_out;
    std::vector<chat::Message> kept;
    for (const auto& stored : store::load_messages(store_, {.agent = agent_.id}))
        if (stored.left_out)
            left_out.push_back(stored.message.content);
        else
            kept.push_back(stored.message);
    EXPECT_EQ(left_out, (std::vector<std::string>{"m4", "m6"}));
    EXPECT_EQ(find_torn(kept), "");
}

TEST_F(ImportTest, NothingOfAnotherHomeActsHere) {
    import(
        agent_,
        file_of(
            {R"({"type":"turn","id":9,"thread_id":1,"state":"working","started_at":"9999-01-01T00:00:00Z","pid":1,"options":"{}","idempotency_key":"k","result":"{}"})",
             R"({"type":"message","id":1,"thread_id":1,"turn_id":9,"role":"user","timestamp":"9999-01-01T00:00:00Z","content":"x","extra":{"status":"s","wire":"[1]","provider":"anthropic","model":"m","starts_turn":true}})"},
            1, 1));
    const auto turn = store::list_turns(store_, agent_.id).at(0);
    EXPECT_EQ(turn.state, store::TurnState::exited);
    EXPECT_NE(turn.ended_at, 0);
    EXPECT_LE(turn.ended_at, sys::now_ms());
    EXPECT_EQ(turn.options + turn.idempotency_key + turn.result, "");
    EXPECT_EQ(turn.pid, 0);
    const auto stored = store::load_messages(store_, {.agent = agent_.id}).at(0);
    EXPECT_FALSE(stored.message.opaque);
    EXPECT_EQ(stored.message.status, "");
    EXPECT_TRUE(stored.message.starts_turn);
    EXPECT_LE(stored.message.timestamp, sys::now_ms());
    EXPECT_EQ(base::iso8601(stored.original_timestamp), "9999-01-01T00:00:00.000Z");
}

TEST_F(ImportTest, ThreadsAreMadeWhereTheyAreMissing) {
    std::filesystem::create_directories(home_.directory() + "/agents/ada/branches/20260212-try");
    std::string text = file_of({});
    const std::string more =
        R"({"type":"thread","thread_id":2,"branch":"20260212-try","summary":"s"})"
        "\n"
        R"({"type":"thread","thread_id":3,"branch":"../../x"})"
        "\n"
        R"({"type":"thread","thread_id":4,"branch":"gone"})"
        "\n";
    const std::size_t end = text.find("{\"type\":\"end\"");
    text = text.substr(0, end) + more +
           R"({"type":"end","threads":4,"turns":0,"messages":0,"sessions":0})";
    import(agent_, text);
    std::vector<std::string> branches;
    for (const store::Thread& thread : store::list_threads(store_, agent_.id))
        branches.push_back(std::to_string(thread.id) + thread.branch + thread.summary);
    EXPECT_EQ(branches, (std::vector<std::string>{"1main", "220260212-trys", "3main", "4main"}));
}

TEST_F(ImportTest, SessionsComeWithTheirFiles) {
    const store::Agent other = add("ben");
    const std::string session =
        R"({"id":"s-1","description":"Fix It","saved_at":"2026-02-12T10:30:00Z","messages":[{"role":"user","content":"x"}]})"
        "\n";
    const std::string path = "agents/ada/sessions/2026-02-12_other.json";
    put(home_.directory() + "/" + path, session);
    store::in_transaction(store_, [&] {
        store::Session row;
        row.id = "s-1";
        row.agent_id = agent_.id;
        row.file_path = path;
        store::insert_session(store_, row);
    });
    // what an import that was killed left
    put(home_.directory() + "/agents/ben/sessions/2026-02-12_fix-it.json", session);
    const std::string text = exported(agent_);
    EXPECT_EQ(import(other, text).sessions, 1U);
    EXPECT_EQ(import(other, text).sessions, 0U);
    const auto rows = store::list_sessions(store_, other.id);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].description, "Fix It");
    EXPECT_EQ(rows[0].message_count, 1);
    EXPECT_EQ(rows[0].file_path, "agents/ben/sessions/2026-02-12_fix-it.json");
    EXPECT_EQ(text_of(home_.directory() + "/" + rows[0].file_path), session);
}

TEST_F(ImportTest, AFileThatWasCutOffIsRefusedWherever) {
    const store::Agent other = add("ben");
    talk(other);
    const std::string text = exported(other);
    for (std::size_t size = 0; size + 1 < text.size(); size += 7)
        ASSERT_EQ(refused(text.substr(0, size)).code(), base::ErrorCode::bad_request) << size;
    const std::string without_end = text.substr(0, text.rfind("{\"type\":\"end\""));
    EXPECT_TRUE(says(refused(without_end), "it was cut off"));
}

TEST_F(ImportTest, EveryRefusalNamesItsLine) {
    const auto at = [](int line, const std::string& why) {
        return "file: line " + std::to_string(line) + ": " + why;
    };
    struct Case {
        std::string text;
        std::string error;
    };
    const std::string session =
        R"({"type":"session","id":"s","text":"{\"id\":\"other\",\"messages\":[]}"})";
    const std::vector<Case> cases{
        {"", "file: it is empty"},
        {"not json\n", "file: neither an export nor a transcript"},
        {"[1]\n", "file: neither an export nor a transcript"},
        {"{x}\n", at(1, "not JSON")},
        {R"({"type":"message"})", at(1, "\"id\" is not a whole number")},
        {R"({"type":"thread","thread_id":1})", at(1, "it is not an agent line")},
        {R"({"type":"agent","schema":"chorus.export/2","origin":"o"})",
         at(1, "made by a newer chorus (chorus.export/2")},
        {R"({"type":"agent","schema":"other/1","origin":"o"})", at(1, "\"schema\" is not")},
        {file_of({R"({"type":"nonsense"})"}), at(3, "\"type\" is unknown")},
        {file_of({R"({"type":"agent","schema":"chorus.export/1","origin":"o"})"}),
         at(3, "a second agent line")},
        {file_of({R"({"type":"thread","thread_id":1})"}), at(3, "the thread is given twice")},
        {file_of({R"({"type":"thread","thread_id":0})"}), at(3, "\"thread_id\" is 0")},
        {file_of({message_line(1, "user", R"(,"turn_id":5)")}, 0, 1),
         at(3, "no earlier line describes its turn")},
        {file_of({message_line(2, "user"), message_line(2, "user")}, 0, 2),
         at(4, "its id is not greater")},
        {file_of({message_line(1, "wizard")}, 0, 1), at(3, "\"role\" is unknown")},
        {file_of({message_line(1, "tool_result")}, 0, 1),
         at(3, "\"tool_call_id\" is not a string")},
        {file_of({message_line(1, "assistant", R"(,"tool_calls":{})")}, 0, 1),
         at(3, "\"tool_calls\" is not a list")},
        {file_of(
             {message_line(
                 1, "assistant",
                 R"(,"tool_calls":[{"id":"a","name":"n","arguments":""},{"id":"a","name":"n","arguments":""}])")},
             0, 1),
         at(3, "two calls have the same id")},
        {file_of({message_line(1, "user", R"(,"extra":[])")}, 0, 1), at(3, "not an object")},
        {file_of({message_line(1, "user", R"(,"left_out":"yes")")}, 0, 1),
         at(3, "\"left_out\" is neither")},
        {file_of(
             {R"({"type":"message","id":1,"thread_id":1,"role":"user","timestamp":"soon","content":""})"},
             0, 1),
         at(3, "\"timestamp\" is not a time")},
        {file_of({R"({"type":"message","id":1e300,"thread_id":1})"}, 0, 1),
         at(3, "\"id\" is not a whole number")},
        {file_of({R"({"type":"message","id":18446744073709551615,"thread_id":1})"}, 0, 1),
         at(3, "\"id\" is not a whole number")},
        {file_of(
             {R"({"type":"turn","id":1,"thread_id":1,"state":"idle","started_at":"2026-02-12T10:30:00Z","cost_usd":-1})"},
             1),
         at(3, "\"cost_usd\" is not an amount")},
        {file_of(
             {R"({"type":"turn","id":1,"thread_id":1,"state":"idle","started_at":"2026-02-12T10:30:00Z","usage":{"input_tokens":-5}})"},
             1),
         at(3, "\"input_tokens\" is -5")},
        {file_of({session}), at(3, "the session's id differs")},
        {file_of({R"({"type":"session","id":"s","text":"{}"})"}), at(3, "session: ")},
        {file_of({R"({"type":"session","id":"s","text":"[]"})"}), at(3, "session: ")},
        {file_of({}, 0, 3), at(3, "expected 3 messages, found 0")},
        {file_of({}) + "{}\n", at(4, "\"type\" is not a string")},
        {file_of({}) + message_line(1, "user") + "\n", at(4, "it follows the last line")},
        {file_of({message_line(1, "user", R"(,"content":"\ud800")")}, 0, 1), at(3, "not JSON")},
        {file_of({"\xff"}), at(3, "not JSON")},
        {file_of({std::string(100, '[')}), at(3, "nested deeper")},
    };
    for (const Case& one : cases) {
        const base::Error error = refused(one.text);
        EXPECT_EQ(error.code(), base::ErrorCode::bad_request) << one.text;
        EXPECT_EQ(error.message().substr(0, one.error.size()), one.error) << one.text;
    }
}

TEST_F(ImportTest, ATurnThatIsNotEndedComesFirst) {
    turn(agent_, true);
    const base::Error error = test::error_of([&] { import(agent_, file_of({})); });
    EXPECT_EQ(error.code(), base::ErrorCode::agent_busy);
    EXPECT_TRUE(says(error, "turn 1 of thread 1 has not ended"));
}

TEST_F(ImportTest, WhatWasPackedIsTakenOnce) {
    const agent::Directory directory(home_.directory() + "/agents/ada");
    const auto packed = [&] { return bring_packed(store_, directory, agent_); };
    EXPECT_EQ(packed(), 0U);
    put(directory.path() + "/export.jsonl", file_of({message_line(1, "user", starts)}, 0, 1));
    EXPECT_EQ(packed(), 1U);
    remove_packed(directory);
    EXPECT_EQ(packed(), 0U);
}

// As a process leaves it that is killed after its second part.
void break_off(store::Store& store, store::AgentId agent) {
    store::in_transaction(store, [&] {
        const store::ImportIds ids = store::begin_import(store, agent, 5, 5);
        store::Thread thread;
        thread.agent_id = agent;
        thread.id = 7;
        thread.branch = "main";
        store::insert_imported_thread(store, thread);
        store::Turn turn;
        turn.agent_id = agent;
        turn.thread_id = 7;
        turn.ended_at = 1;
        store::insert_turn(store, turn, ids.next_turn + 2);
        store::StoredMessage copy;
        copy.message = store::user_message("zebra", 1, turn.id);
        copy.thread = 7;
        copy.message.id = ids.next_message + 3;
        store::insert_copy(store, agent, copy);
    });
}

std::int64_t rows(store::Store& store, const std::string& table) {
    store::Statement statement = store.prepare("SELECT count(*) FROM " + table);
    statement.step();
    return statement.integer(0);
}

TEST_F(ImportTest, NobodySeesOneThatIsNotEnded) {
    talk(agent_);
    const auto before = exported(agent_);
    const std::int64_t newest = store::newest_message_id(store_, agent_.id);
    break_off(store_, agent_.id);
    EXPECT_EQ(exported(agent_), before);
    EXPECT_EQ(store::newest_message_id(store_, agent_.id), newest);
    EXPECT_FALSE(store::find_message(store_, newest + 4));
    EXPECT_FALSE(store::find_thread(store_, agent_.id, 7));
    EXPECT_TRUE(store::search_messages(store_, {.text = "zebra"}).empty());
    EXPECT_EQ(store::tally_of(store_, agent_.id, 1).threads, 1);
    // what is said meanwhile, by another agent too, has ids behind it and is seen
    talk(add("ben"));
    EXPECT_GT(turn(agent_), 2 + 5);
    say(agent_, Role::user, "third");
    EXPECT_GT(store::newest_message_id(store_, agent_.id), newest + 5);
    EXPECT_EQ(gist(agent_).size(), 7U);
}

TEST_F(ImportTest, OneThatWasBrokenOffIsMadeAgain) {
    const auto text =
        file_of({message_line(1, "user", starts), message_line(2, "assistant")}, 0, 2);
    break_off(store_, agent_.id);
    EXPECT_EQ(import(agent_, text).messages, 2U);
    EXPECT_EQ(gist(agent_).size(), 2U);
    EXPECT_EQ(rows(store_, "messages"), 2);
    EXPECT_EQ(rows(store_, "messages_fts_docsize"), 2);
    EXPECT_EQ(rows(store_, "turns"), 0);
    EXPECT_EQ(rows(store_, "threads"), 1);
    EXPECT_EQ(rows(store_, "imports"), 0);
    EXPECT_EQ(import(agent_, text).known, 2U);
}

TEST_F(ImportTest, OthersWriteBetweenItsParts) {
    constexpr int count = 2500;
    std::vector<std::string> lines{message_line(1, "user", starts)};
    for (int id = 2; id <= count; ++id) lines.push_back(message_line(id, "assistant"));
    const auto text = file_of(lines, 0, count);
    const store::AgentId other = add("ben").id;
    std::atomic<bool> ended{false};
    std::thread importing([&] {
        store::Store own = home_.open();
        import_record(own, paths_, agent_, text, "file");
        ended = true;
    });
    std::size_t parts = 0;
    int said = 0;
    while (!ended) {
        store::add_message(store_, other, store::user_message("meanwhile", 1));
        if (rows(store_, "imports") > 0 && rows(store_, "messages") > said) ++said;
        const auto seen = store::load_messages(store_, {.agent = agent_.id}).size();
        if (seen != 0 && seen != count) ++parts;
    }
    importing.join();
    EXPECT_EQ(parts, 0U);
    EXPECT_GT(said, 2);
    EXPECT_EQ(gist(agent_).size(), static_cast<std::size_t>(count));
}

// Calls `act` once, before the statement of that number runs.
struct Between {
    int statement;
    std::function<void()> act;
    int seen = 0;

    static int before(unsigned, void* context, void*, void*) {
        auto& self = *static_cast<Between*>(context);
        if (++self.seen == self.statement) self.act();
        return 0;
    }
};

TEST_F(ImportTest, ARecordIsOfOneMomentWhateverIsCommittedMeanwhile) {
    talk(agent_);
    store::Store other = home_.open();
    bool was_reached = true;
    int statement = 1;
    for (; was_reached; ++statement) {
        Between between{statement, [&] {
                            store::in_transaction(other, [&] {
                                store::Turn made;
                                made.agent_id = agent_.id;
                                made.state = store::TurnState::idle;
                                made.ended_at = 1;
                                store::insert_turn(other, made);
                                store::insert_message(other, agent_.id, 1,
                                                      store::user_message("hi", 1, made.id));
                            });
                        }};
        sqlite3_trace_v2(store_.handle(), SQLITE_TRACE_STMT, Between::before, &between);
        const ExportRecord record = load_record(store_, agent_, {});
        sqlite3_trace_v2(store_.handle(), 0, nullptr, nullptr);
        was_reached = between.seen >= statement;
        std::set<store::TurnId> named;
        for (const store::StoredMessage& stored : record.messages)
            named.insert(stored.message.turn_id);
        std::set<store::TurnId> held;
        for (const store::Turn& turn : record.turns) held.insert(turn.id);
        EXPECT_EQ(named, held) << "before statement " << statement;
    }
    EXPECT_GT(statement, 4);
}

}  // namespace
}  // namespace chorus::context
