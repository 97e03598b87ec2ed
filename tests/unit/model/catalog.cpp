#include "model/catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "model/catalog_rows.hpp"

namespace chorus::model {
namespace {

constexpr const char* models_json = "models.json";

Catalog with(std::string_view models) {
    return catalog_of(models, models_json);
}

std::string refusal(std::string_view models) {
    try {
        (void)with(models);
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
        return error.what();
    }
    return "accepted";
}

TEST(BuiltInCatalog, EveryProviderHasWhatARequestNeeds) {
    const Catalog catalog;
    const std::vector<std::string> names = catalog.provider_names();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    EXPECT_EQ(names.size(), 15U);
    EXPECT_EQ(names.front(), "anthropic");
    for (const std::string& name : names) {
        const Provider provider = catalog.require_provider(name);
        EXPECT_EQ(provider.name, name);
        if (name == "builtin") continue;
        EXPECT_EQ(provider.needs_key, provider.base_url.starts_with("https://")) << name;
        EXPECT_NE(provider.base_url.back(), '/') << name;
        EXPECT_TRUE(is_key_variable(provider.key_variable)) << name;
    }
}

TEST(BuiltInCatalog, LocalServersHaveNoDefaultModel) {
    for (const char* name : {"ollama", "llamacpp", "lmstudio", "vllm"}) {
        const Provider provider = Catalog().require_provider(name);
        EXPECT_EQ(provider.default_model, "") << name;
        EXPECT_FALSE(provider.needs_key) << name;
    }
}

TEST(BuiltInCatalog, TheContextOfEveryDefaultModelIsKnown) {
    const Catalog catalog;
    for (const std::string& name : catalog.provider_names()) {
        const Provider provider = catalog.require_provider(name);
        if (!provider.needs_key || provider.default_model.empty()) continue;
        EXPECT_GT(catalog.facts(name + "/" + provider.default_model).context_tokens, 0) << name;
    }
}

TEST(BuiltInCatalog, KnowsAPriceByExactNameOnly) {
    const Catalog catalog;
    const ModelFacts known = catalog.facts("anthropic/claude-opus-5-5");
    EXPECT_EQ(known.context_tokens, 1'000'000);
    ASSERT_EQ(known.prices.size(), 1U);
    EXPECT_EQ(known.prices[0].input, 4'000'000);
    EXPECT_EQ(known.prices[0].output, 20'000'000);
    EXPECT_EQ(known.prices[0].cache_read, 200'000);
    EXPECT_EQ(known.prices[0].cache_write, 5'000'000);
    const ModelFacts family = catalog.facts("anthropic/claude-whatever-9");
    EXPECT_EQ(family.context_tokens, 200'000);
    EXPECT_TRUE(family.prices.empty());
}

TEST(BuiltInCatalog, KnowsNothingOfLocalModelsAndStrangers) {
    EXPECT_EQ(Catalog().facts("ollama/gpt-oss-120b").context_tokens, 32'768);
    for (const char* model : {"llamacpp/mistral-large", "builtin/script", "anthropic/m",
                              "nowhere/gpt-5", "gpt-5", "openai/my-gpt-5", ""})
        EXPECT_EQ(Catalog().facts(model).context_tokens, 0) << model;
    EXPECT_FALSE(Catalog().find_provider("gemini-pro"));
    EXPECT_FALSE(Catalog().find_provider("anthropic/claude-opus-5-5"));
    EXPECT_FALSE(Catalog().find_provider(""));
}

TEST(BuiltInCatalog, ReasoningIsKnownOfModelsThatDoNotReason) {
    const Catalog catalog;
    for (const char* model :
         {"openai/gpt-4o", "openai/gpt-4.1-mini-2025-04-14", "openai/gpt-4-turbo",
          "openai/gpt-3.5-turbo", "openai/chatgpt-4o-latest", "openai/ft:gpt-4.1:acme::x"}) {
        const auto effort = catalog.facts(model).effort;
        EXPECT_TRUE(effort && effort->empty()) << model;
    }
    for (const char* model : {"openai/gpt-5.4", "openai/gpt-6.1-sol", "openai/o3", "openai/new"}) {
        const auto effort = catalog.facts(model).effort;
        EXPECT_FALSE(effort && effort->empty()) << model;
    }
}

TEST(Catalog, ADatedNameHasTheRowWithoutTheDate) {
    const Catalog catalog = with(R"({"providers": {"groq": {"models": {
        "m": {"context_tokens": 5, "aliases": ["m-latest"]}}}}})");
    for (const char* model : {"groq/m", "groq/m-20260712", "groq/m-2026-07-12", "groq/m-latest"}) {
        EXPECT_EQ(catalog.row_of(model), "groq/m") << model;
        EXPECT_EQ(catalog.facts(model).context_tokens, 5) << model;
    }
    EXPECT_EQ(catalog.row_of("groq/m-2026"), "");
    EXPECT_EQ(catalog.row_of("groq/-20260712"), "");
}

TEST(Catalog, AFamilyIsTheLongestBeginning) {
    const Catalog catalog = with(R"({"providers": {"groq": {"models": {
        "a*": {"context_tokens": 1}, "a-b*": {"context_tokens": 2}, "a-b-c": {"context_tokens": 3}}}}})");
    EXPECT_EQ(catalog.facts("groq/a-b-c").context_tokens, 3);
    EXPECT_EQ(catalog.facts("groq/a-b-d").context_tokens, 2);
    EXPECT_EQ(catalog.facts("groq/a-b").context_tokens, 2);
    EXPECT_EQ(catalog.facts("groq/a-c").context_tokens, 1);
    EXPECT_EQ(catalog.facts("groq/b").context_tokens, 0);
    const auto names = catalog.model_names("groq");
    EXPECT_EQ(std::count(names.begin(), names.end(), "groq/a-b-c"), 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "groq/a*"), 0);
}

