#include <gtest/gtest.h>

#include <set>

#include "model/openai_responses.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

const MakeDecoder make_responses = [](const StreamSink& sink) {
    return responses_decoder({"openai", "gpt-6.1-sol"}, sink);
};

// Thinking that is not kept counts too, or an answer of it alone would have no end.
TEST(ResponsesStream, ThinkingHasTheBoundOfTheAnswer) {
    Heard heard;
    const auto decoder = make_responses(heard.sink);
    const std::string event = R"({"type":"response.reasoning_text.delta","delta":")" +
                              std::string(1U << 20U, 'x') + "\"}";
    for (int i = 0; i < 32; ++i) decoder->take({"message", event});
    EXPECT_NE(decoder->received(), net::Received::refused);
    decoder->take({"message", event});
    EXPECT_EQ(decoder->received(), net::Received::refused);
    const Answer answer = decoder->finish();
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->message, "openai: the answer is longer than 32 MiB");
}

constexpr std::string_view responses_tool_stream =
    R"(event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","error":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"PART"}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"delta":"thinking"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"WHOLE=="}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1","role":"assistant","content":[],"phase":"commentary"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"bash","arguments":""}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Ich schaue "}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"cmd\":"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"nach 😀."}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"\"ls\"}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\"cmd\":\"ls\"}"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"bash","arguments":"{\"cmd\":\"ls\"}","status":"completed"}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"msg_1","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Ich schaue nach 😀.","annotations":[]}]}}

event: response.web_search_call.searching
data: {"type":"response.web_search_call.searching","item_id":"ws"}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":32},"output_tokens":12,"total_tokens":62}}}

)";

constexpr std::string_view responses_tool_wire =
    R"([{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"WHOLE=="},)"
    R"({"type":"message","id":"msg_1","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Ich schaue nach 😀.","annotations":[]}]},)"
    R"({"type":"function_call","id":"fc_1","call_id":"call_1","name":"bash","arguments":"{\"cmd\":\"ls\"}","status":"completed"}])";

TEST(ResponsesStream, GivesTheSameHoweverItIsSplit) {
    decode_every_way(
        make_responses, responses_tool_stream, [](const Answer& answer, const Heard& heard) {
            ASSERT_FALSE(answer.failure) << answer.failure->message;
            EXPECT_EQ(answer.reply.text, "Ich schaue nach 😀.");
            EXPECT_EQ(heard.text, answer.reply.text);
            EXPECT_EQ(heard.thinking, "thinking");
            const std::vector<chat::ToolCall> calls{{"call_1", "bash", R"({"cmd":"ls"})"}};
            EXPECT_EQ(answer.reply.tool_calls, calls);
            EXPECT_EQ(answer.reply.stop, StopReason::tool_use);
            ASSERT_TRUE(answer.reply.opaque);
            EXPECT_EQ(answer.reply.opaque->wire, responses_tool_wire);
            const chat::Usage usage{50, 12, 32, 0};
            EXPECT_EQ(answer.reply.usage, usage);
        });
}

TEST(ResponsesStream, ACutStreamNeverHasCalls) {
    for (const std::string& cut : cuts(responses_tool_stream)) {
        const Answer answer = decode(make_responses, cut);
        ASSERT_TRUE(answer.failure) << cut;
        EXPECT_EQ(answer.failure->category, Category::no_internet);
        EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
        EXPECT_TRUE(answer.reply.tool_calls.empty());
        EXPECT_FALSE(answer.reply.opaque);
    }
}

// What llama-server does: no output_index, no arguments.done, a second item before the first is
// done.
TEST(ResponsesStream, KeysByItemIdWhereNumbersAreMissing) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.added","item":{"type":"function_call","id":"fc_a","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.output_item.added","item":{"type":"function_call","id":"fc_b","call_id":"b","name":"g","arguments":""}}

data: {"type":"response.function_call_arguments.delta","item_id":"fc_a","delta":"{\"x\":1}"}

data: {"type":"response.function_call_arguments.delta","item_id":"fc_b","delta":"{}"}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    const std::vector<chat::ToolCall> calls{{"a", "f", R"({"x":1})"}, {"b", "g", "{}"}};
    EXPECT_EQ(answer.reply.tool_calls, calls);
}

TEST(ResponsesStream, KeysByNumberWhereIdsAreMissing) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"b","name":"g","arguments":""}}

data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"x\":1}"}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    const std::vector<chat::ToolCall> calls{{"a", "f", "{}"}, {"b", "g", R"({"x":1})"}};
    EXPECT_EQ(answer.reply.tool_calls, calls);
}

// What GitHub Copilot does.
TEST(ResponsesStream, KeysByNumberWhereIdsChangeWithEveryEvent) {
    Heard heard;
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"r1","summary":[]}}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"r2","summary":[],"encrypted_content":"E"}}

