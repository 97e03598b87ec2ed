#include <gtest/gtest.h>

#include <set>

#include "model/openai_chat.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

MakeDecoder decoder_of(const std::string& provider) {
    return [provider](const StreamSink& sink) {
        return chat_decoder({provider, "m"}, sink, Catalog().require_provider(provider).quirks);
    };
}
const MakeDecoder make_chat = decoder_of("vllm");

constexpr std::string_view parallel_stream =
    R"(data: {"id":"c1","object":"chat.completion.chunk","choices":[],"prompt_filter_results":[]}

data: {"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"usage":null}

: keep-alive

data: {"choices":[{"index":0,"delta":{"reasoning_content":"let me "}}]}

data: {"choices":[{"index":0,"delta":{"reasoning":"see"}}]}

data: {"choices":[{"index":0,"delta":{"content":"Grüße 😀"},"obfuscation":"xx"}]}

data: {"choices":[{"index":0,"delta":{"content":""}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"bash","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"view","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"cm"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"path\":\"a\"}"}},{"index":0,"function":{"arguments":"d\":\"ls\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64}}}

data: [DONE]

)";

TEST(ChatStream, GivesTheSameHoweverItIsSplit) {
    decode_every_way(make_chat, parallel_stream, [](const Answer& answer, const Heard& heard) {
        ASSERT_FALSE(answer.failure) << answer.failure->message;
        EXPECT_EQ(answer.reply.text, "Grüße 😀");
        EXPECT_EQ(heard.text, answer.reply.text);
        EXPECT_EQ(heard.thinking, "let me see");
        const std::vector<chat::ToolCall> calls{{"call_a", "bash", R"({"cmd":"ls"})"},
                                                {"call_b", "view", R"({"path":"a"})"}};
        EXPECT_EQ(answer.reply.tool_calls, calls);
        EXPECT_EQ(answer.reply.stop, StopReason::tool_use);
        EXPECT_EQ(answer.reply.raw_stop, "tool_calls");
        EXPECT_FALSE(answer.reply.opaque);
        const chat::Usage usage{100, 20, 64, 0};
        EXPECT_EQ(answer.reply.usage, usage);
    });
}

TEST(ChatStream, ACutBeforeTheFinishNeverHasCalls) {
    for (const std::string& cut : cuts(parallel_stream)) {
        const Answer answer = decode(make_chat, cut);
        const bool finished = cut.find("\"finish_reason\":\"tool_calls\"") != std::string::npos;
        EXPECT_EQ(answer.failure.has_value(), !finished) << cut;
        EXPECT_EQ(answer.reply.tool_calls.empty(), !finished) << cut;
        if (finished) continue;
        EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
        EXPECT_TRUE(answer.failure->retryable);
    }
}

std::string chat_calls(const std::vector<std::string>& deltas, const std::string& finish = "stop") {
    std::string stream;
    for (const std::string& delta : deltas)
        stream += R"(data: {"choices":[{"index":0,"delta":{"tool_calls":)" + delta + "}}]}\n\n";
    return stream + R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":")" + finish +
           "\"}]}\n\n";
}

std::string summary(const std::string& stream) {
    std::string out;
    for (const chat::ToolCall& call : decode(make_chat, stream).reply.tool_calls)
        out += call.name + call.arguments + ";";
    return out;
}

TEST(ChatStream, ToleratesHowServersNumberCalls) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> table{
        // no index, one call in pieces
        {{R"([{"id":"a","function":{"name":"f","arguments":"{\"x\""}}])",
          R"([{"function":{"arguments":":1}"}}])"},
         R"(f{"x":1};)"},
        // no index, a new id
        {{R"([{"id":"a","function":{"name":"f","arguments":"{}"}}])",
          R"([{"id":"b","function":{"name":"g","arguments":"{}"}}])"},
         "f{};g{};"},
        // all of them index 0, whole, with ids of their own
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}])",
          R"([{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}])"},
         R"(f{"x":1};g{};)"},
        // all of them index 0, in pieces
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":""}}])",
          R"([{"index":0,"function":{"arguments":"{\"x"}}])",
          R"([{"index":0,"function":{"arguments":"\":1}"}}])",
          R"([{"index":0,"id":"b","function":{"name":"g","arguments":""}}])",
          R"([{"index":0,"function":{"arguments":"{}"}}])"},
         R"(f{"x":1};g{};)"},
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":""}}])",
          R"([{"index":0,"id":"b","function":{"name":"g","arguments":""}}])"},
         "f{};g{};"},
        // the same function twice
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":""}}])",
          R"([{"index":0,"function":{"arguments":"{\"x\":1}"}}])",
          R"([{"index":0,"id":"b","function":{"name":"f","arguments":""}}])",
          R"([{"index":0,"function":{"arguments":"{\"x\":2}"}}])"},
         R"(f{"x":1};f{"x":2};)"},
        // a fresh id with every piece: the index counts
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}])",
          R"([{"index":0,"id":"b","function":{"arguments":"\":1}"}}])",
          R"([{"index":0,"id":"c","function":{"name":"f","arguments":""}}])"},
         R"(f{"x":1};)"},
        // name repeated, then split
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":""}}])",
          R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])"},
         "f{};"},
        {{R"([{"index":0,"id":"a","function":{"name":"create_"}}])",
          R"([{"index":0,"function":{"name":"file"}}])",
          R"([{"index":0,"function":{"arguments":"{}"}}])"},
         "create_file{};"},
        // neither ids nor numbers, two whole calls in one delta and one in the next
        {{R"([{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}])",
          R"([{"function":{"name":"g","arguments":"{\"a\":\"}\"}"}}])"},
         R"(f{};g{};g{"a":"}"};)"},
        // arguments as an object, null and absent
        {{R"([{"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1,"y"]}}}])",
          R"([{"index":1,"id":"b","function":{"name":"g","arguments":null}}])",
          R"([{"index":2,"id":"c","function":{"name":"h"}}])"},
         R"(f{"x":[1,"y"]};g{};h{};)"},
        // things that are no calls
        {{R"([null,7,{"index":0,"id":"a","function":{"name":"f","arguments":" "}}])", R"({"a":1})"},
         "f{};"},
    };
    for (const auto& [deltas, expected] : table) EXPECT_EQ(summary(chat_calls(deltas)), expected);
}

