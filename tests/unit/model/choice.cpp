#include "model/choice.hpp"

#include "model/model.hpp"
#include "support/scratch.hpp"

namespace chorus::model {
namespace {

using base::ErrorCode;
using test::error_of;
using test::says;

sys::Environment with(const std::string& name, const std::string& value) {
    return sys::Environment(std::map<std::string, std::string>{{name, value}});
}

const char* const nested = R"({"last_updated":"x","providers":{
    "anthropic":{"valid":true,"models":["big","same"]},
    "openai":{"valid":false,"models":["same"]},
    "ollama":{"valid":true,"models":[]},
    "foreign":{"valid":true,"models":["big","odd"]}}})";

std::string resolve(const std::string& text, Check check = Check::listed) {
    return resolve_model(text, parse_available_models(nested), check);
}

// X-30
TEST(TakeEnvironment, leaves_keys_in_what_it_returns_only) {
    for (const char* name : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CHORUS_TEST_OTHER"})
        ASSERT_EQ(setenv(name, "canary", 1), 0);
    const sys::Environment taken = take_environment();
    EXPECT_EQ(taken.get("ANTHROPIC_API_KEY"), "canary");
    EXPECT_EQ(taken.get("OPENAI_API_KEY"), "canary");
    EXPECT_EQ(getenv("ANTHROPIC_API_KEY"), nullptr);
    EXPECT_EQ(getenv("OPENAI_API_KEY"), nullptr);
    EXPECT_STREQ(getenv("CHORUS_TEST_OTHER"), "canary");
    unsetenv("CHORUS_TEST_OTHER");
}

TEST(AvailableModels, are_read_in_both_forms) {
    const AvailableModels one = parse_available_models(nested);
    EXPECT_EQ(one.providers.at("anthropic").models, (std::vector<std::string>{"big", "same"}));
    EXPECT_TRUE(one.providers.at("anthropic").valid);
    EXPECT_FALSE(one.providers.at("openai").valid);
    const AvailableModels flat =
        parse_available_models(R"({"anthropic":{"valid":true,"models":["a"]},"last_updated":"x"})");
    EXPECT_EQ(flat.providers.size(), 1U);
    EXPECT_EQ(flat.providers.at("anthropic").models, std::vector<std::string>{"a"});
    EXPECT_TRUE(parse_available_models("").providers.empty());
    EXPECT_TRUE(parse_available_models("{}").providers.empty());
}

TEST(AvailableModels, pass_over_what_has_another_type) {
    const AvailableModels odd = parse_available_models(
        R"({"providers":{"a":5,"b":{"valid":"yes","models":"x"},"c":{"models":[1,"m",null]},"d":{}}})");
    EXPECT_EQ(odd.providers.count("a"), 0U);
    EXPECT_FALSE(odd.providers.at("b").valid);
    EXPECT_TRUE(odd.providers.at("b").models.empty());
    EXPECT_EQ(odd.providers.at("c").models, std::vector<std::string>{"m"});
    EXPECT_TRUE(odd.providers.at("d").models.empty());
}

TEST(AvailableModels, that_are_damaged_are_an_error) {
    for (const char* text : {"{", "[]", "5", R"({"providers":[]})", R"({"providers":null})"}) {
        const base::Error error = error_of([&] { (void)parse_available_models(text); });
        EXPECT_EQ(error.code(), ErrorCode::config_invalid) << text;
        EXPECT_TRUE(says(error, "available_models.json")) << text;
    }
}

// L-05
TEST(ResolveModel, takes_a_full_name_that_is_listed) {
    EXPECT_EQ(resolve("anthropic/big"), "anthropic/big");
    const base::Error error = error_of([] { (void)resolve("anthropic/small"); });
    EXPECT_EQ(error.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(error, "anthropic does not list 'small'"));
    EXPECT_TRUE(says(error, "'big' and 'same'"));
    EXPECT_TRUE(says(error, "--no-validate-model"));
    EXPECT_EQ(resolve("anthropic/small", Check::none), "anthropic/small");
}

TEST(ResolveModel, takes_any_name_of_a_provider_that_was_never_asked) {
    EXPECT_EQ(resolve("xai/whatever"), "xai/whatever");
    EXPECT_EQ(resolve("ollama/whatever"), "ollama/whatever") << "its list is empty";
    EXPECT_EQ(resolve("builtin/script"), "builtin/script");
    EXPECT_EQ(resolve("openrouter/meta/llama"), "openrouter/meta/llama");
}

TEST(ResolveModel, looks_a_bare_name_up) {
    EXPECT_EQ(resolve("big"), "anthropic/big");
    const base::Error ambiguous = error_of([] { (void)resolve("same"); });
    EXPECT_EQ(ambiguous.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(ambiguous, "'same' is ambiguous"));
    EXPECT_TRUE(says(ambiguous, "'anthropic/same' and 'openai/same'"));
    const base::Error unknown = error_of([] { (void)resolve("nothing"); });
    EXPECT_EQ(unknown.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(unknown, "no provider lists 'nothing'"));
}

TEST(ResolveModel, knows_no_provider_outside_the_catalog) {
    const base::Error error = error_of([] { (void)resolve("foreign/odd"); });
    EXPECT_EQ(error.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(error, "no provider 'foreign'"));
    for (const Provider& provider : catalog())
        EXPECT_TRUE(says(error, "'" + std::string(provider.name) + "'")) << provider.name;
    EXPECT_EQ(error_of([] { (void)resolve("odd"); }).code(), ErrorCode::no_driver)
        << "nor by a list of one";
}

TEST(ResolveModel, refuses_what_names_no_model) {
    EXPECT_EQ(error_of([] { (void)resolve(""); }).code(), ErrorCode::config_invalid);
    EXPECT_TRUE(says(error_of([] { (void)resolve("anthropic/"); }), "names no model"));
    EXPECT_EQ(error_of([] { (void)resolve("/big"); }).code(), ErrorCode::no_driver);
    EXPECT_EQ(error_of([] { (void)resolve("/"); }).code(), ErrorCode::no_driver);
    EXPECT_EQ(error_of([] { (void)resolve("Anthropic/big"); }).code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(error_of([] { (void)resolve("x\x1b[2J/y"); }), "'x\\x1b[2J'"));
}

// L-05
TEST(DefaultModel, is_that_of_the_first_provider_whose_key_is_set) {
    EXPECT_FALSE(default_model(sys::Environment()));
    EXPECT_FALSE(default_model(with("ANTHROPIC_API_KEY", "")));
    EXPECT_FALSE(default_model(with("OLLAMA_API_KEY", "x"))) << "a server here has no default";
    std::map<std::string, std::string> keys;
    for (auto row = catalog().rbegin(); row != catalog().rend(); ++row) {
        if (!row->needs_key || row->default_model.empty()) continue;
        keys[std::string(row->key_variable)] = "k";
        const auto found = default_model(sys::Environment(keys));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->model, std::string(row->name) + "/" + std::string(row->default_model));
        EXPECT_EQ(found->variable, row->key_variable);
        EXPECT_EQ(resolve_model(found->model, {}, Check::listed), found->model);
    }
    EXPECT_EQ(default_model(with("ANTHROPIC_API_KEY", "k"))->variable, "ANTHROPIC_API_KEY");
}

}  // namespace
}  // namespace chorus::model
