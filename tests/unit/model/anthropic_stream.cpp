#include <gtest/gtest.h>

#include <set>

#include "chat/json.hpp"
#include "model/anthropic.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

const MakeDecoder make = [](const StreamSink& sink) {
    return anthropic_decoder({"anthropic", "claude-opus-5-5"}, sink);
};

constexpr std::string_view tool_stream =
    R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-opus-5-5","stop_reason":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm, l\u00e4sst"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCg=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"OPAQUE"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Zwei Dateien: ä€😀"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":" \ud83d\ude00 fertig."}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"bash","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"cmd\": \"l"}}

event: content_block_delta
data: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"s\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: content_block_start
data: {"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"view"}}

event: content_block_stop
data: {"type":"content_block_stop","index":4}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89,"input_tokens":null}}

event: message_stop
data: {"type":"message_stop"}

)";

constexpr std::string_view tool_wire =
    R"([{"type":"thinking","thinking":"hm, lässt","signature":"EqQBCg=="},)"
    R"({"type":"redacted_thinking","data":"OPAQUE"},)"
    R"({"type":"text","text":"Zwei Dateien: ä€😀 😀 fertig."},)"
    R"({"type":"tool_use","id":"toolu_1","name":"bash","input":{"cmd": "ls"}},)"
    R"({"type":"tool_use","id":"toolu_2","name":"view","input":{}}])";

TEST(AnthropicStream, GivesTheSameHoweverItIsSplit) {
    decode_every_way(make, tool_stream, [](const Answer& answer, const Heard& heard) {
        ASSERT_FALSE(answer.failure) << answer.failure->message;
        EXPECT_EQ(answer.reply.text, "Zwei Dateien: ä€😀 😀 fertig.");
        EXPECT_EQ(heard.text, answer.reply.text);
        EXPECT_EQ(heard.pieces.size(), 2U);
        EXPECT_EQ(heard.thinking, "hm, lässt");
        EXPECT_TRUE(answer.text_was_streamed);
        EXPECT_EQ(answer.reply.stop, StopReason::tool_use);
        EXPECT_EQ(answer.reply.raw_stop, "tool_use");
        const std::vector<chat::ToolCall> calls{{"toolu_1", "bash", R"({"cmd": "ls"})"},
                                                {"toolu_2", "view", "{}"}};
        EXPECT_EQ(answer.reply.tool_calls, calls);
        ASSERT_TRUE(answer.reply.opaque);
        EXPECT_EQ(answer.reply.opaque->wire, tool_wire);
        EXPECT_EQ(answer.reply.opaque->provider, "anthropic");
        EXPECT_EQ(answer.reply.opaque->model, "claude-opus-5-5");
    });
}

TEST(AnthropicStream, CountsAllInputTokens) {
    const chat::Usage usage = decode(make, tool_stream).reply.usage;
    EXPECT_EQ(usage.input_tokens, 1125);
    EXPECT_EQ(usage.cache_write_tokens, 100);
    EXPECT_EQ(usage.cache_read_tokens, 1000);
    EXPECT_EQ(usage.output_tokens, 89);
}

TEST(AnthropicStream, ACutStreamNeverHasCalls) {
    for (const std::string& cut : cuts(tool_stream)) {
        const Answer answer = decode(make, cut);
        if (cut.find("message_delta") != cut.npos) {
            EXPECT_FALSE(answer.failure) << "the stop reason is the last that counts";
            EXPECT_EQ(answer.reply.tool_calls.size(), 2U);
            continue;
        }
        ASSERT_TRUE(answer.failure) << cut;
        EXPECT_EQ(answer.failure->category, Category::no_internet);
        EXPECT_TRUE(answer.failure->retryable);
        EXPECT_EQ(answer.failure->message, "anthropic: the stream was cut");
        EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
        EXPECT_TRUE(answer.reply.tool_calls.empty());
        EXPECT_FALSE(answer.reply.opaque);
    }
}

TEST(AnthropicStream, CutInTheMiddleOfAnEventIsACut) {
    const std::size_t end = tool_stream.find("event: message_delta");
    for (std::size_t size = 0; size < end; size += 7) {
        const Answer answer = decode(make, tool_stream.substr(0, size));
        ASSERT_TRUE(answer.failure) << size;
        EXPECT_EQ(answer.failure->message, "anthropic: the stream was cut") << size;
        EXPECT_TRUE(answer.reply.tool_calls.empty());
    }
}

