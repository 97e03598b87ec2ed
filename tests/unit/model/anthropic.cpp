#include "model/anthropic.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "requests.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

const Origin origin{"anthropic", "m"};

std::string messages_of(const std::vector<chat::Message>& messages) {
    const std::string body = anthropic_body(request_of(messages), origin);
    const std::size_t at = body.find("\"messages\":");
    return body.substr(at + 11, body.size() - at - 12);
}

TEST(Anthropic, WritesSystemToolsAndMessagesInThisOrder) {
    EXPECT_EQ(
        anthropic_body(tooled_request(), origin),
        R"({"model":"m","max_tokens":16384,"stream":true,)"
        R"("system":[{"type":"text","text":"You are \"x\".\n","cache_control":{"type":"ephemeral"}}],)"
        R"("tools":[{"name":"bash","description":"Runs it","input_schema":{"type":"object","required":["command"]}},)"
        R"({"name":"view","description":"Shows it","input_schema":{"type":"object","properties":{}}}],)"
        R"("messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]})");
}

TEST(Anthropic, LeavesOutWhatIsEmpty) {
    chat::Request request = request_of({user("hi")});
    request.max_output_tokens = 77;
    EXPECT_EQ(
        anthropic_body(request, origin),
        R"({"model":"m","max_tokens":77,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]})");
}

TEST(Anthropic, ResultsOfOneAnswerAndTheNextPromptAreOneMessage) {
    chat::Message prompt = user("go on");
    prompt.status = "one task runs";
    EXPECT_EQ(
        messages_of({user("a"), user("b"),
                     answer("", {{"t1", "bash", R"({"command": "ls"})"}, {"t2", "view", "no"}}),
                     result("t1", "files"), prompt, result("t2", "", true)}),
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]},)"
        R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"bash","input":{"command": "ls"}},{"type":"tool_use","id":"t2","name":"view","input":{}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"files"}]},)"
        R"({"type":"tool_result","tool_use_id":"t2","is_error":true},)"
        R"({"type":"text","text":"one task runs"},{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}])");
}

TEST(Anthropic, EmptyMessagesAreNotSent) {
    EXPECT_EQ(
        messages_of({user("a"), answer(""), user(""), user("b")}),
        R"([{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}])");
}

// A partial answer may be that alone, and the API would refuse every later request.
TEST(Anthropic, BlankAnswersAreNotSent) {
    EXPECT_EQ(messages_of({user("a"), answer(" \n"), user("b")}),
              messages_of({user("a"), answer(""), user("b")}));
    EXPECT_EQ(messages_of({user("a"), answer("\n", {{"t", "f", "{}"}}), result("t", "x")}),
              messages_of({user("a"), answer("", {{"t", "f", "{}"}}), result("t", "x")}));
}

TEST(Anthropic, ForeignIdsAndNamesAreMadeFit) {
    const std::string body =
        messages_of({user("a"), answer("", {{"functions.bash:0", "multi tool", "{}"}}),
                     result("functions.bash:0", "x")});
    EXPECT_NE(body.find(R"("id":"functions_bash_0","name":"multi_tool")"), std::string::npos);
    EXPECT_NE(body.find(R"("tool_use_id":"functions_bash_0")"), std::string::npos);
}

const std::string own_wire =
    R"([{"type":"thinking","thinking":"","signature":"AbC=="},{"type":"tool_use","id":"t1","name":"bash","input":{"a" : 1.50}}])";

std::vector<chat::Message> with_own(const std::string& provider, const std::string& name) {
    chat::Message own = answer("text", {{"t1", "bash", R"({"a" : 1.50})"}});
    own.opaque = chat::Opaque{provider, name, own_wire};
    return {user("a"), own, result("t1", "x")};
}

TEST(Anthropic, ItsOwnBlocksGoBackByteForByte) {
    const std::string body = messages_of(with_own("anthropic", "m"));
    EXPECT_NE(body.find(R"({"role":"assistant","content":)" + own_wire + "}"), std::string::npos);
}

TEST(Anthropic, AnotherModelsBlocksAreStripped) {
    for (const auto& [provider, name] :
         {std::pair("anthropic", "other"), std::pair("openai", "m")}) {
        const std::string body = messages_of(with_own(provider, name));
        EXPECT_EQ(body.find("AbC=="), std::string::npos);
        EXPECT_NE(
            body.find(
                R"([{"type":"text","text":"text"},{"type":"tool_use","id":"t1","name":"bash","input":{"a" : 1.50}}])"),
            std::string::npos);
    }
}

TEST(Anthropic, BlocksWhoseCallsWereDroppedAreNotSent) {
    std::vector<chat::Message> messages = with_own("anthropic", "m");
    messages[1].tool_calls.clear();
    messages.pop_back();
    EXPECT_EQ(messages_of(messages).find("tool_use"), std::string::npos);
}

TEST(Anthropic, AReplyComesBackAsItWas) {
    Heard heard;
    const auto decoder = anthropic_decoder(origin, heard.sink);
    const Answer reply = feed(
        *decoder,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"t","signature":"S=="}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"bash","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\" :\"\\u00e9\\/\"}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

)",
        9, 9);
    ASSERT_TRUE(reply.reply.opaque);
    chat::Message message = answer(reply.reply.text, reply.reply.tool_calls);
    message.opaque = reply.reply.opaque;
    const std::string body = messages_of({user("a"), message, result("t1", "x")});
    EXPECT_NE(
        body.find(
            R"([{"type":"thinking","thinking":"t","signature":"S=="},{"type":"tool_use","id":"t1","name":"bash","input":{"a" :"\u00e9\/"}}])"),
        std::string::npos)
        << body;
}

