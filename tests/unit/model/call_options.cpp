#include <gtest/gtest.h>

#include "chat/json.hpp"
#include "model/anthropic.hpp"
#include "model/catalog.hpp"
#include "model/gemini.hpp"
#include "model/openai_chat.hpp"
#include "model/openai_responses.hpp"

namespace chorus::model {
namespace {

using chat::Json;

class CallOptions : public testing::Test {
  protected:
    CallOptions() {
        chat::Message user;
        user.content = "hi";
        request.model = "m";
        request.messages.push_back(user);
        request.effort = "low";
        request.temperature = 0.5;
        request.max_output_tokens = 99;
    }
    Json chat(const std::string& provider) const {
        return Json::parse(
            chat_body(request, {provider, "m"}, Catalog().require_provider(provider).quirks));
    }

    chat::Request request;
};

TEST_F(CallOptions, HaveTheNamesOfEachProtocol) {
    const Json anthropic = Json::parse(anthropic_body(request, {"anthropic", "m"}));
    EXPECT_EQ(anthropic["output_config"], Json::parse(R"({"effort":"low"})"));
    EXPECT_EQ(anthropic["temperature"], 0.5);
    EXPECT_EQ(anthropic["max_tokens"], 99);

    const Json responses =
        Json::parse(responses_body(request, {"openai", "m"}, Reasoning::summarized));
    EXPECT_EQ(responses["reasoning"], Json::parse(R"({"effort":"low","summary":"auto"})"));
    EXPECT_EQ(responses["temperature"], 0.5);
    EXPECT_EQ(responses["max_output_tokens"], 99);

    const Json gemini = Json::parse(gemini_body(request, {"gemini", "m"}, true));
    EXPECT_EQ(gemini["generationConfig"],
              Json::parse(R"({"maxOutputTokens":99,"temperature":0.5,)"
                          R"("thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}})"));

    EXPECT_EQ(chat("openai-chat")["reasoning_effort"], "low");
    EXPECT_EQ(chat("openai-chat")["temperature"], 0.5);
    EXPECT_EQ(chat("openai-chat")["max_completion_tokens"], 99);
    EXPECT_EQ(chat("openrouter")["reasoning"], Json::parse(R"({"effort":"low"})"));
}

TEST_F(CallOptions, AreLeftToTheProviderIfTheyAreNotGiven) {
    request.effort.clear();
    request.temperature.reset();
    request.max_output_tokens = 0;
    const auto is_free_of_them = [](const Json& body) {
        return !body.contains("temperature") && !body.contains("output_config") &&
               !body.contains("reasoning") && !body.contains("reasoning_effort") &&
               !body.contains("generationConfig");
    };
    EXPECT_TRUE(is_free_of_them(Json::parse(anthropic_body(request, {"anthropic", "m"}))));
    EXPECT_TRUE(
        is_free_of_them(Json::parse(responses_body(request, {"openai", "m"}, Reasoning::none))));
    EXPECT_TRUE(is_free_of_them(Json::parse(gemini_body(request, {"gemini", "m"}, false))));
    EXPECT_TRUE(is_free_of_them(chat("openai-chat")));
}

// OpenAI's reasoning models call tools in this protocol only without reasoning.
TEST_F(CallOptions, DropReasoningWhereItExcludesTools) {
    request.effort.clear();
    Quirks quirks;
    const char* refusal =
        "openai-chat: 400: Function tools with reasoning_effort are not supported for gpt-6";
    EXPECT_TRUE(adapt(quirks, refusal));
    EXPECT_EQ(Json::parse(chat_body(request, {"openai-chat", "m"}, quirks))["reasoning_effort"],
              "none");
    EXPECT_FALSE(adapt(quirks, refusal));
}

}  // namespace
}  // namespace chorus::model