TEST(AnthropicStream, ALastEventWithoutItsBlankLineCounts) {
    const Answer answer = decode(make, tool_stream.substr(0, tool_stream.size() - 2));
    EXPECT_FALSE(answer.failure);
}

std::string one_text(std::string_view stop, std::string_view text = "so far") {
    return R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
           std::string(text) + R"("}}

data: {"type":"message_delta","delta":{"stop_reason":")" +
           std::string(stop) + R"("},"usage":{"output_tokens":3}}

data: {"type":"message_stop"}

)";
}

TEST(AnthropicStream, KnowsTheStopReasons) {
    const std::vector<std::pair<std::string, StopReason>> table{
        {"end_turn", StopReason::end},
        {"stop_sequence", StopReason::end},
        {"max_tokens", StopReason::max_tokens},
        {"pause_turn", StopReason::pause},
        {"refusal", StopReason::refusal},
        {"model_context_window_exceeded", StopReason::max_tokens},
        {"", StopReason::end},
        {"something_new", StopReason::unknown}};
    for (const auto& [word, reason] : table) {
        const Answer answer = decode(make, one_text(word));
        EXPECT_FALSE(answer.failure);
        EXPECT_EQ(answer.reply.stop, reason) << word;
        EXPECT_EQ(answer.reply.raw_stop, word);
        EXPECT_EQ(answer.reply.text, "so far");
    }
}

TEST(AnthropicStream, WithoutAnyTextTheQuestionWasTooLarge) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}

)");
    EXPECT_EQ(answer.reply.stop, StopReason::context_overflow);
}

TEST(AnthropicStream, WhatGoesBackDoesNotEndInBlanks) {
    const Answer answer = decode(make, one_text("pause_turn", "let me see. \\n"));
    EXPECT_EQ(answer.reply.text, "let me see. \n");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"type":"text","text":"let me see."}])");
}

TEST(AnthropicStream, ARefusalLeavesNothingToSendBackOrRun) {
    std::string stream(tool_stream);
    stream.replace(stream.find(R"("stop_reason":"tool_use")"), 24, R"("stop_reason":"refusal")");
    const Answer answer = decode(make, stream);
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.reply.stop, StopReason::refusal);
    EXPECT_TRUE(answer.reply.tool_calls.empty());
    EXPECT_FALSE(answer.reply.opaque);
}

TEST(AnthropicStream, KeepsACallThatTheLimitCutForTheLoopToAnswer) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"bash","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{ \"fl"}}

data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}

data: {"type":"message_stop"}

)");
    EXPECT_EQ(answer.reply.stop, StopReason::max_tokens);
    ASSERT_EQ(answer.reply.tool_calls.size(), 1U);
    EXPECT_EQ(answer.reply.tool_calls[0].arguments, "{ \"fl");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire,
              R"([{"type":"tool_use","id":"t","name":"bash","input":{}}])");
}

// Each call is answered by its id: two with one id would be one.
TEST(AnthropicStream, MakesUpIdsThatAreMissingOrTwice) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"","name":"f"}}

data: {"type":"message_stop"}

)");
    std::set<std::string> ids;
    for (const chat::ToolCall& call : answer.reply.tool_calls) {
        ids.insert(call.id);
        EXPECT_NE(answer.reply.opaque->wire.find("\"" + call.id + "\""), std::string::npos);
    }
    EXPECT_EQ(ids.size(), 3U);
    EXPECT_EQ(ids.count("t"), 1U);
    EXPECT_EQ(ids.count(""), 0U);
}

TEST(AnthropicStream, ThinkingCutByTheLimitIsNotSentBack) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"and so"}}

data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}

data: {"type":"message_stop"}

)");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"type":"text","text":"a"}])");
}

TEST(AnthropicStream, PassesOverWhatItDoesNotKnow) {
    const Answer answer = decode(make, R"(event: brand_new
data: {"type":"brand_new","index":0}

data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"odd_delta","odd":1}}

data: {"type":"content_block_delta","index":77,"delta":{"type":"text_delta","text":"nowhere"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"u":1}]}}

)" + one_text("end_turn"));
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.reply.stop, StopReason::end);
    EXPECT_TRUE(answer.reply.tool_calls.empty());
}

TEST(AnthropicStream, UnknownBlocksGoBackAsTheyCame) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\": 1}"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"u":1}]}}

data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"}}

data: {"type":"message_stop"}

)");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire,
              R"([{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q": 1}},)"
              R"({"type":"web_search_tool_result","tool_use_id":"s1","content":[{"u":1}]}])");
}