TEST(Anthropic, TheNextRequestBeginsWithThisOne) {
    const std::vector<chat::Message> all = long_conversation();
    chat::Json before;
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const std::string body = anthropic_body(
            request_of({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}), origin);
        const chat::Json now = neutral(body, "messages");
        // the last message may have grown; what stood before it may not have changed
        for (std::size_t i = 0; i + 1 < before.size(); ++i) EXPECT_EQ(now.at(i), before.at(i)) << n;
        if (!before.empty()) {
            const chat::Json& grown = now.at(before.size() - 1).at("content");
            const chat::Json& was = before.back().at("content");
            for (std::size_t i = 0; i < was.size(); ++i) EXPECT_EQ(grown.at(i), was.at(i)) << n;
        }
        before = now;
    }
}

std::size_t marks_in(const std::string& body) {
    std::size_t marks = 0;
    for (std::size_t at = 0; (at = body.find("cache_control", at)) != std::string::npos; ++at)
        ++marks;
    return marks;
}

TEST(Anthropic, MarksAllFourPlaces) {
    chat::Request request = tooled_request();
    request.messages = long_conversation();
    EXPECT_EQ(marks_in(anthropic_body(request, origin)), 3U);
    request.documents = "\n\n# Documents";
    EXPECT_EQ(marks_in(anthropic_body(request, origin)), 4U);
    request.system.clear();
    EXPECT_EQ(marks_in(anthropic_body(request, origin)), 4U) << "the tools have their own then";
}

TEST(Anthropic, AnEditOfTheDocumentsLeavesWhatStandsBeforeThem) {
    chat::Request request = tooled_request();
    request.documents = "\n\n# old";
    const std::string before = anthropic_body(request, origin);
    EXPECT_NE(
        before.find(R"("cache_control":{"type":"ephemeral"}},{"type":"text","text":"\n\n# old",)"),
        std::string::npos)
        << before;
}

// The API looks for a cached beginning only some twenty blocks back from a mark.
TEST(Anthropic, TheEndOfTheRequestBeforeIsMarkedHoweverMuchCameSince) {
    std::vector<chat::Message> messages{user("first"), answer("hm"), user("go")};
    const auto marked = [](const std::string& text, const std::string& body) {
        const std::size_t at = body.find(text);
        return at != std::string::npos &&
               body.substr(at, 120).find("cache_control") != std::string::npos;
    };
    EXPECT_TRUE(marked("\"go\"", messages_of(messages)));
    std::vector<chat::ToolCall> calls;
    for (int i = 0; i < 30; ++i) calls.push_back({"t" + std::to_string(i), "view", "{}"});
    messages.push_back(answer("", calls));
    for (const chat::ToolCall& call : calls)
        messages.push_back(result(call.id, "out of " + call.id));
    const std::string next = messages_of(messages);
    EXPECT_TRUE(marked("\"go\"", next));
    EXPECT_TRUE(marked("out of t29", next));
    EXPECT_FALSE(marked("\"first\"", next));
    EXPECT_EQ(marks_in(next), 2U);
}

double best_ms_of(std::size_t messages_written) {
    std::vector<chat::Message> messages;
    while (messages.size() < messages_written) {
        messages.push_back(user("a short prompt of a person, with some words in it"));
        messages.push_back(
            answer("", {{"toolu_0123456789", "bash", R"({"command":"ls -l src"})"}}));
        messages.push_back(result("toolu_0123456789", "main.c\nutil.c\n"));
        messages.push_back(answer("There are two files, main.c and util.c."));
    }
    const chat::Request request = request_of(messages);
    double best_ms = 1e9;
    for (int i = 0; i < 20; ++i) {
        const std::clock_t start = std::clock();
        EXPECT_GT(anthropic_body(request, origin).size(), 100 * messages_written);
        best_ms =
            std::min(best_ms, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best_ms;
}

// A bound in milliseconds would measure the machine and its sanitizers.
TEST(Anthropic, TheTimeOfABodyGrowsWithItsMessagesAndNotFaster) {
    EXPECT_LT(best_ms_of(4000), 10 * best_ms_of(1000));
}

TEST(Anthropic, AnAnswerIsAsLongAsTheModelTakes) {
    AnthropicQuirks quirks;
    const auto refused = [&](std::string_view message) { return adapt(quirks, message); };
    EXPECT_TRUE(refused("a: max_tokens: 16384 > 8192, which is the maximum"));
    EXPECT_EQ(quirks.most_tokens, 8192);
    EXPECT_TRUE(refused("max_tokens: 8192 > 4096, which"));
    for (const char* other : {"", "max_tokens: x > 1", "max_tokens: 5", "max_tokens: 5 > y",
                              "max_tokens: 4096 > 8192, which"})
        EXPECT_FALSE(refused(other)) << other;
    EXPECT_EQ(quirks.most_tokens, 4096);
    chat::Request request = request_of({user("hi")});
    EXPECT_NE(anthropic_body(request, {}, quirks).find("\"max_tokens\":4096,"), std::string::npos);
    request.max_output_tokens = 100;
    EXPECT_NE(anthropic_body(request, {}, quirks).find("\"max_tokens\":100,"), std::string::npos);
}

TEST(Anthropic, NothingIsMarkedForServersWithoutCaches) {
    AnthropicQuirks quirks;
    const char* refusal = "messages.0.content.0.text.cache_control: Extra inputs are not permitted";
    EXPECT_TRUE(adapt(quirks, refusal));
    EXPECT_FALSE(adapt(quirks, refusal));
    chat::Request request = tooled_request();
    request.messages = long_conversation();
    EXPECT_EQ(marks_in(anthropic_body(request, origin, quirks)), 0U);
    request.system.clear();
    EXPECT_EQ(marks_in(anthropic_body(request, origin, quirks)), 0U);
}

}  // namespace
}  // namespace chorus::model