TEST(ChatStream, MakesUpIdsThatAreMissingOrTwice) {
    const Answer answer = decode(
        make_chat,
        chat_calls({R"([{"index":0,"id":null,"function":{"name":"f","arguments":"{}"}}])",
                    R"([{"index":1,"id":"","function":{"name":"f","arguments":"{}"}}])",
                    R"([{"index":2,"id":"same","function":{"name":"f","arguments":"{}"}}])",
                    R"([{"index":3,"id":"same","function":{"name":"f","arguments":"{}"}}])"}));
    std::set<std::string> ids;
    for (const chat::ToolCall& call : answer.reply.tool_calls) ids.insert(call.id);
    EXPECT_EQ(ids.size(), 4U);
    EXPECT_EQ(ids.count("same"), 1U);
    EXPECT_EQ(ids.count(""), 0U);
}

TEST(ChatStream, KnowsTheStopReasons) {
    const std::vector<std::pair<std::string, StopReason>> table{
        {"stop", StopReason::tool_use},
        {"tool_calls", StopReason::tool_use},
        {"eos_token", StopReason::tool_use},
        {"length", StopReason::max_tokens},
        {"model_length", StopReason::max_tokens},
        {"content_filter", StopReason::content_filter},
        {"insufficient_system_resource", StopReason::unknown},
        {"something_new", StopReason::unknown}};
    const std::string call = R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])";
    for (const auto& [word, reason] : table) {
        const Answer answer = decode(make_chat, chat_calls({call}, word));
        EXPECT_FALSE(answer.failure) << word;
        EXPECT_EQ(answer.reply.stop, reason) << word;
        EXPECT_EQ(answer.reply.raw_stop, word);
    }
    for (const char* announced : {"tool_calls", "function_call", "tool_use"})
        EXPECT_EQ(decode(make_chat, chat_calls({}, announced)).reply.stop, StopReason::tool_use);
    EXPECT_EQ(decode(make_chat, chat_calls({}, "stop")).reply.stop, StopReason::end);
}

