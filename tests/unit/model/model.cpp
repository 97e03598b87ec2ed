#include "model/model.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "requests.hpp"

namespace chorus::model {
namespace {

TEST(Model, NamesHaveAProviderAndTheRest) {
    EXPECT_EQ(parse_model_name("anthropic/claude-opus-5-5").provider, "anthropic");
    EXPECT_EQ(parse_model_name("anthropic/claude-opus-5-5").name, "claude-opus-5-5");
    EXPECT_EQ(parse_model_name("groq/openai/gpt-oss-120b").name, "openai/gpt-oss-120b");
    EXPECT_EQ(parse_model_name("opus").provider, "");
    EXPECT_EQ(parse_model_name(" opus ").name, "opus");
}

TEST(Model, BaseUrlVariables) {
    EXPECT_EQ(base_url_variable("openai-chat"), "CHORUS_OPENAI_CHAT_BASE_URL");
    EXPECT_EQ(base_url_variable("llamacpp"), "CHORUS_LLAMACPP_BASE_URL");
}

Endpoint endpoint_of(const std::string& provider, const std::string& base_url = "") {
    Endpoint endpoint;
    endpoint.provider = Catalog().require_provider(provider);
    endpoint.base_url = base_url;
    return endpoint;
}

TEST(Model, AnUnknownProviderIsNamedWithThoseThereAre) {
    try {
        (void)Catalog().require_provider("acme");
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::no_driver);
        EXPECT_EQ(error.message(), "provider 'acme': not known");
        EXPECT_NE(error.hint().find("'anthropic', 'openai'"), std::string::npos);
    }
}

TEST(Model, AMissingKeyNamesItsVariableAndTouchesNoNetwork) {
    net::Client client{net::Transport{}};
    for (const std::string& name : Catalog().provider_names()) {
        const Provider provider = Catalog().require_provider(name);
        if (!provider.needs_key) continue;
        const Answer reply =
            make_model(endpoint_of(name), client)->ask(request_of({user("hi")}), {}, {});
        ASSERT_TRUE(reply.failure);
        EXPECT_EQ(reply.failure->category, Category::unauthorized);
        EXPECT_FALSE(reply.failure->retryable);
        EXPECT_NE(reply.failure->message.find(provider.key_variable), std::string::npos);
    }
}

TEST(Model, AKeyWithALineBreakIsNotSent) {
    net::Client client{net::Transport{}};
    Endpoint endpoint = endpoint_of("openai", "http://127.0.0.1:1/v1");
    endpoint.key = [] { return std::string("sk-a\r\nX-Evil: 1"); };
    const Answer reply = make_model(endpoint, client)->ask(request_of({user("hi")}), {}, {});
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->category, Category::unauthorized);
    EXPECT_EQ(reply.failure->message.find("sk-a"), std::string::npos);
}

TEST(Model, ADryRunShowsTheBody) {
    const chat::Request request = tooled_request();
    EXPECT_NE(request_body(endpoint_of("anthropic", ""), request).find("\"max_tokens\":16384"),
              std::string::npos);
    EXPECT_NE(request_body(endpoint_of("openai", ""), request).find("\"store\":false"),
              std::string::npos);
    EXPECT_NE(request_body(endpoint_of("openai-chat", ""), request).find("\"developer\""),
              std::string::npos);
    EXPECT_NE(request_body(endpoint_of("openai-chat", "http://127.0.0.1:1/v1/"), request)
                  .find("\"system\""),
              std::string::npos);
    EXPECT_NE(request_body(endpoint_of("openai-chat", "https://api.openai.com/v1/"), request)
                  .find("\"developer\""),
              std::string::npos);
    EXPECT_EQ(request_body(endpoint_of("builtin", ""), request), "");
}

TEST(Model, BuiltinNeedsNothing) {
    net::Client client{net::Transport{}};
    chat::Request request = request_of({user("hi")});
    request.model = "script";
    const Answer reply = make_model(endpoint_of("builtin"), client)->ask(request, {}, {});
    EXPECT_FALSE(reply.failure);
    EXPECT_NE(reply.reply.text.find("no model, no network"), std::string::npos);
}

}  // namespace
}  // namespace chorus::model
