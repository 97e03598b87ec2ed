#include "model/choice.hpp"

#include "model/model.hpp"
#include "support/scratch.hpp"

namespace chorus::model {
namespace {

using base::ErrorCode;
using test::error_of;
using test::says;

std::function<std::string(const Provider&)> keys_in(const sys::Environment& environment) {
    return [environment](const Provider& provider) {
        return environment.has(provider.key_variable) ? provider.key_variable : "";
    };
}

sys::Environment with(const std::string& name, const std::string& value) {
    return sys::Environment(std::map<std::string, std::string>{{name, value}});
}

const char* const nested = R"({"last_updated":"x","providers":{
    "anthropic":{"valid":true,"models":["big","same"]},
    "openai":{"valid":false,"models":["same"]},
    "ollama":{"valid":true,"models":[]},
    "foreign":{"valid":true,"models":["big","odd"]}}})";

std::string resolve(const std::string& text, Check check = Check::listed) {
    return resolve_model(text, Catalog(), parse_available_models(nested), check);
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
    EXPECT_EQ(resolve("same"), "anthropic/same") << "the first that lists it";
    const base::Error unknown = error_of([] { (void)resolve("nothing"); });
    EXPECT_EQ(unknown.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(unknown, "no provider lists 'nothing'"));
    EXPECT_TRUE(says(error_of([] { (void)resolve("smae"); }), "did you mean 'same'? "));
}

const char* const families = R"({"anthropic":{"valid":true,"models":
    ["claude-opus-5","claude-opus-5-mini","claude-haiku-5"]},
    "openai":{"valid":true,"models":["gpt-6-haiku","gpt-6"]},
    "mistral":{"valid":false,"models":["large-2"]},
    "groq":{"valid":false,"models":[]},
    "foreign":{"valid":true,"models":["odd-1"]}})";

std::string by_part(const std::string& text) {
    return resolve_model(text, Catalog(), parse_available_models(families), Check::usable);
}

// L-20
TEST(ResolveModel, takes_a_part_that_only_one_name_has) {
    EXPECT_EQ(by_part("mini"), "anthropic/claude-opus-5-mini");
    EXPECT_EQ(by_part("OPUS-5-M"), "anthropic/claude-opus-5-mini");
    EXPECT_EQ(by_part("anthropic/haiku"), "anthropic/claude-haiku-5");
    EXPECT_EQ(by_part("openai/Haiku"), "openai/gpt-6-haiku");
    // a whole name is never a part of another
    EXPECT_EQ(by_part("claude-opus-5"), "anthropic/claude-opus-5");
    EXPECT_EQ(by_part("openai/gpt-6"), "openai/gpt-6");
    // nobody asked them
    EXPECT_EQ(by_part("xai/grok"), "xai/grok");
    EXPECT_EQ(by_part("builtin/script"), "builtin/script");
}

// L-20
TEST(ResolveModel, knows_the_models_of_the_catalog_where_nobody_was_asked) {
    const auto found = [](const std::string& text, const char* lists) {
        return resolve_model(text, Catalog(), parse_available_models(lists), Check::usable);
    };
    EXPECT_EQ(found("claude-opus-5-5", "{}"), "anthropic/claude-opus-5-5");
    EXPECT_EQ(found("opus-5-5", "{}"), "anthropic/claude-opus-5-5");
    EXPECT_TRUE(says(error_of([&] { (void)found("opus", "{}"); }), "'opus' is ambiguous"));
    // openai-chat has both, too
    EXPECT_EQ(found("gpt-5", "{}"), "openai/gpt-5");
    EXPECT_EQ(found("gpt-5.4-na", "{}"), "openai/gpt-5.4-nano");
    // a list comes first, and a provider that has one is not guessed at
    EXPECT_EQ(found("opus-5-5", R"({"xai":{"valid":true,"models":["opus-5-5"]}})"), "xai/opus-5-5");
    EXPECT_TRUE(says(error_of([&] {
                         (void)found("opus-5-5", R"({"anthropic":{"valid":true,"models":["x"]}})");
                     }),
                     "no provider lists 'opus-5-5'"));
}

