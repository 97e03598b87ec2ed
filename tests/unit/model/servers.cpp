// Servers that speak a protocol each in its own way.
#include <gtest/gtest.h>

#include "model/anthropic.hpp"
#include "model/openai_chat.hpp"
#include "model/openai_responses.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

const MakeDecoder from_anthropic = [](const StreamSink& sink) {
    return anthropic_decoder({"p", "m"}, sink);
};
const MakeDecoder from_chat = [](const StreamSink& sink) {
    return chat_decoder({"p", "m"}, sink, Quirks{});
};
const MakeDecoder from_responses = [](const StreamSink& sink) {
    return responses_decoder({"p", "m"}, sink);
};

std::string events(const std::vector<std::string>& all) {
    std::string stream;
    for (const std::string& data : all) stream += "data: " + data + "\n\n";
    return stream;
}

TEST(Servers, TheLargerCountIsWhatWasUsed) {
    const Answer answer = decode(
        from_anthropic,
        R"(data: {"type":"message_start","message":{"usage":{"input_tokens":1000,"cache_read_input_tokens":7,"output_tokens":1}}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":20}}

)");
    EXPECT_EQ(answer.reply.usage, (chat::Usage{1007, 20, 7, 0}));
}

TEST(Servers, BlocksWithOneIndexAreSeveral) {
    const Answer answer = decode(
        from_anthropic,
        R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"first"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x\":1}"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"g"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

)");
    EXPECT_EQ(answer.reply.text, "first");
    const std::vector<chat::ToolCall> calls{{"a", "f", R"({"x":1})"}, {"b", "g", "{}"}};
    EXPECT_EQ(answer.reply.tool_calls, calls);
}

TEST(Servers, DeltasWithoutTheirStartAreHeard) {
    const Answer answer = decode(
        from_anthropic,
        R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"well, "}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yes"}}

data: {"type":"message_stop"}

)");
    EXPECT_EQ(answer.reply.text, "well, yes");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"type":"text","text":"well, yes"}])");
}

// Gateways from_anthropic up ids with other characters, and models names. Call and result have to
// agree.
TEST(Servers, OddIdsAndNamesGoBackAsTheApiTakesThem) {
    const Answer anthropic = decode(
        from_anthropic,
        events(
            {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"functions.f:0","name":"functions.f"}})",
             R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})"}));
    const Answer responses = decode(
        from_responses,
        events(
            {R"({"type":"response.output_item.done","item":{"type":"function_call","id":"i","call_id":"functions.f:0","name":"functions.f","arguments":"{}"}})",
             R"({"type":"response.completed","response":{"status":"completed"}})"}));
    for (const Answer* answer : {&anthropic, &responses}) {
        ASSERT_EQ(answer->reply.tool_calls.size(), 1U);
        EXPECT_EQ(answer->reply.tool_calls[0],
                  (chat::ToolCall{"functions_f_0", "functions.f", "{}"}));
        ASSERT_TRUE(answer->reply.opaque);
        EXPECT_NE(answer->reply.opaque->wire.find("\"functions_f_0\""), std::string::npos);
        EXPECT_EQ(answer->reply.opaque->wire.find("functions."), std::string::npos);
    }
}

std::string message(const std::string& json, const std::string& finish = "null") {
    return R"({"choices":[{"message":)" + json + R"(,"finish_reason":)" + finish + "}]}";
}
std::string delta(const std::string& json) {
    return R"({"choices":[{"delta":)" + json + "}]}";
}

TEST(Servers, MessagesInPlaceOfDeltasAreHeardOnce) {
    const std::string call =
        R"("tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}])";
    const auto said = [](const std::vector<std::string>& all) {
        const chat::Reply reply = decode(from_chat, events(all)).reply;
        return reply.text + "|" + std::to_string(reply.tool_calls.size());
    };
    const std::string hel = R"({"content":"Hel"})";
    const std::string hello = R"({"content":"Hello"})";
    EXPECT_EQ(said({message(hello, "\"stop\"")}), "Hello|0");
    EXPECT_EQ(said({message(hel), message(R"({"content":"lo"})", "\"stop\"")}), "Hello|0");
    EXPECT_EQ(said({message(hel), message(hello, "\"stop\"")}), "Hello|0");
    EXPECT_EQ(said({delta(hel), message(hello, "\"stop\"")}), "Hello|0");
    EXPECT_EQ(said({delta(hel), message(hel, "\"stop\"")}), "Hel|0");
    EXPECT_EQ(said({delta(hel), message(R"({"content":" Hel"})", "\"stop\"")}), "Hel|0");
    EXPECT_EQ(said({message(hel), message("{" + call + "}", "\"tool_calls\"")}), "Hel|1");
    EXPECT_EQ(said({delta(hel), message(R"({"content":"Hel",)" + call + "}", "\"tool_calls\"")}),
              "Hel|1");
    EXPECT_EQ(said({delta("{" + call + "}"), message("{" + call + "}", "\"tool_calls\"")}), "|1");
}