TEST(AnthropicStream, TextsWithSomethingBetweenThemAreParagraphs) {
    Heard heard;
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Let me see."}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"x"}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"text","text":"Done"}}

data: {"type":"content_block_start","index":3,"content_block":{"type":"text","text":", all of it."}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}

data: {"type":"message_stop"}

)",
        heard);
    EXPECT_EQ(answer.reply.text, "Let me see.\n\nDone, all of it.");
    EXPECT_EQ(heard.text, answer.reply.text);
}

// The API refuses every later request with one of them.
TEST(AnthropicStream, BlankTextIsKeptAndDoesNotGoBack) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":" \n\n"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

)");
    EXPECT_EQ(answer.reply.text, " \n\n");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"type":"tool_use","id":"a","name":"f","input":{}}])");
}

// While nobody is shown anything the long budget holds; where it writes, a pause is a stall.
TEST(AnthropicStream, KnowsThinkingFromWriting) {
    Heard heard;
    const auto decoder = make(heard.sink);
    const auto after = [&](const std::string& data) {
        decoder->take({"message", data});
        return decoder->received();
    };
    EXPECT_EQ(after(R"({"type":"message_start","message":{}})"), net::Received::preamble);
    EXPECT_EQ(after(R"({"type":"content_block_start","content_block":{"type":"thinking"}})"),
              net::Received::preamble);
    EXPECT_EQ(after(R"({"type":"content_block_start","content_block":{"type":"text","text":"a"}})"),
              net::Received::answer);
    EXPECT_EQ(after(R"({"type":"content_block_start","content_block":{"type":"thinking"}})"),
              net::Received::preamble);
    EXPECT_EQ(after(R"({"type":"content_block_start","content_block":{"type":"tool_use"}})"),
              net::Received::answer);
    EXPECT_EQ(after(R"({"type":"message_stop"})"), net::Received::whole);
}

TEST(AnthropicStream, AnErrorEventIsClassified) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"be"}}

event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}

data: {"type":"message_stop"}

)");
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->category, Category::server_error);
    EXPECT_TRUE(answer.failure->retryable);
    EXPECT_EQ(answer.failure->message, "anthropic: overloaded_error: Overloaded");
    EXPECT_EQ(answer.reply.text, "be");
    EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
}

TEST(AnthropicStream, MalformedEventsEndIt) {
    for (const std::string& data :
         {std::string("{\"type\":"), std::string("[1]"), std::string("nothing"),
          std::string(1000, '[') + std::string(1000, ']')}) {
        const Answer answer = decode(make, "data: " + data + "\n\n" + one_text("end_turn"));
        ASSERT_TRUE(answer.failure) << data;
        EXPECT_EQ(answer.failure->category, Category::server_error);
        EXPECT_EQ(answer.failure->message, "anthropic: malformed event");
    }
}

TEST(AnthropicStream, WrongTypesAreNoFault) {
    const Answer answer = decode(make, R"(data: {"type":"message_start","message":7}

data: {"type":"content_block_start","index":"x","content_block":{"type":"text","text":null}}

data: {"type":"content_block_delta","index":-1e99,"delta":[{}]}

data: {"type":"content_block_start","content_block":null}

data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"here"}}

data: {"type":"message_delta","delta":null,"usage":{"output_tokens":-5,"input_tokens":1e300}}

data: {"type":"message_stop"}

)");
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.reply.text, "here");
    EXPECT_EQ(answer.reply.usage, chat::Usage{});
}

TEST(AnthropicStream, LoneSurrogatesAndBadBytesBecomeReplacements) {
    Heard heard;
    const Answer answer = decode(make, one_text("end_turn", "a\\ud83d b \xff c \\\\ud83d"), heard);
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(heard.text, "a\xef\xbf\xbd b \xef\xbf\xbd c \\ud83d");
}

TEST(AnthropicStream, AnAnswerHasItsBound) {
    Heard heard;
    const auto decoder = make(heard.sink);
    decoder->take(
        {"content_block_start",
         R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"});
    const std::string piece(1U << 20U, 'x');
    const std::string event =
        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" + piece +
        "\"}}";
    const auto is_refused = [&] { return decoder->received() == net::Received::refused; };
    for (int i = 0; i < 64 && !is_refused(); ++i) decoder->take({"content_block_delta", event});
    EXPECT_TRUE(is_refused());
    const Answer answer = decoder->finish();
    ASSERT_TRUE(answer.failure);
    EXPECT_FALSE(answer.failure->retryable);
    EXPECT_LE(answer.reply.text.size(), base::limits::answer_bytes);
}

}  // namespace
}  // namespace chorus::model
