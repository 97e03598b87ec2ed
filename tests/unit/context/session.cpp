#include "context/session.hpp"

#include <sys/stat.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"
#include "context/window.hpp"
#include "store/messages.hpp"
#include "support/scratch.hpp"
#include "sys/clock.hpp"
#include "unit/store/home.hpp"

namespace chorus::context {
namespace {

using chat::Json;
using chat::Message;
using chat::Role;
using store::Transaction;
using test::text_of;

// A home with one agent, and what was said to it.
class SessionTest : public testing::Test {
  protected:
    SessionTest() : paths_(home_.directory()), store_(home_.open()) {
        agent_ = *store::find_agent(store_, store::add_agent(store_, "ada"));
        agent_.dir = "agents/ada";
        std::filesystem::create_directories(directory());
    }

    std::string directory() const { return home_.directory() + "/" + agent_.dir + "/sessions"; }

    store::TurnId turn(const std::string& model, store::ThreadId thread = 1) {
        store::Turn made;
        made.agent_id = agent_.id;
        made.thread_id = thread;
        made.model = model;
        made.state = store::TurnState::working;
        Transaction transaction(store_);
        store::insert_turn(store_, made);
        made.ended_at = 1;
        store::update_turn(store_, made);
        transaction.commit();
        return made.id;
    }

    std::int64_t say(Message message, store::ThreadId thread = 1) {
        if (message.timestamp == 0) message.timestamp = ++now_;
        Transaction transaction(store_);
        const std::int64_t id = store::insert_message(store_, agent_.id, thread, message);
        transaction.commit();
        return id;
    }
    std::int64_t ask(const std::string& text, store::TurnId turn_id = 0,
                     store::ThreadId thread = 1) {
        Message message;
        message.content = text;
        message.starts_turn = true;
        message.turn_id = turn_id;
        return say(message, thread);
    }
    std::int64_t answer(const std::string& text, store::TurnId turn_id = 0) {
        Message message;
        message.role = Role::assistant;
        message.content = text;
        message.turn_id = turn_id;
        return say(message);
    }

    std::vector<SessionMessage> messages(std::vector<store::ThreadId> threads = {1}) {
        return session_messages(store_, agent_, threads, 0);
    }
    store::Session save(const SessionAbout& about = {.model = "anthropic/m"}) {
        return save_session(store_, paths_, agent_, messages(), about, policy::Redaction());
    }
    Json saved(const store::Session& session) {
        return chat::parse_json(text_of(home_.directory() + "/" + session.file_path), "session");
    }