TEST(Catalog, TheHomesRowsAreMergedByMember) {
    const Catalog catalog = with(R"({"providers": {"anthropic": {"models": {"claude-opus-5-5": {
        "price": {"input": 1.5, "output": 0.0375, "cache_read": null}, "read": "2026-11-01"}}}}})");
    const ModelFacts facts = catalog.facts("anthropic/claude-opus-5-5");
    EXPECT_EQ(facts.context_tokens, 1'000'000);
    EXPECT_EQ(facts.prices.at(0).input, 1'500'000);
    EXPECT_EQ(facts.prices.at(0).output, 37'500);
    EXPECT_FALSE(facts.prices.at(0).cache_read) << "null is a price that is not known";
    EXPECT_EQ(facts.prices.at(0).cache_write, 5'000'000) << "what is not said stays";
    EXPECT_EQ(facts.read, "2026-11-01");
    EXPECT_EQ(Catalog().facts("anthropic/claude-opus-5-5").prices.at(0).input, 4'000'000);
    EXPECT_TRUE(with(R"({"providers": {"anthropic": {"models": {"claude-opus-5-5":
        {"price": null}}}}})")
                    .facts("anthropic/claude-opus-5-5")
                    .prices.empty());
}

TEST(Catalog, NullRemoves) {
    const Catalog catalog = with(R"({"source": "me", "preference": null, "providers": {
        "mistral": null, "openai": {"models": {"gpt-4o": null}, "headers": {"X": null}}}})");
    EXPECT_FALSE(catalog.has_provider("mistral"));
    const auto providers = catalog.provider_names();
    EXPECT_EQ(std::count(providers.begin(), providers.end(), "mistral"), 0);
    const auto models = catalog.model_names("openai");
    EXPECT_EQ(std::count(models.begin(), models.end(), "openai/gpt-4o"), 0);
    EXPECT_EQ(std::count(models.begin(), models.end(), "openai/gpt-4.1"), 1);
    EXPECT_TRUE(catalog.require_provider("openai").headers.empty());
    EXPECT_EQ(with(R"({"providers": null})").provider_names(), Catalog().provider_names());
}