TEST(Servers, CallsWithOneNumberAndNoIdsOfTheirOwnAreSeveral) {
    for (const std::string id : {R"("id":"",)", "", R"("id":"a",)"}) {
        const auto call = [&](const std::string& name, const std::string& arguments) {
            return R"({"index":0,)" + id + R"("function":{"name":")" + name + R"(","arguments":")" +
                   arguments + R"("}})";
        };
        const std::string first = call("f", R"({\"x\":1})");
        const std::string second = call("f", R"({\"x\":2})");
        const std::string other = call("g", "");
        const std::string end = R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})";
        for (const std::vector<std::string>& all :
             {std::vector{delta(R"({"tool_calls":[)" + first + "," + second + "," + other + "]}"),
                          end},
              std::vector{delta(R"({"tool_calls":[)" + first + "]}"),
                          delta(R"({"tool_calls":[)" + second + "]}"),
                          delta(R"({"tool_calls":[)" + other + "]}"), end}}) {
            const chat::Reply reply = decode(from_chat, events(all)).reply;
            ASSERT_EQ(reply.tool_calls.size(), 3U) << id;
            EXPECT_EQ(reply.tool_calls[1].arguments, R"({"x":2})");
            EXPECT_EQ(reply.tool_calls[2].name, "g");
            EXPECT_NE(reply.tool_calls[0].id, reply.tool_calls[1].id);
        }
    }
}

TEST(Servers, ACountOfZeroTakesNothingBack) {
    const std::string used = R"("usage":{"prompt_tokens":10,"completion_tokens":5})";
    const std::string none = R"("usage":{"prompt_tokens":0,"completion_tokens":0})";
    EXPECT_EQ(decode(from_chat,
                     events({R"({"choices":[{"delta":{"content":"a"}}],)" + used + "}",
                             R"({"choices":[{"delta":{},"finish_reason":"stop"}],)" + none + "}"}))
                  .reply.usage,
              (chat::Usage{10, 5, 0, 0}));
    EXPECT_EQ(decode(from_chat,
                     events({R"({"choices":[{"delta":{"content":"a"},"finish_reason":"stop",)" +
                             used + "}]}"}))
                  .reply.usage,
              (chat::Usage{10, 5, 0, 0}))
        << "in the choice";
    EXPECT_EQ(
        decode(from_anthropic,
               events({R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})",
                       R"({"type":"message_stop","usage":{"input_tokens":10,"output_tokens":5}})"}))
            .reply.usage,
        (chat::Usage{10, 5, 0, 0}));
}

TEST(Servers, NothingIsHeardBehindTheEnd) {
    EXPECT_EQ(decode(from_chat,
                     events({delta(R"({"content":"a"})"), "[DONE]", delta(R"({"content":"b"})")}))
                  .reply.text,
              "a");
}

TEST(Servers, ResponsesWithoutNumbersAreHeardOnce) {
    const std::string completed =
        R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"Hello"}]}]}})";
    EXPECT_EQ(
        decode(from_responses,
               events({R"({"type":"response.output_text.delta","delta":"Hello"})", completed}))
            .reply.text,
        "Hello");
    EXPECT_EQ(decode(from_responses,
                     events({R"({"type":"response.output_text.done","text":"Hello"})", completed}))
                  .reply.text,
              "Hello");
}

TEST(Servers, CallsThatAreAnnouncedAndDoNotComeAreKnown) {
    for (const chat::Reply& reply :
         {decode(from_anthropic,
                 events({R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})"}))
              .reply,
          decode(from_chat, events({R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})"}))
              .reply}) {
        EXPECT_EQ(reply.stop, chat::StopReason::tool_use);
        EXPECT_TRUE(reply.tool_calls.empty());
    }
}

}  // namespace
}  // namespace chorus::model
