#include "model/catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace chorus::model {
namespace {

TEST(Catalog, NamesAreUnique) {
    std::set<std::string_view> names;
    for (const Provider& provider : catalog())
        EXPECT_TRUE(names.insert(provider.name).second) << provider.name;
    EXPECT_EQ(names.size(), 14U);
}

TEST(Catalog, EveryRowOfTheNetworkHasWhatARequestNeeds) {
    for (const Provider& provider : catalog()) {
        if (provider.name == "builtin") continue;
        EXPECT_FALSE(provider.base_url.empty()) << provider.name;
        EXPECT_NE(provider.base_url.back(), '/') << provider.name;
        EXPECT_FALSE(provider.key_variable.empty()) << provider.name;
        EXPECT_EQ(provider.needs_key, provider.base_url.substr(0, 8) == "https://")
            << provider.name;
    }
}

TEST(Catalog, LocalServersHaveNoDefaultModel) {
    for (const char* name : {"ollama", "llamacpp", "lmstudio", "vllm"}) {
        const Provider* provider = find_provider(name);
        ASSERT_NE(provider, nullptr) << name;
        EXPECT_TRUE(provider->default_model.empty()) << name;
        EXPECT_FALSE(provider->needs_key) << name;
    }
}

TEST(Catalog, FindsNothingForAnUnknownName) {
    EXPECT_EQ(find_provider("gemini-pro"), nullptr);
}

TEST(Catalog, AnotherServerBehindOpenaiChatGetsTheOlderNames) {
    const Provider* row = find_provider("openai-chat");
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(quirks_at(*row, "").system_role, "developer");
    EXPECT_EQ(quirks_at(*row, "https://api.openai.com/v1").max_tokens, "max_completion_tokens");
    EXPECT_EQ(quirks_at(*row, "http://localhost:9/v1").system_role, "system");
    EXPECT_EQ(quirks_at(*row, "http://localhost:9/v1").max_tokens, "max_tokens");
}

TEST(Catalog, ARowKeepsItsQuirksAtAnotherAddress) {
    const Provider* row = find_provider("mistral");
    ASSERT_NE(row, nullptr);
    EXPECT_FALSE(quirks_at(*row, "https://proxy.example/v1").stream_options);
}

TEST(KnownContextTokens, GoesByTheLongestBeginningOfTheName) {
    EXPECT_EQ(known_context_tokens("anthropic/claude-opus-5-5"), 1'000'000);
    EXPECT_EQ(known_context_tokens("anthropic/claude-opus-4-1"), 200'000);
    EXPECT_EQ(known_context_tokens("openai/gpt-6.1-sol"), 922'000);
    EXPECT_EQ(known_context_tokens("xai/grok-4.6"), 500'000);
    EXPECT_EQ(known_context_tokens("xai/grok-4-fast"), 256'000);
    EXPECT_EQ(known_context_tokens("openrouter/anthropic/claude-sonnet-5"), 1'000'000);
    EXPECT_EQ(known_context_tokens("groq/openai/gpt-oss-120b"), 131'072);
}

TEST(KnownContextTokens, AreUnknownForALocalServerAndWhateverElse) {
    for (const char* model :
         {"ollama/gpt-oss-120b", "llamacpp/mistral-large", "builtin/script", "anthropic/m",
          "openrouter/openrouter/auto", "nowhere/gpt-5", "gpt-5", "openai/my-gpt-5", ""})
        EXPECT_EQ(known_context_tokens(model), 0) << model;
}

TEST(KnownContextTokens, AreKnownOfEveryDefaultModelButARouter) {
    for (const Provider& provider : catalog()) {
        if (!provider.needs_key || provider.default_model.empty()) continue;
        const std::string model =
            std::string(provider.name) + "/" + std::string(provider.default_model);
        EXPECT_EQ(known_context_tokens(model) > 0, provider.name != "openrouter") << model;
    }
}

}  // namespace
}  // namespace chorus::model
