// Servers that speak Anthropic's format, each with its own departures.
#include <gtest/gtest.h>

#include "model/anthropic.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

const MakeDecoder make = [](const StreamSink& sink) {
    return anthropic_decoder({"anthropic", "claude-opus-5-5"}, sink);
};

TEST(AnthropicServers, TheLargerCountIsWhatWasUsed) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"message_start","message":{"usage":{"input_tokens":1000,"cache_read_input_tokens":7,"output_tokens":1}}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":20}}

)");
    EXPECT_EQ(answer.reply.usage, (chat::Usage{1007, 20, 7, 0}));
}

TEST(AnthropicServers, BlocksWithOneIndexAreSeveral) {
    const Answer answer = decode(
        make,
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

TEST(AnthropicServers, DeltasWithoutTheirStartAreHeard) {
    const Answer answer = decode(
        make,
        R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"well, "}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yes"}}

data: {"type":"message_stop"}

)");
    EXPECT_EQ(answer.reply.text, "well, yes");
    ASSERT_TRUE(answer.reply.opaque);
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"type":"text","text":"well, yes"}])");
}

}  // namespace
}  // namespace chorus::model