TEST(ChatStream, KnowsThinkingFromWriting) {
    Heard heard;
    const auto decoder = make_chat(heard.sink);
    const auto after = [&](const std::string& delta, const std::string& rest = "") {
        decoder->take({"message", R"({"choices":[{"delta":)" + delta + rest + "}]}"});
        return decoder->received();
    };
    EXPECT_EQ(after(R"({"role":"assistant","content":""})"), net::Received::preamble);
    EXPECT_EQ(after(R"({"reasoning_content":"hm"})"), net::Received::preamble);
    EXPECT_EQ(after(R"({"content":"a"})"), net::Received::answer);
    EXPECT_EQ(after(R"({"reasoning":"hm"})"), net::Received::preamble);
    EXPECT_EQ(after(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]})"),
              net::Received::answer);
    EXPECT_EQ(after("{}", R"(,"finish_reason":"stop")"), net::Received::answer)
        << "the counts of tokens may come yet";
    decoder->take({"message", "[DONE]"});
    EXPECT_EQ(decoder->received(), net::Received::whole);
}

TEST(ChatStream, TrustsTheCallsMoreThanTheWord) {
    const Answer answer =
        decode(make_chat,
               chat_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])"}));
    EXPECT_EQ(answer.reply.stop, StopReason::tool_use);
    EXPECT_EQ(answer.reply.raw_stop, "stop");
}

TEST(ChatStream, ACallCutByTheLimitStaysToBeAnswered) {
    const Answer answer =
        decode(make_chat,
               chat_calls({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}])"},
                          "length"));
    EXPECT_EQ(answer.reply.stop, StopReason::max_tokens);
    ASSERT_EQ(answer.reply.tool_calls.size(), 1U);
    EXPECT_EQ(answer.reply.tool_calls[0].arguments, "{\"x");
}

TEST(ChatStream, RefusalsAndFiltersLeaveNoCalls) {
    const std::string call =
        R"(data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}

)";
    const Answer filtered = decode(
        make_chat,
        call + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n");
    EXPECT_EQ(filtered.reply.stop, StopReason::content_filter);
    EXPECT_TRUE(filtered.reply.tool_calls.empty());
    const Answer refused = decode(make_chat, call +
                                                 "data: {\"choices\":[{\"delta\":{\"refusal\":\"I "
                                                 "won't\"},\"finish_reason\":\"stop\"}]}\n\n");
    EXPECT_EQ(refused.reply.stop, StopReason::refusal);
    EXPECT_EQ(refused.reply.text, "I won't");
    EXPECT_TRUE(refused.reply.tool_calls.empty());
}

TEST(ChatStream, DoesWithoutDone) {
    const Answer answer = decode(
        make_chat,
        "data: "
        "{\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\r\n\r\n");
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.reply.stop, StopReason::end);
}

TEST(ChatStream, DoneEndsWhatHadNoFinish) {
    const std::string done = "data: [DONE]\n\n";
    const auto delta = [](const std::string& json) {
        return "data: {\"choices\":[{\"delta\":" + json + "}]}\n\n";
    };
    const Answer said = decode(make_chat, delta(R"({"content":"hi"})") + done);
    EXPECT_FALSE(said.failure);
    EXPECT_EQ(said.reply.text, "hi");
    EXPECT_EQ(said.reply.stop, StopReason::end);
    const std::string call =
        R"({"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":)";
    const Answer called = decode(make_chat, delta(call + R"(1}"}}]})") + done);
    EXPECT_FALSE(called.failure);
    EXPECT_EQ(called.reply.stop, StopReason::tool_use);
    EXPECT_TRUE(decode(make_chat, delta(call + R"("}}]})") + done).failure) << "a call cut in two";
}