TEST(Catalog, AProviderListsTheModelsOfTheOneThatItServesToo) {
    const auto own = Catalog().model_names("openai");
    const auto other = Catalog().model_names("openai-chat");
    ASSERT_EQ(own.size(), other.size());
    EXPECT_EQ(other.front(), "openai-chat/" + own.front().substr(7));
}

TEST(Catalog, AHomeAddsProviders) {
    const Catalog catalog = with(R"({
        "providers": {"gateway": {"protocol": "chat", "base_url": "https://gw.example/v1",
            "key_variable": "GATEWAY_API_KEY", "key_header": "api-key",
            "headers": {"X-Team": "a"}, "query": {"api-version": "2026-01-01"},
            "quirks": {"system_role": "developer"}, "default_model": "m",
            "models": {"m": {"context_tokens": 9}}}},
        "preference": ["gateway"]})");
    EXPECT_EQ(catalog.provider_names().front(), "gateway");
    EXPECT_EQ(catalog.provider_names().size(), 16U);
    const Provider provider = catalog.require_provider("gateway");
    EXPECT_EQ(provider.key_header, "api-key");
    EXPECT_EQ(provider.headers.at("X-Team"), "a");
    EXPECT_EQ(provider.query.at("api-version"), "2026-01-01");
    EXPECT_EQ(quirks_at(provider, "").system_role, "developer");
    EXPECT_EQ(catalog.facts("gateway/m").context_tokens, 9);
}

TEST(Catalog, AnotherServerBehindOpenaiChatGetsTheOlderNames) {
    const Provider row = Catalog().require_provider("openai-chat");
    EXPECT_EQ(quirks_at(row, "").system_role, "developer");
    EXPECT_EQ(quirks_at(row, row.base_url).max_tokens, "max_completion_tokens");
    EXPECT_EQ(quirks_at(row, "http://localhost:9/v1").system_role, "system");
    EXPECT_EQ(quirks_at(row, "http://localhost:9/v1").max_tokens, "max_tokens");
    EXPECT_EQ(Catalog().row_of("openai-chat/gpt-4.1"), "openai/gpt-4.1");
}

TEST(Catalog, ARowKeepsItsQuirksAtAnotherAddress) {
    const Provider row = Catalog().require_provider("mistral");
    EXPECT_FALSE(quirks_at(row, "https://proxy.example/v1").stream_options);
}

TEST(Catalog, PricesMayDependOnTheLengthOfThePrompt) {
    const auto prices = with(R"({"providers": {"groq": {"models": {"m": {"read": "2026-01-01",
        "price": {"input": 2, "output": 6, "tiers": [
            {"above_tokens": 199999, "input": 4, "output": 12, "cache_read": 1}]}}}}}})")
                            .facts("groq/m")
                            .prices;
    ASSERT_EQ(prices.size(), 2U);
    EXPECT_EQ(prices[0].above_tokens, 0);
    EXPECT_EQ(prices[0].cache_read, 2'000'000) << "without a price of its own it is the input's";
    EXPECT_EQ(prices[1].above_tokens, 199'999);
    EXPECT_EQ(prices[1].input, 4'000'000);
    EXPECT_EQ(prices[1].cache_read, 1'000'000);
}