data: {"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"m1","role":"assistant","content":[]}}

data: {"type":"response.output_text.delta","item_id":"m2","output_index":1,"content_index":0,"delta":"All"}

data: {"type":"response.output_text.delta","item_id":"m3","output_index":1,"content_index":0,"delta":" well."}

data: {"type":"response.output_text.done","item_id":"m4","output_index":1,"content_index":0,"text":"All well."}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","id":"m5","role":"assistant","content":[{"type":"output_text","text":"All well."}]}}

data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"f1","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.function_call_arguments.delta","item_id":"f2","output_index":2,"delta":"{\"x\""}

data: {"type":"response.function_call_arguments.delta","item_id":"f3","output_index":2,"delta":":1}"}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"f4","call_id":"a","name":"f","arguments":"{\"x\":1}"}}

data: {"type":"response.completed","response":{"status":"completed"}}

)",
        heard);
    EXPECT_EQ(heard.text, "All well.");
    EXPECT_EQ(answer.reply.text, "All well.");
    const std::vector<chat::ToolCall> calls{{"a", "f", R"({"x":1})"}};
    EXPECT_EQ(answer.reply.tool_calls, calls);
    EXPECT_NE(answer.reply.opaque->wire.find(R"("encrypted_content":"E")"), std::string::npos);
    EXPECT_EQ(answer.reply.opaque->wire.find(R"("id":"m1")"), std::string::npos);
}

TEST(ResponsesStream, KeysByIdWhereEveryNumberIsTheSame) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f1","call_id":"a","name":"f","arguments":""}}

data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f2","call_id":"b","name":"g","arguments":""}}

data: {"type":"response.function_call_arguments.delta","item_id":"f1","output_index":0,"delta":"{\"x\":1}"}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"f3","call_id":"c","name":"h","arguments":"{}"}}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    const std::vector<chat::ToolCall> calls{
        {"a", "f", R"({"x":1})"}, {"b", "g", "{}"}, {"c", "h", "{}"}};
    EXPECT_EQ(answer.reply.tool_calls, calls);
}

TEST(ResponsesStream, TakesWhatTheDeltasLeftOut) {
    Heard heard;
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_text.delta","item_id":"m","output_index":0,"delta":"Got it"}

data: {"type":"response.output_text.done","item_id":"m","output_index":0,"text":"Got it: 4"}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"Got it: 4"},{"type":"output_text","text":"2."}]}}

data: {"type":"response.completed","response":{"status":"completed"}}

)",
        heard);
    EXPECT_EQ(heard.text, "Got it: 42.");
    EXPECT_EQ(answer.reply.text, "Got it: 42.");
}

// Each call is answered by its id: two with one id would be one.
TEST(ResponsesStream, MakesUpIdsThatAreMissingOrTwice) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"1","call_id":"a","name":"f"}}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"2","call_id":"a","name":"f"}}

data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","id":"3","name":"f"}}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    std::set<std::string> ids;
    for (const chat::ToolCall& call : answer.reply.tool_calls) {
        ids.insert(call.id);
        EXPECT_NE(answer.reply.opaque->wire.find("\"" + call.id + "\""), std::string::npos);
    }
    EXPECT_EQ(ids.size(), 3U);
    EXPECT_EQ(ids.count("a"), 1U);
    EXPECT_EQ(ids.count(""), 0U);
}

TEST(ResponsesStream, AnItemThatComesTwiceIsOne) {
    const std::string item =
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{}"}}

)";
    const Answer answer = decode(
        make_responses,
        item + item +
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n");
    EXPECT_EQ(answer.reply.tool_calls.size(), 1U);
}

TEST(ResponsesStream, TakesItemsThatOnlyTheEndNames) {
    Heard heard;
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{}"}]}}

)",
        heard);
    EXPECT_EQ(heard.text, "hi");
    EXPECT_EQ(answer.reply.tool_calls.size(), 1U);
}

TEST(ResponsesStream, MessagesAreParagraphs) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_text.delta","item_id":"m1","output_index":0,"delta":"I look."}

data: {"type":"response.output_text.delta","item_id":"m2","output_index":1,"delta":"All"}

data: {"type":"response.output_text.delta","item_id":"m2","output_index":1,"delta":" well."}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    EXPECT_EQ(answer.reply.text, "I look.\n\nAll well.");
    EXPECT_EQ(answer.reply.stop, StopReason::end);
}

TEST(ResponsesStream, ACompletedItemMayHoldCutArguments) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":"{ \"fl","status":"completed"}}

data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}

)");
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.reply.stop, StopReason::max_tokens);
    EXPECT_EQ(answer.reply.raw_stop, "max_output_tokens");
    ASSERT_EQ(answer.reply.tool_calls.size(), 1U);
    EXPECT_EQ(answer.reply.tool_calls[0].arguments, "{ \"fl");
    EXPECT_NE(answer.reply.opaque->wire.find(R"("arguments":"{}")"), std::string::npos);
}

