#include <gtest/gtest.h>

#include "chat/json.hpp"
#include "context/session_file.hpp"
#include "support/scratch.hpp"

namespace chorus::context {
namespace {

using base::Error;
using chat::Role;

SessionFile good(const std::string& text) {
    auto read = read_session(text, "f.json");
    if (const auto* error = std::get_if<Error>(&read)) {
        ADD_FAILURE() << error->message();
        return {};
    }
    return std::get<SessionFile>(std::move(read));
}

std::string refusal(const std::string& text) {
    const auto read = read_session(text, "f.json");
    const auto* error = std::get_if<Error>(&read);
    return error == nullptr ? "" : error->message();
}

std::string with(const std::string& messages) {
    return R"({"messages":[)" + messages + "]}";
}

// The form of the first source: saved_at, trigger, params, tool_result.
TEST(SessionReader, reads_sessions_by_id) {
    const SessionFile file = good(R"({"id":"abc123-uuid-here","agent_name":"frontend-agent",
      "description":"Refactored auth module","saved_at":"2026-02-12T10:30:00Z","trigger":"idle_timeout",
      "message_count":42,"messages":[{"role":"user","content":"Let's refactor"},
      {"role":"assistant","content":"I'll start.","tool_calls":[{"id":"tc_001","name":"view","params":{"path":"src/auth.py"}}]},
      {"role":"tool_result","tool_call_id":"tc_001","content":"... file contents ..."}]})");
    EXPECT_EQ(file.row.id, "abc123-uuid-here");
    EXPECT_EQ(file.row.agent_name, "frontend-agent");
    EXPECT_EQ(file.row.trigger, "idle_timeout");
    EXPECT_EQ(file.row.saved_at, 1'770'892'200'000);
    ASSERT_EQ(file.messages.size(), 3U);
    EXPECT_EQ(file.messages[1].message.tool_calls,
              (std::vector<chat::ToolCall>{{"tc_001", "view", R"({"path":"src/auth.py"})"}}));
    EXPECT_EQ(file.messages[2].message.role, Role::tool_result);
    EXPECT_EQ(file.messages[2].message.tool_call_id, "tc_001");
    EXPECT_EQ(file.messages[0].thread, 1);
}

// The form of the second: session_id, timestamp, window_start, role tool.
TEST(SessionReader, reads_sessions_by_session_id) {
    const SessionFile file = good(R"({"session_id":"uuid","timestamp":"2026-02-12T10:30:00Z",
      "description":"Working on auth","summary":"Implemented JWT","message_count":47,
      "window_start":"2026-02-12T00:00:00Z","window_end":"2026-02-12T10:30:00Z",
      "messages":[{"role":"user","content":"weather"},{"role":"assistant","tool_calls":[
      {"id":"1","name":"a","arguments":{"x":1}},{"id":"2","name":"b","arguments":"{\"y\": 2}"},{"name":"c","input":{}},{"name":"d"}]},
      {"role":"tool","tool_call_id":"1","content":null},{"tool_call_id":"2"},{"tool_calls":[]}]})");
    EXPECT_EQ(file.row.id, "uuid");
    EXPECT_EQ(file.row.saved_at, 1'770'892'200'000);
    EXPECT_EQ(file.row.window_start, 1'770'892'200'000 - 37'800'000);
    ASSERT_EQ(file.messages.size(), 5U);
    const auto& calls = file.messages[1].message.tool_calls;
    EXPECT_EQ(calls[0].arguments + calls[1].arguments + calls[2].arguments + calls[3].arguments,
              R"({"x":1}{"y": 2}{}{})");
    EXPECT_EQ(file.messages[2].message.role, Role::tool_result);
    EXPECT_EQ(file.messages[3].message.role, Role::tool_result);
    EXPECT_EQ(file.messages[4].message.role, Role::assistant);
}

TEST(SessionReader, passes_over_what_is_no_part_of_a_conversation) {
    EXPECT_EQ(good(with(R"({"role":"system","content":"x"},{"role":"developer"})")).messages.size(),
              0U);
}