TEST(Catalog, RefusesWhatIsNotOneNamingTheMember) {
    const struct {
        const char* models;
        const char* why;
    } cases[] = {
        {"[]", "models.json: expected an object"},
        {R"({"provider": {}})", "models.json: unknown member 'provider'"},
        {R"({"providers": []})", "models.json: providers: expected an object"},
        {R"({"providers": {"groq": 7}})", "models.json: providers.groq: expected an object"},
        {R"({"providers": {"builtin": {}}})",
         "models.json: providers.builtin: it cannot be changed"},
        {R"({"providers": {"new": {"protocol": "builtin"}}})",
         "models.json: providers.new.protocol: only the provider builtin has it"},
        {R"({"providers": {"groq": {"protocol": ""}}})",
         "models.json: providers.groq.protocol: expected one of 'anthropic', 'responses', 'chat', "
         "'gemini', 'ollama' and 'builtin'"},
        {R"({"providers": {"groq": {"models": {"": {}}}}})",
         "models.json: providers.groq.models.: the name is empty"},
        {R"({"providers": {"groq": {"models": {"l": {"aliases": ["l"]}}}}})",
         "models.json: providers.groq.models.l.aliases: another model has the name 'l'"},
        {R"({"providers": {"groq": {"models": {"a": {"aliases": ["b"]}, "b": {}}}}})",
         "models.json: providers.groq.models.b: it is another name of a model already"},
        {R"({"providers": {"groq": {"models": {"a": {"aliases": ["c"]}, "b": {"aliases": ["c"]}}}}})",
         "models.json: providers.groq.models.b.aliases: another model has the name 'c'"},
        {R"({"providers": {"groq": {"key_variable": "A B_API_KEY"}}})",
         "models.json: providers.groq.key_variable: not the name of a variable"},
        {R"({"providers": {"groq": {"headers": {"content-Length": "5"}}}})",
         "models.json: providers.groq.headers: content-Length belongs to the connection"},
        {R"({"providers": {"groq": {"key_header": "Host"}}})",
         "models.json: providers.groq.key_header: Host belongs to the connection"},
        {R"({"providers": {"groq": {"key_header": "a-key", "headers": {"A-Key": "x"}}}})",
         "models.json: providers.groq.headers: A-Key carries the key"},
        {R"({"providers": {"groq": {"models_of": "groq"}}})",
         "models.json: providers.groq.models_of: it names itself"},
        {R"({"providers": {"a/b": {}}})", "models.json: providers.a/b: the name contains a \"/\""},
        {R"({"providers": {"": {}}})", "models.json: providers.: the name is empty"},
        {R"({"providers": {"new": {}}})", "models.json: providers.new.protocol: missing"},
        {R"({"providers": {"new": {"protocol": "chat"}}})",
         "models.json: providers.new.base_url: missing"},
        {R"({"providers": {"groq": {"protocol": "soap"}}})",
         "models.json: providers.groq.protocol: expected one of 'anthropic', 'responses', 'chat', "
         "'gemini', 'ollama' and 'builtin'"},
        {R"({"providers": {"groq": {"base_url": "ftp://x"}}})",
         "models.json: providers.groq.base_url: it does not begin with https:// or http://"},
        {R"({"providers": {"groq": {"key_variable": "HOME"}}})",
         "models.json: providers.groq.key_variable: the name does not end in one of '_API_KEY', "
         "'_TOKEN', '_ACCESS_KEY', '_SECRET_KEY' and '_AUTH_KEY'"},
        {R"({"providers": {"groq": {"default_model": "m"}}})",
         "models.json: providers.groq.default_model: no row for 'm' in models"},
        {R"({"providers": {"groq": {"headers": {"a b": "c"}}}})",
         "models.json: providers.groq.headers: 'a b' is not the name of a header"},
        {R"({"providers": {"groq": {"headers": {"a": "c\r\nd: e"}}}})",
         "models.json: providers.groq.headers.a: it contains a control character"},
        {R"({"providers": {"groq": {"query": {"a": "b&c"}}}})",
         "models.json: providers.groq.query: names and values consist of letters, digits and "
         "\"-._~\""},
        {R"({"providers": {"groq": {"quirks": {"max_tokens": "n"}}}})",
         "models.json: providers.groq.quirks.max_tokens: expected one of 'max_tokens' and "
         "'max_completion_tokens'"},
        {R"({"providers": {"groq": {"models": {"m": {"context_tokens": "9"}}}}})",
         "models.json: providers.groq.models.m.context_tokens: expected a whole number"},
        {R"({"providers": {"groq": {"models": {"m": {"context": 9}}}}})",
         "models.json: providers.groq.models.m: unknown member 'context'"},
        {R"({"providers": {"groq": {"models": {"m": {"input": ["smell"]}}}}})",
         "models.json: providers.groq.models.m.input: 'smell' is not one of 'text', 'image', "
         "'pdf', 'audio' and 'video'"},
        {R"({"providers": {"groq": {"models": {"m": {"price": {"input": 1, "output": 1}}}}}})",
         "models.json: providers.groq.models.m.read: a price needs its date"},
        {R"({"providers": {"groq": {"models": {"m": {"read": "2026-13-01"}}}}})",
         "models.json: providers.groq.models.m.read: expected a date, as \"2026-02-12\""},
        {R"({"providers": {"groq": {"models": {"m": {"read": "9026-01-01"}}}}})",
         "models.json: providers.groq.models.m.read: '9026-01-01' is in the future"},
        {R"({"providers": {"groq": {"models": {"m": {"read": "2026-01-01",
             "price": {"input": -1, "output": 1}}}}}})",
         "models.json: providers.groq.models.m.price.input: expected dollars for a million "
         "tokens"},
        {R"({"providers": {"groq": {"models": {"m": {"read": "2026-01-01",
             "price": {"input": 1}}}}}})",
         "models.json: providers.groq.models.m.price.output: missing"},
        {R"({"providers": {"groq": {"models": {"m": {"read": "2026-01-01", "price": {"input": 1,
             "output": 1, "tiers": [{"above_tokens": 0, "input": 1, "output": 1}]}}}}}})",
         "models.json: providers.groq.models.m.price.tiers: above_tokens does not grow"},
        {R"({"providers": {"groq": {"models": {"m*": {"read": "2026-01-01",
             "price": {"input": 1, "output": 1}}}}}})",
         "models.json: providers.groq.models.m*.price: models of one family have prices of their "
         "own"},
        {R"({"preference": ["nobody"]})", "models.json: preference: no provider '\"nobody\"'"},
        {R"({"providers": {"openai-chat": {"models_of": "nobody"}}})",
         "models.json: providers.openai-chat.models_of: no provider 'nobody'"},
    };
    for (const auto& each : cases) EXPECT_EQ(refusal(each.models), each.why) << each.models;
}

