#include "place/in_force.hpp"

#include <limits>

#include "support/scratch.hpp"

namespace chorus::place {
namespace {

using base::ErrorCode;
using test::error_of;
using test::put;
using test::says;
using test::Scratch;

sys::Environment with(const std::string& name, const std::string& value) {
    return sys::Environment(std::map<std::string, std::string>{{name, value}});
}

class SettingsTest : public testing::Test {
  protected:
    SettingsTest() { agent.model = "builtin/script"; }
    Settings resolve() {
        return resolve_settings(options, sys::Environment(variables), agent, home, model::Catalog(),
                                paths);
    }

    Scratch scratch;
    agent::Home paths{scratch.path()};
    TurnOptions options;
    std::map<std::string, std::string> variables;
    agent::Configuration agent;
    agent::HomeConfiguration home;
};

// C-26
TEST_F(SettingsTest, are_those_of_the_manual_where_nothing_is_set) {
    const Settings settings = resolve();
    EXPECT_EQ(settings.model, "builtin/script");
    EXPECT_EQ(settings.rolling_window_ms, 86'400'000);
    EXPECT_EQ(settings.max_iterations, 25);
    EXPECT_EQ(settings.max_messages, 0);
    EXPECT_EQ(settings.token_budget, 0);
    EXPECT_EQ(settings.parallel_tools, 4);
    EXPECT_EQ(settings.tokens_per_turn, 0);
    EXPECT_EQ(settings.sandbox, sys::SandboxMode::workspace);
    EXPECT_TRUE(settings.environment_names.empty());
}

// C-07 C-27 X-28
TEST_F(SettingsTest, of_the_agent_beat_those_of_the_home) {
    home.shared.rolling_window_ms = 1'000;
    home.shared.max_iterations = 5;
    home.shared.max_messages = 50;
    home.shared.context_tokens = 1'000;
    home.shared.parallel_tools = 2;
    home.shared.sandbox = sys::SandboxMode::off;
    home.shared.budget.tokens_per_turn = 500;
    home.shared.environment = {"A"};
    Settings settings = resolve();
    EXPECT_EQ(settings.rolling_window_ms, 1'000);
    EXPECT_EQ(settings.max_iterations, 5);
    EXPECT_EQ(settings.max_messages, 50);
    EXPECT_EQ(settings.token_budget, 800);
    EXPECT_EQ(settings.parallel_tools, 2);
    EXPECT_EQ(settings.sandbox, sys::SandboxMode::off);
    EXPECT_EQ(settings.tokens_per_turn, 500);

    agent.shared.rolling_window_ms = 2'000;
    agent.shared.max_iterations = 6;
    agent.shared.max_messages = 60;
    agent.shared.context_tokens = 2'000;
    agent.shared.parallel_tools = 1;
    agent.shared.sandbox = sys::SandboxMode::workspace_net;
    agent.shared.budget.tokens_per_turn = 400;
    agent.shared.environment = {"B"};
    settings = resolve();
    EXPECT_EQ(settings.rolling_window_ms, 2'000);
    EXPECT_EQ(settings.max_iterations, 6);
    EXPECT_EQ(settings.max_messages, 60);
    EXPECT_EQ(settings.token_budget, 1'600);
    EXPECT_EQ(settings.parallel_tools, 1);
    EXPECT_EQ(settings.sandbox, sys::SandboxMode::workspace_net);
    EXPECT_EQ(settings.tokens_per_turn, 400);
    EXPECT_EQ(settings.environment_names, (std::vector<std::string>{"A", "B"}));

    options.max_iterations = 7;
    EXPECT_EQ(resolve().max_iterations, 7);
}

TEST_F(SettingsTest, have_the_budget_of_the_model_s_size_where_none_is_set) {
    agent.model = "anthropic/claude-opus-5-5";
    EXPECT_EQ(resolve().token_budget, 697'600);
    home.shared.context_tokens = 1'000;
    EXPECT_EQ(resolve().token_budget, 800);
    agent.shared.context_tokens = 0;
    EXPECT_EQ(resolve().token_budget, 0) << "no limit, by a person's word";
    agent.shared.context_tokens = std::numeric_limits<std::int64_t>::max();
    EXPECT_GT(resolve().token_budget, 0);
}

TEST_F(SettingsTest, take_the_model_from_option_environment_agent_and_home_in_that_order) {
    home.default_model = "ollama/of-home";
    agent.model.clear();
    EXPECT_EQ(resolve().model, "ollama/of-home");
    agent.model = "ollama/of-agent";
    EXPECT_EQ(resolve().model, "ollama/of-agent");
    variables["CHORUS_MODEL"] = "ollama/of-environment";
    EXPECT_EQ(resolve().model, "ollama/of-environment");
    options.model = "ollama/of-option";
    EXPECT_EQ(resolve().model, "ollama/of-option");
}

TEST_F(SettingsTest, know_bare_names_from_the_list_of_models) {
    put(paths.available_models(), R"({"providers":{"ollama":{"valid":true,"models":["tiny"]}}})");
    options.model = "tiny";
    EXPECT_EQ(resolve().model, "ollama/tiny");
    options.model = "huge";
    EXPECT_EQ(error_of([&] { resolve(); }).code(), ErrorCode::no_driver);
}

TEST_F(SettingsTest, refuse_a_turn_without_a_model) {
    agent.model.clear();
    EXPECT_EQ(error_of([&] { resolve(); }).code(), ErrorCode::config_invalid);
    agent.model = "nowhere/x";
    EXPECT_EQ(error_of([&] { resolve(); }).code(), ErrorCode::no_driver);
}

TEST_F(SettingsTest, refuse_dollars_that_cannot_be_counted) {
    options.model = "ollama/x";
    const auto refused = [&] {
        const base::Error error = error_of([&] { resolve(); });
        EXPECT_EQ(error.code(), ErrorCode::config_invalid);
        EXPECT_TRUE(says(error, "no price is known for ollama/x"));
        return error.message().substr(0, error.message().find(':'));
    };
    agent.shared.budget.usd_per_turn = 1;
    EXPECT_EQ(refused(), "budget.usd_per_turn");
    agent.shared.budget = {};
    home.shared.budget.usd_per_day = 1;
    EXPECT_EQ(refused(), "budget.usd_per_day");
    home.shared.budget = {};
    home.limits.budget.usd_per_day = 1;
    EXPECT_EQ(refused(), "limits.budget.usd_per_day");
    home.limits = {};
    options.max_usd = 1;
    EXPECT_EQ(refused(), "--max-usd");
    options.model = "builtin/script";
    EXPECT_EQ(resolve().spending.turn_usd.most, 1);
}

TEST_F(SettingsTest, take_each_budget_from_the_nearest_place_and_cap_it) {
    options.model = "builtin/script";
    home.shared.budget = {.usd_per_turn = 5, .usd_per_day = 50, .tokens_per_day = 500};
    agent.shared.budget = {.usd_per_turn = 3, .tokens_per_day = 300};
    EXPECT_EQ(resolve().spending.turn_usd.most, 3);
    EXPECT_EQ(resolve().spending.agent_day_usd.most, 50);
    EXPECT_EQ(resolve().spending.agent_day_tokens.most, 300);
    EXPECT_FALSE(resolve().spending.home_day_usd.most);
    home.limits.budget = {.usd_per_turn = 2, .usd_per_day = 70, .tokens_per_day = 700};
    EXPECT_EQ(resolve().spending.turn_usd.most, 2);
    EXPECT_EQ(resolve().spending.turn_usd.named, "limits.budget.usd_per_turn");
    EXPECT_EQ(resolve().spending.home_day_usd.most, 70);
    EXPECT_EQ(resolve().spending.home_day_tokens.most, 700);
    options.max_usd = 1;
    EXPECT_EQ(resolve().spending.turn_usd.named, "--max-usd");
    options.max_usd = 9;
    EXPECT_EQ(resolve().spending.turn_usd.most, 2);
}

TEST_F(SettingsTest, have_the_provider_s_most_output_tokens) {
    home.providers["ollama"].max_output_tokens = 77;
    EXPECT_EQ(resolve().max_output_tokens, 0);
    options.model = "ollama/x";
    EXPECT_EQ(resolve().max_output_tokens, 77);
}

TEST(EndpointFor, takes_the_base_url_from_the_environment_before_the_home) {
    agent::HomeConfiguration home;
    EXPECT_EQ(endpoint_for("anthropic/m", home, model::Catalog(), sys::Environment()).base_url, "");
    EXPECT_FALSE(
        endpoint_for("anthropic/m", home, model::Catalog(), sys::Environment()).trusted_http);
    home.providers["anthropic"] = {
        .base_url = "http://h:1", .api_version = "v2", .max_output_tokens = 0};
    EXPECT_EQ(endpoint_for("anthropic/m", home, model::Catalog(), sys::Environment()).base_url,
              "http://h:1");
    EXPECT_TRUE(
        endpoint_for("anthropic/m", home, model::Catalog(), sys::Environment()).trusted_http);
    EXPECT_EQ(
        endpoint_for("anthropic/m", home, model::Catalog(), sys::Environment()).anthropic_version,
        "v2");
    const sys::Environment environment = with(model::base_url_variable("anthropic"), "http://e:2");
    EXPECT_EQ(endpoint_for("anthropic/m", home, model::Catalog(), environment).base_url,
              "http://e:2");
}

TEST(EndpointFor, may_be_any_provider_of_the_catalog) {
    const sys::Environment environment;
    const model::Catalog own = model::catalog_of(
        R"({"providers": {"lan": {"protocol": "chat", "base_url": "http://10.0.0.5/v1",
            "needs_key": false}}})",
        "models.json");
    EXPECT_TRUE(endpoint_for("lan/m", {}, own, environment).trusted_http);
    EXPECT_THROW((void)endpoint_for("nowhere/m", {}, model::Catalog(), environment), base::Error);
}

TEST(TransportFor, reads_the_usual_variables) {
    const auto transport_with = [](std::map<std::string, std::string> variables, bool plain) {
        variables["CHORUS_HOME"] = "/nowhere";
        return transport_for(sys::Environment(variables), plain);
    };
    const net::Transport transport = transport_with(
        {{"HTTPS_PROXY", "http://p:1"}, {"no_proxy", "a,b"}, {"SSL_CERT_FILE", "/c"}}, true);
    EXPECT_EQ(transport.https_proxy, "http://p:1");
    EXPECT_EQ(transport.no_proxy, "a,b");
    EXPECT_EQ(transport.ca_file, "/c");
    EXPECT_EQ(transport.hashed_copies, "/nowhere/certificates");
    EXPECT_TRUE(transport.plain_http);
    EXPECT_EQ(transport_with({{"https_proxy", "x"}, {"HTTPS_PROXY", "y"}}, false).https_proxy, "x");
    EXPECT_EQ(transport_with({{"ALL_PROXY", "z"}}, false).https_proxy, "z");
    // HTTP_PROXY is what a CGI client can set
    EXPECT_EQ(transport_with({{"HTTP_PROXY", "x"}}, false).http_proxy, "");
}

TEST(ActorText, is_the_uid_and_a_name_beside_it) {
    const std::string alone = actor_text("", sys::Environment());
    EXPECT_EQ(alone.rfind("uid ", 0), 0U);
    EXPECT_EQ(alone.find_first_not_of("0123456789", 4), std::string::npos) << alone;
    const sys::Environment plain = with("CHORUS_HOME", "/nowhere");
    const sys::Environment cron({{"CHORUS_HOME", "/nowhere"}, {"CHORUS_ACTOR", "cron"}});
    EXPECT_EQ(actor_text("ada", plain), alone + " (ada)");
    EXPECT_EQ(actor_text("", cron), alone + " (cron)");
    EXPECT_EQ(actor_text("ada", cron), alone + " (ada)");
    EXPECT_EQ(actor_text("a\nb\x1b", plain), alone + " (a\\nb\\x1b)");
}

TEST(ActorText, holds_no_key) {
    const sys::Environment keys({{"CHORUS_HOME", "/nowhere"}, {"MY_TOKEN", "abcdefgh12345678"}});
    EXPECT_NE(actor_text("i abcdefgh12345678", keys).find(" (i [redacted:key])"),
              std::string::npos);
}

}  // namespace
}  // namespace chorus::place
