// The bound of an answer: whatever its parts are, together they end there.
#include "base/limits.hpp"

#include <gtest/gtest.h>

#include "model/openai_chat.hpp"
#include "model/openai_responses.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

constexpr std::size_t piece_bytes = 1U << 20;

std::string delta(const char* member, std::size_t bytes) {
    return std::string(R"({"choices":[{"index":0,"delta":{")") + member + "\":\"" +
           std::string(bytes, 'x') + R"("},"finish_reason":null}]})";
}

// Text and thoughts by turns, `bytes` of them.
Answer answer_of(std::size_t bytes) {
    Heard heard;
    const auto decoder = chat_decoder({"openai-chat", "m"}, heard.sink, Quirks{});
    for (std::size_t left = bytes, i = 0; left > 0; ++i) {
        const std::size_t piece = std::min(left, piece_bytes);
        const char* member = i % 4 == 3 ? "reasoning_content" : "content";
        decoder->take({"message", delta(member, piece)});
        left -= piece;
    }
    decoder->take({"message", R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"});
    return decoder->finish();
}

TEST(Limits, Answer) {
    constexpr std::size_t most = base::limits::answer_bytes;
    for (const std::size_t bytes : {most - 1, most}) {
        const Answer whole = answer_of(bytes);
        EXPECT_FALSE(whole.failure) << bytes;
        EXPECT_GT(whole.reply.text.size(), most / 2);
    }
    const Answer over = answer_of(most + 1);
    ASSERT_TRUE(over.failure);
    EXPECT_EQ(over.failure->message, "openai-chat: the answer is longer than 32 MiB");
    EXPECT_FALSE(over.failure->retryable);
}

std::string event_of(const char* type, const std::string& member) {
    return std::string("data: {\"type\":\"") + type + "\"," + member + "}\n\n";
}

// A Responses stream holds the whole answer in single lines, at its end twice.
TEST(Limits, AnAnswerOfTenMegabytesInOneLine) {
    const std::string text(10'000'000, 'x');
    const std::string message =
        R"({"type":"message","id":"m","content":[{"type":"output_text","text":")" + text + "\"}]}";
    const std::string stream =
        event_of("response.output_text.delta", R"("item_id":"m","delta":")" + text + "\"") +
        event_of("response.output_text.done", R"("item_id":"m","text":")" + text + "\"") +
        event_of("response.output_item.done", R"("item":)" + message) +
        event_of("response.completed",
                 R"("response":{"status":"completed","output":[)" + message + "]}");
    Heard heard;
    const auto decoder = responses_decoder({"openai", "m"}, heard.sink);
    const Answer answer = feed(*decoder, stream, 16'384, 16'384);
    ASSERT_FALSE(answer.failure) << answer.failure->message;
    EXPECT_EQ(answer.reply.text.size(), text.size());
}

}  // namespace
}  // namespace chorus::model
