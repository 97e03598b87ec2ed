#include "model/ollama.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "requests.hpp"
#include "streams.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

const Origin ollama_origin{"ollama", "qwen3:8b"};

std::string ollama_messages_of(const std::vector<chat::Message>& messages) {
    const std::string body = ollama_body(request_of(messages), ollama_origin, {}, 0);
    const std::size_t at = body.find("\"messages\":");
    return body.substr(at + 11, body.size() - at - 12);
}

const MakeDecoder make_ollama = [](const StreamSink& sink) {
    return ollama_decoder(ollama_origin, sink);
};

TEST(Ollama, WritesARequest) {
    chat::Request request = tooled_request();
    request.documents = "Docs.";
    request.max_output_tokens = 99;
    request.temperature = 0.5;
    request.effort = "high";
    Quirks quirks;
    quirks.keep_alive = "30m";
    EXPECT_EQ(
        ollama_body(request, ollama_origin, quirks, 8192),
        R"({"model":")" + request.model +
            R"(","stream":true,"truncate":false,"shift":false,"keep_alive":"30m","think":"high",)"
            R"("options":{"num_ctx":8192,"num_predict":99,"temperature":0.5},)"
            R"("tools":[{"type":"function","function":{"name":"bash","description":"Runs it","parameters":{"type":"object","required":["command"]}}},)"
            R"({"type":"function","function":{"name":"view","description":"Shows it","parameters":{"type":"object","properties":{}}}}],)"
            R"("messages":[{"role":"system","content":"You are \"x\".\nDocs."},{"role":"user","content":"hi"}]})");
    const chat::Request plain = request_of({user("hi")});
    EXPECT_EQ(ollama_body(plain, ollama_origin, {}, 0),
              R"({"model":")" + plain.model +
                  R"(","stream":true,"truncate":false,"shift":false,)"
                  R"("messages":[{"role":"user","content":"hi"}]})");
}

TEST(Ollama, ThinksOrNotOrAtALevel) {
    chat::Request request = request_of({user("hi")});
    for (const auto& [effort, member] : {std::pair("none", "\"think\":false,"),
                                         {"true", "\"think\":true,"},
                                         {"low", "\"think\":\"low\","}}) {
        request.effort = effort;
        EXPECT_NE(ollama_body(request, ollama_origin, {}, 0).find(member), std::string::npos)
            << effort;
    }
}

TEST(Ollama, ArgumentsAreAnObjectAndResultsNameTheirFunction) {
    EXPECT_EQ(
        ollama_messages_of(
            {user("go"),
             answer("I look.", {{"c1", "bash", R"({"command":"ls"})"}, {"c2", "view", "{ broken"}}),
             user("and?"), result("c1", "a.c"), result("c2", "no such file", true)}),
        R"([{"role":"user","content":"go"},)"
        R"({"role":"assistant","content":"I look.","tool_calls":[)"
        R"({"id":"c1","function":{"name":"bash","arguments":{"command":"ls"}}},)"
        R"({"id":"c2","function":{"name":"view","arguments":{}}}]},)"
        R"({"role":"tool","tool_name":"bash","tool_call_id":"c1","content":"a.c"},)"
        R"({"role":"tool","tool_name":"view","tool_call_id":"c2","content":"no such file"},)"
        R"({"role":"user","content":"and?"}])");
}

TEST(Ollama, ThoughtsGoBackToTheModelThatHadThem) {
    chat::Message own = answer("Ja.", {{"c1", "bash", "{}"}});
    own.opaque = chat::Opaque{"ollama", "qwen3:8b", R"([{"thinking":"hm \"x\""}])"};
    std::vector<chat::Message> messages{user("go"), own, result("c1", "x")};
    EXPECT_NE(ollama_messages_of(messages).find(
                  R"({"role":"assistant","content":"Ja.","thinking":"hm \"x\"","tool_calls":[)"),
              std::string::npos);
    messages[1].opaque->model = "gpt-oss";
    EXPECT_EQ(ollama_messages_of(messages).find("thinking"), std::string::npos);
}

TEST(Ollama, ABodyOnlyGrowsAtItsEnd) {
    std::string before;
    const std::vector<chat::Message> all = long_conversation();
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const std::vector<chat::Message> some(all.begin(),
                                              all.begin() + static_cast<std::ptrdiff_t>(n));
        std::string now = ollama_messages_of(some);
        now.pop_back();
        EXPECT_TRUE(now.starts_with(before));
        before = std::move(now);
    }
}

