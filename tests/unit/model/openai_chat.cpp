#include "model/openai_chat.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"

namespace chorus::model {
namespace {

Quirks quirks_of(const char* provider) {
    return Catalog().require_provider(provider).quirks;
}

std::string chat_messages(const std::vector<chat::Message>& messages,
                          const char* provider = "vllm") {
    const std::string body = chat_body(request_of(messages), {provider, "m"}, quirks_of(provider));
    const std::size_t at = body.find("\"messages\":");
    return body.substr(at + 11, body.size() - at - 12);
}

TEST(OpenaiChat, WritesARequest) {
    chat::Request request = tooled_request();
    request.max_output_tokens = 99;
    EXPECT_EQ(
        chat_body(request, {"openai-chat", "m"}, quirks_of("openai-chat")),
        R"({"model":"m","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":99,)"
        R"("tools":[{"type":"function","function":{"name":"bash","description":"Runs it","parameters":{"type":"object","required":["command"]}}},)"
        R"({"type":"function","function":{"name":"view","description":"Shows it","parameters":{"type":"object","properties":{}}}}],"parallel_tool_calls":true,)"
        R"("messages":[{"role":"developer","content":"You are \"x\".\n"},{"role":"user","content":"hi"}]})");
}

TEST(OpenaiChat, KnowsWhatMistralRefuses) {
    chat::Request request = request_of({user("hi")});
    request.max_output_tokens = 5;
    EXPECT_EQ(
        chat_body(request, {"mistral", "m"}, quirks_of("mistral")),
        R"({"model":"m","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"hi"}]})");
    const std::string body =
        chat_messages({user("a"), answer("", {{"toolu_1", "f", "{}"}, {"abcDEF123", "f", "{}"}}),
                       result("toolu_1", "x"), result("abcDEF123", "y")},
                      "mistral");
    const chat::Json messages = chat::parse_json(body, "body");
    const auto id = messages[1]["tool_calls"][0]["id"].get<std::string>();
    EXPECT_EQ(id.size(), 9U);
    EXPECT_EQ(messages[2]["tool_call_id"], id);
    EXPECT_EQ(messages[3]["tool_call_id"], "abcDEF123");
}

TEST(OpenaiChat, ResultsFollowTheirAnswerAndUserMessagesTakeTurns) {
    chat::Message prompt = user("go on");
    prompt.status = "one task runs";
    EXPECT_EQ(
        chat_messages({user("a"), user("b"),
                       answer("", {{"t1", "bash", R"({"command":"ls"})"}, {"t2", "", "broken"}}),
                       result("t1", "files"), prompt, result("t2", "", true), answer("fine"),
                       answer("")}),
        R"([{"role":"user","content":"a\n\nb"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}},)"
        R"({"id":"t2","type":"function","function":{"name":"unnamed","arguments":"{}"}}]},)"
        R"({"role":"tool","tool_call_id":"t1","content":"files"},{"role":"tool","tool_call_id":"t2","content":""},)"
        R"({"role":"user","content":"one task runs\n\ngo on"},{"role":"assistant","content":"fine"}])");
}

TEST(OpenaiChat, DeepseekGetsItsReasoningBackOnTurnsWithTools) {
    chat::Message own = answer("", {{"t1", "f", "{}"}});
    own.opaque = chat::Opaque{"deepseek", "m", R"([{"reasoning_content":"be\u0063ause"}])"};
    const chat::Message foreign = answer("", {{"t2", "f", "{}"}});
    const std::string body = chat_messages(
        {user("a"), own, result("t1", "x"), foreign, result("t2", "x"), answer("text")},
        "deepseek");
    EXPECT_NE(
        body.find(R"("content":null,"reasoning_content":"be\u0063ause","tool_calls":[{"id":"t1")"),
        std::string::npos);
    EXPECT_NE(body.find(R"("content":null,"reasoning_content":"","tool_calls":[{"id":"t2")"),
              std::string::npos);
    EXPECT_NE(body.find(R"({"role":"assistant","content":"text"})"), std::string::npos);
}

TEST(OpenaiChat, NobodyElseGetsReasoning) {
    chat::Message foreign = answer("", {{"t1", "f", "{}"}});
    foreign.opaque = chat::Opaque{"deepseek", "m", R"([{"reasoning_content":"because"}])"};
    for (const char* provider : {"mistral", "openrouter", "openai-chat", "groq"})
        EXPECT_EQ(
            chat_messages({user("a"), foreign, result("t1", "x")}, provider).find("reasoning"),
            std::string::npos);
}

TEST(OpenaiChat, TheNextRequestBeginsWithThisOne) {
    const std::vector<chat::Message> all = long_conversation();
    chat::Json before;
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const chat::Json now = chat::parse_json(
            chat_messages({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}), "body");
        for (std::size_t i = 0; i + 1 < before.size(); ++i) EXPECT_EQ(now.at(i), before.at(i)) << n;
        before = now;
    }
}

}  // namespace
}  // namespace chorus::model