TEST(CatalogRows, EveryKeyIsFoundAndNoOther) {
    const std::string rows = "\t[]\na\t1\na-b\t2\na/b\t3\nb\t4\n";
    for (const auto& [key, json] :
         {std::pair("", "[]"), {"a", "1"}, {"a-b", "2"}, {"a/b", "3"}, {"b", "4"}})
        EXPECT_EQ(find_row(rows, key), json) << key;
    for (const char* key : {"0", "a-", "a-c", "a/", "a/c", "c", "aa"})
        EXPECT_FALSE(find_row(rows, key)) << key;
    EXPECT_FALSE(find_row("", "a"));
    EXPECT_EQ(row_keys(rows, ""), (std::vector<std::string>{"a", "a-b", "b"}));
    EXPECT_EQ(row_keys(rows, "a/"), (std::vector<std::string>{"a/b"}));
    EXPECT_TRUE(row_keys(rows, "c").empty());
}

TEST(IsKeyVariable, GoesByTheEnd) {
    for (const char* name : {"ANTHROPIC_API_KEY", "GH_TOKEN", "AWS_SECRET_KEY"})
        EXPECT_TRUE(is_key_variable(name)) << name;
    for (const char* name : {"", "HOME", "API_KEY_FILE"})
        EXPECT_FALSE(is_key_variable(name)) << name;
}

}  // namespace
}  // namespace chorus::model
