#include "model/gemini.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "requests.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

const Origin gemini_origin{"gemini", "gemini-4-neon"};

std::string contents_of(const std::vector<chat::Message>& messages, bool reasons = true) {
    const std::string body = gemini_body(request_of(messages), gemini_origin, reasons);
    const std::size_t at = body.find("\"contents\":");
    return body.substr(at + 11, body.size() - at - 12);
}

TEST(Gemini, WritesARequest) {
    chat::Request request = tooled_request();
    request.documents = "Docs.";
    request.max_output_tokens = 99;
    EXPECT_EQ(
        gemini_body(request, gemini_origin, true),
        R"({"systemInstruction":{"parts":[{"text":"You are \"x\".\nDocs."}]},)"
        R"("tools":[{"functionDeclarations":[{"name":"bash","description":"Runs it","parametersJsonSchema":{"type":"object","required":["command"]}},)"
        R"({"name":"view","description":"Shows it","parametersJsonSchema":{"type":"object","properties":{}}}]}],)"
        R"("generationConfig":{"maxOutputTokens":99,"thinkingConfig":{"includeThoughts":true}},)"
        R"("contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
    EXPECT_EQ(gemini_body(request_of({user("hi")}), gemini_origin, false),
              R"({"contents":[{"role":"user","parts":[{"text":"hi"}]}]})");
}

TEST(Gemini, AModelsNameCannotLeaveItsPlaceInThePath) {
    EXPECT_EQ(gemini_path("gemini-4-neon"),
              "/v1beta/models/gemini-4-neon:streamGenerateContent?alt=sse");
    EXPECT_EQ(gemini_path("a/../b?c#d e"),
              "/v1beta/models/a%2F..%2Fb%3Fc%23d%20e:streamGenerateContent?alt=sse");
}

TEST(Gemini, ResultsNameTheirFunctionAndShareAMessageWithWhatTheUserSays) {
    EXPECT_EQ(
        contents_of(
            {user("go"),
             answer("I look.", {{"c1", "bash", R"({"command":"ls"})"}, {"c2", "view", "{ broken"}}),
             user("and?"), result("c1", "a.c"), result("c2", "no such file", true)}),
        R"([{"role":"user","parts":[{"text":"go"}]},)"
        R"({"role":"model","parts":[{"text":"I look."},)"
        R"({"functionCall":{"id":"c1","name":"bash","args":{"command":"ls"}},"thoughtSignature":"skip_thought_signature_validator"},)"
        R"({"functionCall":{"id":"c2","name":"view","args":{}}}]},)"
        R"({"role":"user","parts":[{"functionResponse":{"id":"c1","name":"bash","response":{"output":"a.c"}}},)"
        R"({"functionResponse":{"id":"c2","name":"view","response":{"error":"no such file"}}},{"text":"and?"}]}])");
    EXPECT_EQ(contents_of({user("go"), answer("", {{"c1", "bash", "{}"}}), result("c1", "")}, false)
                  .find("thoughtSignature"),
              std::string::npos);
}

TEST(Gemini, SendsItsOwnPartsBackAsTheyCame) {
    chat::Message own = answer("Ja.", {{"c1", "bash", "{}"}});
    own.opaque = chat::Opaque{
        "gemini", "gemini-4-neon",
        R"([{"text":"Ja."},{"functionCall":{"id":"c1","name":"bash","args":{}},"thoughtSignature":"c2ln"}])"};
    const std::vector<chat::Message> messages{user("go"), own, result("c1", "x")};
    EXPECT_NE(
        contents_of(messages).find(
            R"({"role":"model","parts":[{"text":"Ja."},{"functionCall":{"id":"c1","name":"bash","args":{}},"thoughtSignature":"c2ln"}]})"),
        std::string::npos);
    std::vector<chat::Message> foreign = messages;
    foreign[1].opaque->model = "gemini-3-pro";
    EXPECT_EQ(contents_of(foreign).find("c2ln"), std::string::npos);
}

TEST(Gemini, ARequestOnlyGrowsAtItsEnd) {
    std::string before;
    const std::vector<chat::Message> all = long_conversation();
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const chat::Json now =
            chat::parse_json(contents_of({all.begin(), all.begin() + n}), "body");
        std::string whole;
        for (const chat::Json& content : now)
            for (const chat::Json& part : content["parts"]) whole += part.dump() + "\n";
        EXPECT_TRUE(whole.starts_with(before)) << n;
        before = whole;
    }
}

const MakeDecoder make_gemini = [](const StreamSink& sink) {
    return gemini_decoder(gemini_origin, sink);
};

constexpr std::string_view calls_stream =
    R"(data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"hm, l\u00e4sst","thought":true}]}}],"usageMetadata":{"promptTokenCount":100,"totalTokenCount":100}}

data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Zwei "}]}}]}

data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Dateien: \u00e4€😀"}]}}]}

