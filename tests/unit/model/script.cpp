#include "model/script.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

chat::Request script_request(const std::string& prompt) {
    chat::Request request = tooled_request();
    request.model = "script";
    request.tools = {
        {"bash", "",
         R"({"type":"object","properties":{"timeout":{"type":"integer"},"command":{"type":"string"}},"required":["command"]})"},
        {"list", "", R"({"type":"object","properties":{"depth":{"type":"integer"}}})"},
        {"task_kill", "",
         R"({"type":"object","properties":{"id":{"type":"integer"},"names":{"type":"array"}},"required":["id"]})"},
        {"pick", "",
         R"({"type":"object","properties":{"names":{"type":"array"}},"required":["names"]})"}};
    request.messages = {user("/bash of the project text"), user(prompt)};
    request.messages.back().starts_turn = true;
    return request;
}

// Plays the loop: every call gets `output`, until an answer comes.
std::vector<chat::ToolCall> play(chat::Request& request, std::string& text,
                                 const std::string& output = "ok") {
    std::vector<chat::ToolCall> calls;
    for (;;) {
        const chat::Reply reply = script_reply(request);
        request.messages.push_back(answer(reply.text, reply.tool_calls));
        if (reply.tool_calls.empty()) {
            text = reply.text;
            return calls;
        }
        EXPECT_EQ(reply.tool_calls.size(), 1U);
        EXPECT_EQ(reply.stop, chat::StopReason::tool_use);
        calls.push_back(reply.tool_calls[0]);
        request.messages.push_back(result(reply.tool_calls[0].id, output));
    }
}

std::vector<chat::ToolCall> calls_of(const std::string& prompt) {
    chat::Request request = script_request(prompt);
    std::string text;
    return play(request, text);
}

TEST(Script, RunsItsLinesOnePerRequest) {
    const std::vector<chat::ToolCall> expected{
        {"script_1", "bash", R"({"command":"make \"test\""})"},
        {"script_2", "bash", R"({"command": "ls"})"}};
    EXPECT_EQ(calls_of("please\n/bash make \"test\"\nand\n/bash {\"command\": \"ls\"}\n"),
              expected);
}

TEST(Script, BareTextIsTheFirstRequiredArgument) {
    EXPECT_EQ(calls_of("/list 3").at(0).arguments, R"({"depth":3})");
    EXPECT_EQ(calls_of("/task_kill 12").at(0).arguments, R"({"id":12})");
    EXPECT_EQ(calls_of("/task_kill twelve").at(0).arguments, R"({"id":"twelve"})");
    EXPECT_EQ(calls_of("/pick a b").at(0).arguments, R"({"names":["a b"]})");
    EXPECT_EQ(calls_of("/bash { echo 1; }").at(0).arguments, R"({"command":"{ echo 1; }"})");
    EXPECT_EQ(calls_of("/bash 12").at(0).arguments, R"({"command":"12"})");
    EXPECT_EQ(calls_of("/bash").at(0).arguments, "{}");
}

TEST(Script, UnknownToolsArePassedOn) {
    const chat::ToolCall call = calls_of("/frobnicate the thing").at(0);
    EXPECT_EQ(call.name, "frobnicate");
    EXPECT_EQ(call.arguments, R"({"text":"the thing"})");
}

TEST(Script, PathsAndIndentedLinesAreText) {
    EXPECT_TRUE(
        calls_of("/etc/passwd is a file\n / alone\n  /bash ls\n/\n/ bash\n/what? no").empty());
}

TEST(Script, DataIsNeverACall) {
    EXPECT_TRUE(
        calls_of("look\n<stdin>\n/bash rm -rf /\n</stdin>\n/bash rm -rf /\n</stdin>").empty());
    EXPECT_EQ(calls_of("/bash ls\n\n<stdin path=\"x\">\n/bash rm\n</stdin>").size(), 1U);
}

TEST(Script, AnswersWithTheRestAndTheResults) {
    chat::Request request = script_request("Hello there.\n/bash ls\nBye.");
    std::string text;
    play(request, text, "main.c\n");
    EXPECT_EQ(text,
              "This is builtin/script: no model, no network. Lines that begin with / are tool "
              "calls; the rest is "
              "echoed.\n\nHello there.\nBye.\n\n/bash {\"command\":\"ls\"}\nmain.c\n");
}

TEST(Script, ResultsAreBounded) {
    chat::Request request = script_request("/bash ls");
    std::string text;
    play(request, text, std::string(100'000, 'x'));
    EXPECT_LT(text.size(), 3'000U);
    EXPECT_NE(text.find("[98000 more bytes]"), std::string::npos);
}

TEST(Script, IdsAreNewInEveryTurnOfTheWindow) {
    chat::Request request = script_request("/bash ls\n/bash ls");
    std::string text;
    play(request, text);
    request.messages.push_back(user("/bash pwd"));
    request.messages.back().starts_turn = true;
    const std::vector<chat::ToolCall> calls = play(request, text);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].id, "script_3");
}

TEST(Script, LaterMessagesOfTheTurnGoOnWithIt) {
    chat::Request request = script_request("First.\n/bash 1\n<stdin>\n/bash no");
    request.messages.push_back(user("Second.\n/bash 2"));
    const chat::Reply reply = script_reply(request);
    request.messages.push_back(answer(reply.text, reply.tool_calls));
    request.messages.push_back(result(reply.tool_calls.at(0).id, "ok"));
    request.messages.push_back(user("Third.\n/bash 3"));
    std::string text;
    const std::vector<chat::ToolCall> calls = play(request, text);
    EXPECT_EQ(reply.tool_calls.at(0).arguments, R"({"command":"1"})");
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].arguments, R"({"command":"2"})");
    EXPECT_EQ(calls[1].arguments, R"({"command":"3"})");
    EXPECT_NE(text.find("First.\n<stdin>\n/bash no\nSecond.\nThird.\n"), std::string::npos) << text;
}

TEST(Script, IsAFunctionOfTheConversation) {
    const chat::Request request = script_request("a\n/bash ls");
    EXPECT_EQ(script_reply(request).tool_calls, script_reply(request).tool_calls);
    EXPECT_FALSE(script_reply({}).text.empty());
}

TEST(Script, StreamsItsAnswerInPieces) {
    chat::Request request = script_request("Grüße 😀 " + std::string(100, 'y'));
    Heard heard;
    const Answer reply = make_script()->ask(request, heard.sink, {});
    EXPECT_FALSE(reply.failure);
    EXPECT_TRUE(reply.text_was_streamed);
    EXPECT_EQ(heard.text, reply.reply.text);
    EXPECT_GT(heard.pieces.size(), 5U);
    EXPECT_EQ(reply.reply.usage, chat::Usage{});
    request.model = "poem";
    EXPECT_TRUE(make_script()->ask(request, heard.sink, {}).failure);
}

}  // namespace
}  // namespace chorus::model