    store::Home home_;
    agent::Home paths_;
    store::Store store_;
    store::Agent agent_;
    base::TimeMs now_ = 1'770'892'200'000;
};

std::string day() {
    return base::iso8601(sys::now_ms()).substr(0, 10);
}

std::vector<std::string> session_texts(const std::vector<SessionMessage>& messages) {
    std::vector<std::string> result;
    for (const SessionMessage& each : messages) result.push_back(each.message.content);
    return result;
}
using Texts = std::vector<std::string>;

std::vector<SessionMessage> said(std::initializer_list<Message> all) {
    std::vector<SessionMessage> messages;
    for (const Message& message : all) messages.push_back({message, 1, "anthropic/m"});
    return messages;
}

Message of(Role role, const std::string& text, std::vector<chat::ToolCall> calls = {}) {
    Message message;
    message.role = role;
    message.content = text;
    message.tool_calls = std::move(calls);
    return message;
}

// What a reader makes of a message in the file.
Message read_back(const Json& stored) {
    Message message;
    message.role = chat::parse_role(chat::string_or(stored, "role"));
    message.content = chat::string_or(stored, "content");
    message.tool_call_id = chat::string_or(stored, "tool_call_id");
    message.timestamp = base::parse_iso8601(chat::string_or(stored, "timestamp")).value_or(0);
    if (stored.contains("tool_calls"))
        for (const Json& call : stored["tool_calls"])
            message.tool_calls.push_back({chat::string_or(call, "id"),
                                          chat::string_or(call, "name"),
                                          chat::string_or(call, "arguments")});
    if (stored.contains("extra")) chat::load_extra(chat::dump(stored["extra"]), message);
    return message;
}

// C-38 C-65
TEST_F(SessionTest, FileAndRowSayTheSame) {
    const store::TurnId id = turn("anthropic/opus");
    ask("Fix the tests", id);
    answer("Done.", id);
    const store::Session session = save({.trigger = SessionTrigger::idle_timeout,
                                         .model = "anthropic/m",
                                         .description = "Fixed Them All!",
                                         .summary = "It fixed them."});
    EXPECT_EQ(session.file_path, agent_.dir + "/sessions/" + day() + "_fixed-them-all.json");
    const Json file = saved(session);
    const auto rows = store::list_sessions(store_, agent_.id);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].id, session.id);
    EXPECT_EQ(rows[0].file_path, session.file_path);
    EXPECT_EQ(rows[0].sha256,
              base::sha256_hex(text_of(home_.directory() + "/" + session.file_path)));
    std::vector<std::string> keys;
    for (const auto& [key, value] : file.items()) keys.push_back(key);
    EXPECT_EQ(keys, (Texts{"schema", "id", "session_id", "agent_name", "description", "summary",
                           "saved_at", "timestamp", "trigger", "message_count", "window_start",
                           "window_end", "model", "messages"}));
    EXPECT_EQ(file["schema"], "chorus.session/1");
    EXPECT_EQ(file["id"], session.id);
    EXPECT_EQ(file["session_id"], session.id);
    EXPECT_EQ(file["agent_name"], "ada");
    EXPECT_EQ(file["description"], "Fixed Them All!");
    EXPECT_EQ(file["summary"], "It fixed them.");
    EXPECT_EQ(file["saved_at"], base::iso8601(rows[0].saved_at));
    EXPECT_EQ(file["timestamp"], file["saved_at"]);
    EXPECT_EQ(file["trigger"], "idle_timeout");
    EXPECT_EQ(file["message_count"], 2);
    EXPECT_EQ(file["window_start"], "2026-02-12T10:30:00.001Z");
    EXPECT_EQ(file["window_end"], "2026-02-12T10:30:00.002Z");
    EXPECT_EQ(file["model"], "anthropic/m");
    EXPECT_EQ(file["messages"][0]["model"], "anthropic/opus");
    struct stat status {};
    ASSERT_EQ(stat((home_.directory() + "/" + session.file_path).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

// L-35
TEST_F(SessionTest, MessagesComeBackByteForByte) {
    const store::TurnId id = turn("anthropic/opus");
    Message question = of(Role::user, "Què \"\\\u2028\x01 ?\n");
    question.starts_turn = true;
    question.status = "<status>thread 2: running</status>";
    Message reply = of(Role::assistant, "",
                       {{"c1", "bash", "{ \"command\" : \"echo \\u00e9\",\n\"a\":1.0}"},
                        {"c2", "view", "{mal\"formed"},
                        {"c3", "view", std::string(60, '[') + std::string(60, ']')},
                        {"c4", "view", "{\"a\":1}],[{}"},
                        {"c5", "", ""}});
    reply.opaque =
        chat::Opaque{"anthropic", "opus", R"([{"type":"thinking","signature":"a/b+="}])"};
    Message result = of(Role::tool_result, "no such file");
    result.tool_call_id = "c1";
    result.is_error = true;
    std::vector<Message> all{question, reply, result};
    for (Message& message : all) {
        message.turn_id = id;
        message.timestamp = ++now_;
        message.id = say(message);
    }
    const Json file = saved(save());
    ASSERT_EQ(file["messages"].size(), 3U);
    std::string sent;
    std::string restored;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Message back = read_back(file["messages"][i]);
        sent = chained_hash(sent, all[i]);
        restored = chained_hash(restored, back);
        EXPECT_EQ(sent, restored) << i;
        EXPECT_EQ(back.timestamp, all[i].timestamp);
        EXPECT_EQ(file["messages"][i]["thread_id"], 1);
    }
    const Json& calls = file["messages"][1]["tool_calls"];
    EXPECT_EQ(calls[0]["params"], (Json{{"command", "echo \u00e9"}, {"a", 1.0}}));
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(calls[i]["params"], Json::object()) << i;
}

TEST_F(SessionTest, DeepArgumentsLeaveTheFileReadable) {
    std::string deep = "1";
    for (int depth = 0; depth < 63; ++depth) deep = "{\"a\":" + deep + "}";
    ask("x");
    say(of(Role::assistant, "", {{"c", "view", deep}}));
    const Json file = saved(save());
    EXPECT_EQ(file["messages"][1]["tool_calls"][0]["params"], Json::object());
    EXPECT_EQ(file["messages"][1]["tool_calls"][0]["arguments"], deep);
}

TEST_F(SessionTest, HoldsTheWindowOfTheThreadsAskedFor) {
    Transaction transaction(store_);
    store::Thread second;
    second.agent_id = agent_.id;
    second.id = 0;
    second = store::insert_thread(store_, second);
    transaction.commit();
    ask("one");
    ask("other", 0, second.id);
    ask("two");
    EXPECT_EQ(session_texts(messages()), (Texts{"one", "two"}));
    EXPECT_EQ(session_texts(messages({1, second.id})), (Texts{"one", "other", "two"}));
    EXPECT_EQ(messages({1, second.id})[1].thread, second.id);
    EXPECT_EQ(session_texts(messages({second.id, 77})), Texts{"other"});
    EXPECT_EQ(session_texts(messages({})), Texts{});
}

TEST_F(SessionTest, LeavesOutWhatTheNextRequestWould) {
    const std::int64_t cleared = ask("cleared");
    ask("cut");
    const std::int64_t kept = ask("old");
    answer("torn");
    const base::TimeMs between = now_;
    ask("new");
    EXPECT_EQ(session_texts(session_messages(store_, agent_, {1}, between - 1)), Texts{"new"});
    agent_.last_clear_message = cleared;
    EXPECT_EQ(session_texts(messages()), (Texts{"cut", "old", "torn", "new"}));
    Transaction transaction(store_);
    store::Thread thread = *store::find_thread(store_, agent_.id, 1);
    thread.window_start = kept;
    store::set_cut(store_, thread);
    transaction.commit();
    EXPECT_EQ(session_texts(messages()), (Texts{"old", "torn", "new"}));
}

TEST_F(SessionTest, ATakenNameGetsPartOfTheId) {
    ask("Fix it");
    const SessionAbout about{.model = "m/m", .description = "Fix it"};
    const store::Session first = save(about);
    const std::string before = text_of(home_.directory() + "/" + first.file_path);
    const store::Session second = save(about);
    EXPECT_EQ(second.file_path,
              agent_.dir + "/sessions/" + day() + "_fix-it-" + second.id.substr(0, 8) + ".json");
    EXPECT_EQ(text_of(home_.directory() + "/" + first.file_path), before);
    EXPECT_EQ(store::list_sessions(store_, agent_.id).size(), 2U);
}

TEST_F(SessionTest, NamesAreSlugsWhateverTheDescription) {
    ask("x");
    const auto name_for = [&](const std::string& description) {
        const std::string path = save({.model = "m/m", .description = description}).file_path;
        return path.substr((agent_.dir + "/sessions/" + day()).size());
    };
    EXPECT_EQ(name_for("../../etc/passwd\n"), "_etc-passwd.json");
    EXPECT_EQ(name_for("修正"), "_session.json");
    EXPECT_EQ(name_for(std::string(100, 'a')), "_" + std::string(48, 'a') + ".json");
}

TEST_F(SessionTest, SeveralProcessesAtOnceEachHaveTheirOwn) {
    ask("x");
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i)
        children.push_back(store::start_child([&] {
            store::Store own = home_.open();
            for (int j = 0; j < 3; ++j)
                save_session(own, paths_, agent_, session_messages(own, agent_, {1}, 0),
                             {.model = "m/m", .description = "same"}, policy::Redaction());
        }));
    for (const pid_t child : children) EXPECT_EQ(store::wait_for(child), 0);
    const auto rows = store::list_sessions(store_, agent_.id);
    EXPECT_EQ(rows.size(), 18U);
    for (const store::Session& row : rows)
        EXPECT_EQ(base::sha256_hex(text_of(home_.directory() + "/" + row.file_path)), row.sha256);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory()), {}), 18);
}

