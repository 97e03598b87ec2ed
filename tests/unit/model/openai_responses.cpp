#include "model/openai_responses.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"

namespace chorus::model {
namespace {

const Origin responses_origin{"openai", "m"};

std::string input_of(const std::vector<chat::Message>& messages) {
    const std::string body =
        responses_body(request_of(messages), responses_origin, Reasoning::encrypted);
    const std::size_t at = body.find("\"input\":");
    return body.substr(at + 8, body.size() - at - 9);
}

TEST(OpenaiResponses, WritesARequest) {
    chat::Request request = tooled_request();
    request.max_output_tokens = 99;
    EXPECT_EQ(
        responses_body(request, responses_origin, Reasoning::encrypted),
        R"({"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":99,"instructions":"You are \"x\".\n",)"
        R"("tools":[{"type":"function","name":"bash","description":"Runs it","parameters":{"type":"object","required":["command"]},"strict":false},)"
        R"({"type":"function","name":"view","description":"Shows it","parameters":{"type":"object","properties":{}},"strict":false}],"parallel_tool_calls":true,)"
        R"("input":[{"role":"user","content":"hi"}]})");
}

TEST(OpenaiResponses, AsksForThoughtsWhereTheModelHasThem) {
    const auto begins = [](Reasoning reasoning) {
        const std::string body = responses_body(request_of({}), responses_origin, reasoning);
        return body.substr(0, body.find(R"(,"input")"));
    };
    EXPECT_EQ(begins(Reasoning::summarized),
              R"({"model":"m","stream":true,"store":false,"reasoning":{"summary":"auto"},)"
              R"("include":["reasoning.encrypted_content"])");
    EXPECT_EQ(begins(Reasoning::none), R"({"model":"m","stream":true,"store":false)");
}

TEST(OpenaiResponses, LearnsWhatAServerRefuses) {
    const char* summary =
        "openai: 400 invalid_request_error: Your organization must be verified "
        "to generate reasoning summaries.";
    const char* encrypted = "openai: 400: Encrypted content is not supported with this model.";
    const char* unknown = "openai: 400: Unknown parameter: 'include'";
    EXPECT_EQ(reasoning_after(Reasoning::summarized, summary), Reasoning::encrypted);
    EXPECT_EQ(reasoning_after(Reasoning::summarized, encrypted), Reasoning::none);
    EXPECT_EQ(reasoning_after(Reasoning::encrypted, unknown), Reasoning::none);
    EXPECT_EQ(reasoning_after(Reasoning::none, unknown), Reasoning::none);
    EXPECT_EQ(reasoning_after(Reasoning::summarized, "openai: 400: no such tool"),
              Reasoning::summarized);
}

TEST(OpenaiResponses, BuildsItemsFromNeutralMessages) {
    chat::Message prompt = user("go on");
    prompt.status = "one task runs";
    EXPECT_EQ(
        input_of({user("a"),
                  answer("ok", {{"t1", "bash", R"({"command":"ls"})"}, {"t2", "view", "broken"}}),
                  result("t1", "files"), prompt, result("t2", "no", true)}),
        R"([{"role":"user","content":"a"},{"role":"assistant","content":"ok"},)"
        R"({"type":"function_call","call_id":"t1","name":"bash","arguments":"{\"command\":\"ls\"}"},)"
        R"({"type":"function_call","call_id":"t2","name":"view","arguments":"{}"},)"
        R"({"type":"function_call_output","call_id":"t1","output":"files"},{"type":"function_call_output","call_id":"t2","output":"no"},)"
        R"({"role":"user","content":[{"type":"input_text","text":"one task runs"},{"type":"input_text","text":"go on"}]}])");
}

const std::string own_items =
    R"({"type":"reasoning","id":"rs","encrypted_content":"E=="},{"type":"message","role":"assistant","phase":"commentary","content":[]},{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"})";

TEST(OpenaiResponses, ItsOwnItemsGoBackInOrder) {
    chat::Message own = answer("text", {{"t1", "f", "{}"}});
    own.opaque = chat::Opaque{"openai", "m", "[" + own_items + "]"};
    EXPECT_EQ(input_of({user("a"), own, result("t1", "x")}),
              R"([{"role":"user","content":"a"},)" + own_items +
                  R"(,{"type":"function_call_output","call_id":"t1","output":"x"}])");
}

TEST(OpenaiResponses, AnotherModelsItemsAreStripped) {
    chat::Message foreign = answer("text");
    foreign.opaque = chat::Opaque{"openai", "other", "[" + own_items + "]"};
    EXPECT_EQ(input_of({user("a"), foreign}),
              R"([{"role":"user","content":"a"},{"role":"assistant","content":"text"}])");
}

TEST(OpenaiResponses, TheNextRequestBeginsWithThisOne) {
    const std::vector<chat::Message> all = long_conversation();
    std::string before;
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const std::string now =
            responses_body(request_of({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}),
                           responses_origin, Reasoning::encrypted);
        if (!before.empty()) {
            EXPECT_EQ(now.substr(0, before.size() - 2), before.substr(0, before.size() - 2)) << n;
        }
        before = now;
    }
}

}  // namespace
}  // namespace chorus::model