data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"bash","args":{"command":"ls"}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"view","args":{}}}]}}]}

data: {"candidates":[{"index":0,"content":{"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":7,"cachedContentTokenCount":64,"totalTokenCount":127},"modelVersion":"gemini-4-neon"}

)";

TEST(GeminiStream, TextThoughtsAndCallsComeTogether) {
    decode_every_way(make_gemini, calls_stream, [](const Answer& answer, const Heard& heard) {
        ASSERT_FALSE(answer.failure) << answer.failure->message;
        EXPECT_EQ(heard.text, "Zwei Dateien: ä€😀");
        EXPECT_EQ(heard.thinking, "hm, lässt");
        const chat::Reply& reply = answer.reply;
        EXPECT_EQ(reply.stop, StopReason::tool_use);
        ASSERT_EQ(reply.tool_calls.size(), 2U);
        EXPECT_EQ(reply.tool_calls[0], (chat::ToolCall{"c1", "bash", R"({"command":"ls"})"}));
        EXPECT_EQ(reply.tool_calls[1].name, "view");
        EXPECT_EQ(reply.usage, (chat::Usage{100, 27, 64, 0, 7}));
        ASSERT_TRUE(reply.opaque);
        EXPECT_EQ(
            reply.opaque->wire,
            R"([{"text":"Zwei Dateien: ä€😀"},{"functionCall":{"id":"c1","name":"bash","args":{"command":"ls"}},"thoughtSignature":"c2ln"},)"
            R"({"functionCall":{"name":"view","args":{},"id":")" +
                reply.tool_calls[1].id + R"("}}])");
    });
}

TEST(GeminiStream, APartThatIsKeptCountsTowardsTheLongestAnswer) {
    std::string stream;
    const std::string signature(base::limits::answer_bytes / 4, 'A');
    for (int n = 0; n < 5; ++n)
        stream += R"(data: {"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":")" +
                  signature + "\"}]}}]}\n\n";
    const Answer answer = decode(make_gemini, stream);
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->message, "gemini: the answer is longer than 32 MiB");
}

TEST(GeminiStream, WithoutAFinishReasonItIsACut) {
    for (const std::string& cut : cuts(calls_stream)) {
        const Answer answer = decode(make_gemini, cut);
        ASSERT_TRUE(answer.failure) << cut;
        EXPECT_EQ(answer.failure->category, Category::no_internet);
        EXPECT_TRUE(answer.reply.tool_calls.empty());
    }
}

std::string ended_by(const std::string& word) {
    return R"(data: {"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":")" + word +
           "\"}]}\n\n";
}

TEST(GeminiStream, EndsForManyReasons) {
    const std::pair<const char*, StopReason> cases[] = {
        {"STOP", StopReason::end},
        {"FUNCTION_CALL", StopReason::end},
        {"MAX_TOKENS", StopReason::max_tokens},
        {"CONTINUATION", StopReason::max_tokens},
        {"SAFETY", StopReason::content_filter},
        {"PROHIBITED_CONTENT", StopReason::content_filter},
        {"MALFORMED_FUNCTION_CALL", StopReason::unknown},
        {"SOMETHING_NEW", StopReason::unknown}};
    for (const auto& [word, stop] : cases) {
        const Answer answer = decode(make_gemini, ended_by(word));
        EXPECT_FALSE(answer.failure) << word;
        EXPECT_EQ(answer.reply.stop, stop) << word;
        EXPECT_EQ(answer.reply.raw_stop, word);
    }
    const Answer blocked = decode(
        make_gemini, "data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}\n\n");
    EXPECT_EQ(blocked.reply.stop, StopReason::content_filter);
}

TEST(GeminiStream, AnErrorInMidStreamIsThatError) {
    const Answer answer = decode(make_gemini,
                                 R"(data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}

data: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}

)");
    ASSERT_TRUE(answer.failure);
    EXPECT_EQ(answer.failure->category, Category::rate_limited);
    EXPECT_EQ(answer.failure->retry_after_ms, 34'000);
}

TEST(GeminiStream, ASignatureOnAnEmptyPartIsKept) {
    const Answer answer = decode(
        make_gemini,
        R"(data: {"candidates":[{"content":{"parts":[{"text":"a"},{"text":"","thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}

)");
    EXPECT_EQ(answer.reply.opaque->wire, R"([{"text":"a"},{"text":"","thoughtSignature":"c2ln"}])");
}

TEST(GeminiStream, AWholeAnswerIsOneObjectOrAnArray) {
    const std::string object =
        R"({"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]})";
    for (const std::string& body : {object, "[" + object + "]"}) {
        Heard heard;
        const auto decoder = make_gemini(heard.sink);
        decoder->take_whole(body);
        EXPECT_FALSE(decoder->finish().failure);
        EXPECT_EQ(heard.text, "hi");
    }
}

}  // namespace
}  // namespace chorus::model