TEST_F(SessionTest, ADirectoryThatIsGoneIsMade) {
    std::filesystem::remove(directory());
    ask("x");
    EXPECT_EQ(saved(save())["message_count"], 1);
}

TEST_F(SessionTest, WithoutAPlaceToWriteThereIsNoRow) {
    std::filesystem::remove(directory());
    test::put(directory(), "a file");
    ask("x");
    EXPECT_THROW(save(), base::Error);
    EXPECT_TRUE(store::list_sessions(store_, agent_.id).empty());
}

TEST_F(SessionTest, DescriptionAndSummaryHoldNoKey) {
    const std::string key = "sk-ant-api03-" + std::string(80, 'k');
    ask("x");
    answer("The key is " + key);
    store::Session session = save();
    EXPECT_EQ(session.summary.find("kkkk"), std::string::npos) << session.summary;
    EXPECT_EQ(session.description, session.summary);
    EXPECT_EQ(saved(session)["messages"][1]["content"], "The key is " + key);
    session = save({.model = "m/m", .description = key, .summary = key});
    EXPECT_EQ((session.summary + session.description + session.file_path).find("kkkk"),
              std::string::npos);
}

TEST(PlainSummary, SaysWhatWasAskedDoneAndAnswered) {
    EXPECT_EQ(plain_summary(said({of(Role::user, "\n Fix   the tests \n<stdin>")})),
              "Fix the tests (1 message of the user, 0 answers)");
    EXPECT_EQ(
        plain_summary(
            said({of(Role::user, "Fix"), of(Role::assistant, "", {{"1", "view", "{}"}}),
                  of(Role::tool_result, "x"),
                  of(Role::assistant, "I see.", {{"2", "bash", "{}"}, {"3", "bash", "{}"}}),
                  of(Role::user, "And?"), of(Role::assistant, "All\ndone.")})),
        "Fix (2 messages of the user, 3 answers, 3 calls: bash 2, view 1). Last answer: All done.");
    EXPECT_EQ(plain_summary({}), "(0 messages of the user, 0 answers)");
    EXPECT_EQ(topic({}), "");
}

TEST(PlainSummary, IsAtMostAThousandCharacters) {
    std::vector<chat::ToolCall> calls;
    for (int i = 0; i < 40; ++i)
        calls.push_back({"c", std::string(500, 'n') + char('a' + i % 20), ""});
    std::string umlauts;
    for (int i = 0; i < 5000; ++i) umlauts += "ü";
    const auto messages =
        said({of(Role::user, umlauts), of(Role::assistant, umlauts + "\xff", calls)});
    const std::string summary = plain_summary(messages);
    EXPECT_LE(base::utf8_length(summary), 1000U);
    EXPECT_FALSE(base::find_invalid_utf8(summary)) << summary;
    EXPECT_EQ(base::utf8_length(topic(messages)), 80U);
    EXPECT_TRUE(topic(messages).ends_with("ü…"));
}

TEST_F(SessionTest, AGivenSummaryIsCutToo) {
    ask("x");
    EXPECT_EQ(base::utf8_length(save({.model = "m/m", .summary = std::string(3000, 's')}).summary),
              1000U);
}

}  // namespace
}  // namespace chorus::context