// L-20
TEST(ResolveModel, takes_no_part_of_several_and_names_them) {
    const base::Error both = error_of([] { (void)by_part("haiku"); });
    EXPECT_EQ(both.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(both, "'haiku' is ambiguous"));
    EXPECT_TRUE(says(both, "'anthropic/claude-haiku-5' and 'openai/gpt-6-haiku'"));
    EXPECT_TRUE(says(error_of([] { (void)by_part("anthropic/opus"); }),
                     "'anthropic/claude-opus-5' and 'anthropic/claude-opus-5-mini'"));
    std::string many;
    for (int i = 0; i < 21; ++i) many += (i == 0 ? "\"m-" : ",\"m-") + std::to_string(i) + "\"";
    const std::string list = R"({"xai":{"valid":true,"models":[)" + many + "]}}";
    const base::Error cut = error_of(
        [&] { (void)resolve_model("m-", Catalog(), parse_available_models(list), Check::usable); });
    EXPECT_TRUE(says(cut, "'xai/m-18' and 'xai/m-19' and more"));
    EXPECT_FALSE(says(cut, "m-20"));
}

// L-20
TEST(ResolveModel, takes_no_part_that_nobody_has_and_no_provider_whose_key_failed) {
    EXPECT_TRUE(says(error_of([] { (void)by_part("nothing"); }), "no provider lists 'nothing'"));
    EXPECT_TRUE(says(error_of([] { (void)by_part("odd"); }), "no provider lists 'odd'"));
    EXPECT_TRUE(says(error_of([] { (void)by_part("large"); }), "no provider lists 'large'"));
    EXPECT_TRUE(says(error_of([] { (void)by_part("large-2"); }), "no provider lists"));
    const base::Error unlisted = error_of([] { (void)by_part("openai/opus"); });
    EXPECT_TRUE(says(unlisted, "openai does not list 'opus'"));
    EXPECT_FALSE(says(unlisted, "--no-validate-model"));
    for (const char* name : {"mistral/large-2", "mistral/large", "groq/any"})
        EXPECT_TRUE(says(error_of([&] { (void)by_part(name); }), "was not valid")) << name;
    for (const Check check : {Check::listed, Check::known})
        EXPECT_EQ(resolve_model("mini", Catalog(), parse_available_models(families), check),
                  "anthropic/claude-opus-5-mini");
    EXPECT_EQ(error_of([] { (void)resolve("bi", Check::none); }).code(), ErrorCode::no_driver);
}

TEST(ResolveModel, finds_a_bare_name_that_has_a_slash) {
    constexpr const char* list = R"({"groq":{"valid":true,"models":["meta/llama-70b","qwen/q"]}})";
    const auto available = parse_available_models(list);
    for (const char* name : {"meta/llama-70b", "groq/meta/llama-70b", "llama", "a/llama"})
        EXPECT_EQ(resolve_model(name, Catalog(), available, Check::known), "groq/meta/llama-70b");
    EXPECT_EQ(resolve_model("qwen/q", Catalog(), available, Check::none), "groq/qwen/q");
    EXPECT_TRUE(says(
        error_of([&] { (void)resolve_model("meta/other", Catalog(), available, Check::known); }),
        "no provider 'meta'"));
}

TEST(ResolveModel, knows_no_provider_outside_the_catalog) {
    const base::Error error = error_of([] { (void)resolve("foreign/odd"); });
    EXPECT_EQ(error.code(), ErrorCode::no_driver);
    EXPECT_TRUE(says(error, "no provider 'foreign'"));
    for (const std::string& provider : Catalog().provider_names())
        EXPECT_TRUE(says(error, "'" + provider + "'")) << provider;
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
    const Catalog catalog;
    EXPECT_FALSE(default_model(catalog, keys_in(sys::Environment())));
    EXPECT_FALSE(default_model(catalog, keys_in(with("ANTHROPIC_API_KEY", ""))));
    EXPECT_FALSE(default_model(catalog, keys_in(with("OLLAMA_API_KEY", "x"))))
        << "a server here has none";
    std::map<std::string, std::string> keys;
    const std::vector<std::string> names = catalog.provider_names();
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        const Provider provider = catalog.require_provider(*name);
        if (!provider.needs_key || provider.default_model.empty()) continue;
        keys[provider.key_variable] = "k";
        const auto found = default_model(catalog, keys_in(sys::Environment(keys)));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->model, *name + "/" + provider.default_model);
        EXPECT_EQ(found->key, provider.key_variable);
        EXPECT_EQ(resolve_model(found->model, catalog, {}, Check::listed), found->model);
    }
    EXPECT_EQ(default_model(catalog, keys_in(with("ANTHROPIC_API_KEY", "k")))->key,
              "ANTHROPIC_API_KEY");
}

}  // namespace
}  // namespace chorus::model