TEST(SessionReader, refuses_what_is_none_in_one_line) {
    EXPECT_EQ(refusal(""), "f.json: it is cut off, or not JSON of at most 64 levels");
    EXPECT_EQ(refusal("[]"), "f.json: not a session: it is not a JSON object");
    EXPECT_EQ(refusal("{}"), "f.json: not a session: it has no list of messages");
    EXPECT_EQ(refusal(R"({"messages":{}})"), "f.json: not a session: it has no list of messages");
    EXPECT_EQ(refusal(R"({"schema":"chorus.session/12","messages":[]})"),
              "f.json: made by a newer Chorus: its schema is 'chorus.session/12'");
    EXPECT_EQ(refusal(R"({"schema":1,"messages":[]})"), "f.json: not a session: its schema is '1'");
    EXPECT_EQ(refusal(with("7")), "f.json: messages[0]: it is not an object");
    EXPECT_EQ(refusal(with("{}")), "f.json: messages[0]: it has no role");
    EXPECT_EQ(refusal(with(R"({"role":7})")), "f.json: messages[0]: role: '7' is unknown");
    EXPECT_EQ(refusal(with(R"({"role":"user"},{"role":"\u001b[2Jroot"})")),
              "f.json: messages[1]: role: '\\x1b[2Jroot' is unknown");
    EXPECT_EQ(refusal(with(R"({"role":"user","content":[]})")),
              "f.json: messages[0]: content: it is not a string");
    EXPECT_EQ(refusal(with(R"({"role":"assistant","tool_calls":{}})")),
              "f.json: messages[0]: tool_calls: it is not a list");
    EXPECT_EQ(refusal(with(R"({"role":"assistant","tool_calls":["x"]})")),
              "f.json: messages[0]: tool_calls: one is not an object");
    for (const char* thread : {"0", "-1", "1.5", "\"1\"", "1000001", "18446744073709551615"})
        EXPECT_EQ(refusal(with(R"({"role":"user","thread_id":)" + std::string(thread) + "}")),
                  "f.json: messages[0]: thread_id: it is not the number of a thread")
            << thread;
    EXPECT_EQ(refusal(R"({"messages":)" + std::string(70, '[') + std::string(70, ']') + "}"),
              "f.json: it is cut off, or not JSON of at most 64 levels");
}

TEST(SessionReader, takes_no_id_that_nobody_could_type) {
    for (const char* id : {R"("")", R"("a b")", R"("\u001b[2J")", R"("\u00e9")", "7", "null"})
        EXPECT_EQ(good(R"({"id":)" + std::string(id) + R"(,"messages":[]})").row.id, "") << id;
    EXPECT_EQ(good(R"({"id":")" + std::string(129, 'a') + R"(","messages":[]})").row.id, "");
}

TEST(SessionReader, takes_of_extra_what_belongs_to_the_role) {
    const std::string extra =
        R"("extra":{"provider":"p","model":"m","wire":"[{\"a\":1}]","status":"s","is_error":true,"starts_turn":true})";
    const auto file = good(with(R"({"role":"user",)" + extra + R"(},{"role":"assistant",)" + extra +
                                R"(},{"role":"tool","tool_call_id":"x",)" + extra + "}"));
    const auto& user = file.messages[0].message;
    EXPECT_TRUE(user.starts_turn && user.status == "s" && !user.is_error && !user.opaque);
    const auto& assistant = file.messages[1].message;
    EXPECT_TRUE(assistant.opaque && assistant.status.empty() && !assistant.starts_turn);
    const auto& result = file.messages[2].message;
    EXPECT_TRUE(result.is_error && !result.opaque && !result.starts_turn);
}

TEST(SessionReader, splices_nothing_that_is_not_what_it_says) {
    for (const char* wire : {"", "[", "{}", "[1]", R"([{}],\"x\":[{}])", R"([{}]}, {\"a\": [])"})
        EXPECT_FALSE(
            good(with(R"({"role":"assistant","extra":{"wire":")" + std::string(wire) + R"("}})"))
                .messages[0]
                .message.opaque)
            << wire;
    EXPECT_FALSE(
        good(with(R"({"role":"assistant","extra":[]})")).messages[0].message.opaque.has_value());
}

TEST(SessionReader, reads_what_the_writer_wrote) {
    SessionMessage each;
    each.message.content = "x";
    each.message.timestamp = 1'770'892'200'123;
    each.thread = 3;
    each.model = "p/m";
    store::Session row;
    row.id = "i";
    row.agent_name = "a";
    row.trigger = "destroy";
    const auto file = good(session_text(row, "p/m", {each}));
    EXPECT_EQ(file.row.trigger, "destroy");
    EXPECT_EQ(file.messages[0].message, each.message);
    EXPECT_EQ(file.messages[0].thread, 3);
    EXPECT_EQ(file.messages[0].model, "p/m");
}

}  // namespace
}  // namespace chorus::context