TEST(ResponsesStream, KnowsRefusalsAndFilters) {
    const Answer refused = decode(
        make_responses,
        R"(data: {"type":"response.refusal.delta","item_id":"m","output_index":0,"delta":"No."}

data: {"type":"response.completed","response":{"status":"completed"}}

)");
    EXPECT_EQ(refused.reply.stop, StopReason::refusal);
    EXPECT_EQ(refused.reply.text, "No.");
    const Answer filtered = decode(
        make_responses,
        R"(data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}

)");
    EXPECT_EQ(filtered.reply.stop, StopReason::content_filter);
}

TEST(ResponsesStream, KnowsHowAResponseEnds) {
    const auto end = [](const char* type, const std::string& response) {
        return decode(make_responses, std::string("data: {\"type\":\"response.") + type +
                                          "\",\"response\":" + response + "}\n\n")
            .reply;
    };
    EXPECT_EQ(end("completed", R"({"status":"completed"})").stop, StopReason::end);
    EXPECT_EQ(end("completed", "{}").stop, StopReason::end);
    for (const char* response :
         {R"({"status":"incomplete","incomplete_details":{"reason":"max_tool_calls"}})",
          R"({"status":"incomplete","incomplete_details":null})", R"({"status":"incomplete"})",
          "{}"})
        EXPECT_EQ(end("incomplete", response).stop, StopReason::unknown) << response;
    EXPECT_EQ(end("incomplete", "{}").raw_stop, "incomplete");
    EXPECT_EQ(end("completed", R"({"status":"cancelled"})").stop, StopReason::unknown);
}

TEST(ResponsesStream, DoneEndsWhatHadNoEnd) {
    const std::string item =
        R"(data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"hi"}]}}

)";
    const std::string another =
        R"(data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc","call_id":"a","name":"f","arguments":""}}

)";
    const std::string done = "data: [DONE]\n\n";
    const Answer whole = decode(make_responses, item + done);
    EXPECT_FALSE(whole.failure);
    EXPECT_EQ(whole.reply.stop, StopReason::end);
    EXPECT_TRUE(decode(make_responses, item + another + done).failure);
    EXPECT_TRUE(decode(make_responses, item).failure);
    EXPECT_TRUE(decode(make_responses, done).failure);
}

TEST(ResponsesStream, AFailedResponseSaysWhatItUsed) {
    const Answer answer = decode(
        make_responses,
        R"(data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"sorry"},"usage":{"input_tokens":11000,"output_tokens":400}}}

)");
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.reply.usage, (chat::Usage{11'000, 400, 0, 0}));
}

TEST(ResponsesStream, KnowsThinkingFromWriting) {
    Heard heard;
    const auto decoder = make_responses(heard.sink);
    const auto after = [&](const std::string& data) {
        decoder->take({"message", data});
        return decoder->received();
    };
    EXPECT_EQ(after(R"({"type":"response.created","response":{}})"), net::Received::preamble);
    EXPECT_EQ(
        after(R"({"type":"response.output_item.added","item":{"type":"reasoning","id":"r"}})"),
        net::Received::preamble);
    EXPECT_EQ(after(R"({"type":"response.output_text.delta","item_id":"m","delta":"a"})"),
              net::Received::answer);
    EXPECT_EQ(
        after(R"({"type":"response.output_item.added","item":{"type":"reasoning","id":"s"}})"),
        net::Received::preamble);
    EXPECT_EQ(
        after(R"({"type":"response.function_call_arguments.delta","item_id":"f","delta":"{"})"),
        net::Received::answer);
    EXPECT_EQ(after(R"({"type":"response.completed","response":{}})"), net::Received::whole);
}

TEST(ResponsesStream, FailuresAreClassified) {
    const std::vector<std::pair<std::string, Category>> table{
        {R"({"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"sorry"}}})",
         Category::server_error},
        {R"({"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow"}}})",
         Category::rate_limited},
        {R"({"type":"error","code":"insufficient_quota","message":"pay","param":null})",
         Category::out_of_credits},
        {R"({"type":"error","error":{"type":"invalid_request_error","code":"invalid_prompt","message":"x"}})",
         Category::other}};
    for (const auto& [data, category] : table) {
        const Answer answer = decode(make_responses, "data: " + data + "\n\n");
        ASSERT_TRUE(answer.failure) << data;
        EXPECT_EQ(answer.failure->category, category) << data;
        EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
    }
}

TEST(ResponsesStream, WrongTypesAreNoFault) {
    const Answer answer = decode(
        make_responses, R"(data: {"type":"response.output_item.added","output_index":-7,"item":[]}

data: {"type":"response.output_item.done","item":{"type":7,"content":"x"}}

data: {"type":"response.output_text.delta","delta":{"a":1}}

data: {"type":"response.completed","response":null}

)");
    EXPECT_FALSE(answer.failure);
    EXPECT_TRUE(answer.reply.tool_calls.empty());
}

}  // namespace
}  // namespace chorus::model