TEST(ChatStream, AMessageInsteadOfDeltasIsHeardOnce) {
    const std::string whole =
        R"(data: {"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]})"
        "\n\n";
    EXPECT_EQ(decode(make_chat, whole).reply.text, "hi");
    EXPECT_EQ(
        decode(make_chat, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n" + whole)
            .reply.text,
        "hi");
}

TEST(ChatStream, ReadsTheUsageOfGroq) {
    const Answer answer = decode(
        make_chat,
        R"(data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3}}})"
        "\n\n");
    EXPECT_EQ(answer.reply.usage, (chat::Usage{7, 3, 0, 0}));
}

TEST(ChatStream, AnErrorInTheStreamIsClassified) {
    const std::vector<std::pair<std::string, Category>> table{
        {R"({"error":{"message":"Rate limit exceeded","code":429}})", Category::rate_limited},
        {R"({"error":{"message":"no money","code":402}})", Category::out_of_credits},
        {R"({"error":{"message":"x","type":"server_error","code":null}})", Category::server_error},
        {R"({"id":"c","choices":[{"delta":{},"finish_reason":"error"}],"error":{"code":502,"message":"bad"}})",
         Category::server_error},
        {R"({"object":"error","message":"too much: overloaded","type":"x","code":null})",
         Category::server_error},
        {R"({"message":"the queue is overloaded"})", Category::server_error},
        {R"({"detail":"Rate limit exceeded"})", Category::rate_limited},
        {R"({"error":"something broke"})", Category::other}};
    for (const auto& [data, category] : table) {
        const Answer answer = decode(make_chat, "data: " + data + "\n\n");
        ASSERT_TRUE(answer.failure) << data;
        EXPECT_EQ(answer.failure->category, category) << data;
    }
}

TEST(ChatStream, WhatComesAfterTheFinishSpoilsNothing) {
    const std::string whole =
        "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n";
    for (const std::string late : {"data: {\"error\":{\"code\":500}}\n\n", "data: {broken\n\n"})
        EXPECT_FALSE(decode(make_chat, whole + late).failure) << late;
}

TEST(ChatStream, AFinishInErrorIsNone) {
    const Answer answer =
        decode(make_chat, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n");
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
}

TEST(ChatStream, KeepsReasoningWhereItMustGoBack) {
    const std::string call =
        R"(data: {"choices":[{"delta":{"reasoning_content":"why","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

)";
    const Answer thought = decode(decoder_of("deepseek"), call);
    ASSERT_TRUE(thought.reply.opaque);
    EXPECT_EQ(thought.reply.opaque->wire, R"([{"reasoning_content":"why"}])");
    EXPECT_FALSE(decode(decoder_of("mistral"), call).reply.opaque);
}

TEST(ChatStream, JoinsThePiecesOfReasoningDetails) {
    const Answer answer = decode(
        decoder_of("openrouter"),
        R"(data: {"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"signature":null}]}}]}

data: {"choices":[{"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}}]}

data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"SIG","index":0},{"type":"reasoning.encrypted","data":"E1","index":1}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

)");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(
        answer.reply.opaque->wire,
        R"([{"reasoning_details":[{"type":"reasoning.text","text":"ab","index":0,"signature":"SIG"},)"
        R"({"type":"reasoning.encrypted","data":"E1","index":1}]}])");
}

TEST(ChatStream, ReadsContentInParts) {
    Heard heard;
    const Answer answer = decode(
        decoder_of("mistral"),
        R"(data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"yes"}]}}]}

data: {"choices":[{"delta":{"content":"!"},"finish_reason":"stop"}]}

)",
        heard);
    EXPECT_EQ(answer.reply.text, "yes!");
    EXPECT_EQ(heard.thinking, "hm");
}

TEST(ChatStream, OtherChoicesAreNotHeard) {
    const Answer answer =
        decode(make_chat,
               R"(data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}

data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}

)");
    EXPECT_EQ(answer.reply.text, "yes");
}

}  // namespace
}  // namespace chorus::model