constexpr std::string_view whole =
    R"({"model":"qwen3:8b","created_at":"2026-11-27T12:00:00Z","message":{"role":"assistant","content":"","thinking":"Erst "},"done":false})"
    "\n"
    R"({"model":"qwen3:8b","message":{"role":"assistant","content":"","thinking":"lesen 🤔"},"done":false})"
    "\r\n"
    R"({"model":"qwen3:8b","message":{"role":"assistant","content":"Grü\u00dfe "},"done":false})"
    "\n\n"
    R"({"model":"qwen3:8b","message":{"role":"assistant","content":"☕"},"done":false})"
    "\n"
    R"({"model":"qwen3:8b","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"bash","arguments":{"command":"ls \"x\""}}},{"function":{"name":"view","arguments":"{\"path\":\"a\"}"}},{"function":{"name":"view"}}]},"done":false})"
    "\n"
    R"({"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":1,"prompt_eval_count":26,"eval_count":12})"
    "\n";

TEST(OllamaStream, TextThoughtsAndCallsComeTogether) {
    decode_every_way(make_ollama, whole, [](const Answer& answer, const Heard& heard) {
        ASSERT_FALSE(answer.failure) << answer.failure->message;
        EXPECT_EQ(answer.reply.text, "Grüße ☕");
        EXPECT_EQ(heard.thinking, "Erst lesen 🤔");
        EXPECT_EQ(answer.reply.stop, StopReason::tool_use);
        ASSERT_EQ(answer.reply.tool_calls.size(), 3U);
        EXPECT_EQ(answer.reply.tool_calls[0].id, "call_a");
        EXPECT_EQ(answer.reply.tool_calls[0].arguments, R"({"command":"ls \"x\""})");
        EXPECT_EQ(answer.reply.tool_calls[1].arguments, R"({"path":"a"})");
        EXPECT_EQ(answer.reply.tool_calls[2].arguments, "{}");
        EXPECT_NE(answer.reply.tool_calls[1].id, answer.reply.tool_calls[2].id);
        ASSERT_TRUE(answer.reply.opaque);
        EXPECT_EQ(answer.reply.opaque->wire, R"([{"thinking":"Erst lesen 🤔"}])");
        EXPECT_EQ(answer.reply.usage.input_tokens, 26);
        EXPECT_EQ(answer.reply.usage.output_tokens, 12);
    });
}

TEST(OllamaStream, WithoutItsLastLineItIsACut) {
    for (std::size_t end = whole.find('\n'); end + 1 < whole.size();
         end = whole.find('\n', end + 1)) {
        const Answer answer = decode(make_ollama, whole.substr(0, end + 1));
        ASSERT_TRUE(answer.failure) << end;
        EXPECT_TRUE(answer.failure->retryable);
        EXPECT_TRUE(answer.reply.tool_calls.empty());
        EXPECT_EQ(answer.reply.stop, StopReason::truncated_stream);
    }
    EXPECT_FALSE(decode(make_ollama, whole.substr(0, whole.size() - 1)).failure)
        << "the last newline may be missing";
}

TEST(OllamaStream, EndsForManyReasons) {
    for (const auto& [word, stop] : {std::pair("stop", StopReason::end),
                                     {"length", StopReason::max_tokens},
                                     {"load", StopReason::unknown}}) {
        const Answer answer =
            decode(make_ollama, R"({"message":{"content":"x"},"done":true,"done_reason":")" +
                                    std::string(word) + "\"}\n");
        EXPECT_EQ(answer.reply.stop, stop) << word;
        EXPECT_EQ(answer.reply.raw_stop, word);
        EXPECT_EQ(answer.reply.text, "x");
    }
}

TEST(OllamaStream, AnErrorInMidStreamIsThatError) {
    const Answer answer =
        decode(make_ollama,
               "{\"message\":{\"content\":\"I \"},\"done\":false}\n"
               "{\"error\":\"an error was encountered while running the model\"}\n");
    ASSERT_TRUE(answer.failure);
    EXPECT_NE(answer.failure->message.find("while running the model"), std::string::npos);
    EXPECT_EQ(answer.reply.text, "I ");
}

TEST(OllamaStream, ALongPromptIsAnOverflow) {
    const Answer answer =
        decode(make_ollama, "{\"error\":\"the input length exceeds the context length\"}\n");
    ASSERT_TRUE(answer.failure);
    EXPECT_TRUE(answer.failure->context_overflow);
    EXPECT_FALSE(answer.failure->retryable);
}

TEST(OllamaStream, ABrokenLineIsAMalformedEvent) {
    const Answer answer = decode(make_ollama, "{\"message\":{\"content\":\"I\n\n");
    ASSERT_TRUE(answer.failure);
    EXPECT_TRUE(answer.failure->retryable);
}

TEST(OllamaStream, ThoughtsWithoutCallsAreNotKept) {
    const Answer answer =
        decode(make_ollama, R"({"message":{"content":"x","thinking":"hm"},"done":true})");
    ASSERT_FALSE(answer.failure);
    EXPECT_FALSE(answer.reply.opaque);
}

}  // namespace
}  // namespace chorus::model
