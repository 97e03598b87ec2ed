#include "agent/configuration.hpp"

#include "agent/keys.hpp"
#include "base/limits.hpp"
#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using chat::Json;
using test::error_of;
using test::put;
using test::says;
using test::Scratch;

Configuration parse(const std::string& text) {
    return parse_configuration(text, "agent.json");
}

HomeConfiguration parse_home(const std::string& text) {
    const Scratch scratch;
    put(scratch / "config.json", text);
    return load_home_configuration(Home(scratch.path()));
}

base::Error agent_error(const std::string& text) {
    return error_of([&] { (void)parse(text); });
}
base::Error home_error(const std::string& text) {
    return error_of([&] { (void)parse_home(text); });
}

// L-10
TEST(Configuration, is_read_from_what_the_template_holds) {
    const Configuration configuration = parse(
        R"({"name":"ada","channel_id":null,"model":null,"system_prompt":"S","permissions":"locked",
                  "created_at":null,"running_tasks":[]})");
    EXPECT_EQ(configuration.channel_id, "");
    EXPECT_EQ(configuration.model, "");
    EXPECT_EQ(configuration.system_prompt, "S");
    EXPECT_EQ(configuration.permissions.name, "locked");
    EXPECT_FALSE(configuration.permissions.custom);
    EXPECT_FALSE(configuration.shared.rolling_window_ms);
}

TEST(Configuration, is_standard_where_it_says_nothing) {
    EXPECT_EQ(parse("{}").permissions.name, "standard");
    EXPECT_EQ(parse(R"({"permissions":null})").permissions.name, "standard");
}

// C-27
TEST(Configuration, reads_times_in_seconds_and_as_text) {
    const Shared shared =
        parse(R"({"rolling_window":"12h","idle_timeout":90,"max_iterations":3,"max_messages":40,
        "context_tokens":1000,"parallel_tools":1,"max_subagents":2,"auto_compact":true,"sandbox":"workspace+net","environment":["LANG"],
        "budget":{"usd_per_turn":0.5,"usd_per_day":2,"tokens_per_turn":5000}})")
            .shared;
    EXPECT_EQ(shared.rolling_window_ms, 43'200'000);
    EXPECT_EQ(shared.idle_timeout_ms, 90'000);
    EXPECT_EQ(shared.max_iterations, 3);
    EXPECT_EQ(shared.max_messages, 40);
    EXPECT_EQ(shared.context_tokens, 1'000);
    EXPECT_EQ(shared.parallel_tools, 1);
    EXPECT_EQ(shared.max_subagents, 2);
    EXPECT_EQ(shared.auto_compact, true);
    EXPECT_EQ(shared.sandbox, sys::SandboxMode::workspace_net);
    EXPECT_EQ(shared.environment, std::vector<std::string>{"LANG"});
    EXPECT_EQ(shared.budget.usd_per_turn, 500'000);
    EXPECT_EQ(shared.budget.usd_per_day, 2'000'000);
    EXPECT_EQ(shared.budget.tokens_per_turn, 5'000);
}

bool fits(KeyType type, const Json& value) {
    switch (type) {
        case KeyType::text:
            return value.is_string();
        case KeyType::text_or_null:
            return value.is_string();
        case KeyType::integer:
        case KeyType::count:
            return value == 7;
        case KeyType::amount:
            return value == 7 || value == 1.5;
        case KeyType::temperature:
            return value == 1.5;
        case KeyType::duration:
            return value == 7 || value == "10m";
        case KeyType::timeout:
            return value == 7 || value == "10m";
        case KeyType::boolean:
            return value.is_boolean();
        case KeyType::variables:
            return value == Json::array() || value == Json::array({"x"});
        case KeyType::paths:
            return value == Json::array();
        case KeyType::text_list:
            return value == Json::array() || value == Json::array({"x"});
        case KeyType::names:
            return value.is_string() || value == Json::array() || value == Json::array({"x"});
        case KeyType::object:
        case KeyType::profile:
        case KeyType::profiles:
        case KeyType::budget:
        case KeyType::model_options:
        case KeyType::limits:
        case KeyType::programs:
        case KeyType::provider:
        case KeyType::providers:
        case KeyType::name_lists:
        case KeyType::texts:
            return value.is_object();
        case KeyType::array:
            return value.is_array();
        case KeyType::permissions:
            return value.is_string() || value == Json::object();
        case KeyType::sandbox:
            return value == "off";
        case KeyType::channel:
            return false;
        case KeyType::profile_mode:
            return value == "auto";
        case KeyType::sink:
            return value == "/var/log/x" || value == "syslog";
        case KeyType::path:
            return value == "/var/log/x";
        case KeyType::any:
            return true;
    }
    return false;
}

const std::vector<Json>& samples() {
    static const std::vector<Json> values{true,
                                          7,
                                          -1,
                                          1.5,
                                          "some text",
                                          "10m",
                                          "off",
                                          "auto",
                                          "syslog",
                                          "/var/log/x",
                                          Json::array(),
                                          Json::array({"x"}),
                                          Json::array({1}),
                                          Json::object(),
                                          Json{{"x", {{"y", 1}}}},
                                          1e300,
                                          18446744073709551615ULL,
                                          9223372036854775807LL};
    return values;
}

// Every key of the table in both files, with a value of every type.
TEST(Configuration, names_file_key_and_type_of_what_does_not_fit) {
    for (const Key& key : keys())
        for (const Json& value : samples()) {
            const std::string name(key.name);
            const std::string text = Json{{name, value}}.dump();
            if (key.in_agent && !fits(key.type, value)) {
                const base::Error error = agent_error(text);
                EXPECT_EQ(error.code(), ErrorCode::config_invalid) << text;
                EXPECT_TRUE(says(error, "agent.json: " + name)) << text << error.message();
                // an object of permissions has words of its own for what is in it
                const bool own_words = (key.type == KeyType::permissions && value.is_object()) ||
                                       (key.type == KeyType::channel && value.is_string());
                EXPECT_TRUE(own_words || says(error, "expected " + std::string(expected(key.type))))
                    << error.message();
            }
            if (key.in_home && !fits(key.type, value)) {
                const base::Error error = home_error(text);
                EXPECT_EQ(error.code(), ErrorCode::config_invalid) << text;
                EXPECT_TRUE(says(error, name)) << text << error.message();
                EXPECT_TRUE(says(error, "config.json")) << error.message();
            }
        }
}

TEST(Configuration, takes_every_key_with_a_value_of_its_type) {
    for (const Key& key : keys())
        for (const Json& value : samples()) {
            const std::string text = Json{{std::string(key.name), value}}.dump();
            const bool is_profiles = key.name == "permissions";  // by name in config.json
            if (value == Json{{"x", {{"y", 1}}}}) continue;      // its members have types too
            if (key.in_agent && fits(key.type, value)) {
                EXPECT_NO_THROW((void)parse(text)) << text;
            }
            if (key.in_home && fits(key.type, value) && !is_profiles) {
                EXPECT_NO_THROW((void)parse_home(text)) << text;
            }
        }
}

TEST(Configuration, takes_null_for_every_key_as_absent) {
    for (const Key& key : keys()) {
        const std::string text = Json{{std::string(key.name), nullptr}}.dump();
        if (key.in_agent) {
            EXPECT_NO_THROW((void)parse(text)) << text;
        }
        if (key.in_home) {
            EXPECT_NO_THROW((void)parse_home(text)) << text;
        }
    }
}

TEST(Configuration, leaves_the_keys_of_the_other_file_and_unknown_ones_alone) {
    EXPECT_NO_THROW((void)parse(R"({"default_model":5,"x-mine":{"a":[1]},"providers":true})"));
    EXPECT_NO_THROW((void)parse_home(R"({"system_prompt":5,"x":1})"));
}

TEST(Configuration, refuses_what_is_no_object_or_no_json) {
    for (const char* text :
         {"", "[]", "null", "\"x\"", "5", "{", "{\"name\":\"a\",}", "{\"name\":\"\xff\"}", "{} x"})
        EXPECT_EQ(agent_error(text).code(), ErrorCode::config_invalid) << text;
    EXPECT_TRUE(
        says(agent_error(R"({"name":"a","name":"b"})"), "agent.json: duplicate key 'name'"));
    EXPECT_TRUE(says(agent_error(R"({"metadata":{"b":{"a":1,"a":1}}})"), "duplicate key 'a'"));
    EXPECT_TRUE(says(agent_error("{\n\"name\":\n}"), "line 3"));
}

TEST(Configuration, shows_what_it_found_without_its_control_characters) {
    const base::Error error = agent_error("{\"max_iterations\":\"\\u001b[31m\u202e\"}");
    EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
    EXPECT_EQ(error.message().find("\u202e"), std::string::npos);
    EXPECT_LT(
        agent_error(R"({"max_iterations":")" + std::string(5'000, 'x') + "\"}").message().size(),
        300U);
}

TEST(Configuration, may_be_a_mebibyte_and_no_more) {
    const std::string frame = R"({"system_prompt":""})";
    const auto of_size = [&](std::size_t bytes) {
        return std::string(frame).insert(frame.size() - 2, std::string(bytes - frame.size(), 'x'));
    };
    EXPECT_NO_THROW((void)parse(of_size(base::limits::config_bytes)));
    EXPECT_EQ(agent_error(of_size(base::limits::config_bytes + 1)).code(),
              ErrorCode::config_invalid);

    const Scratch scratch;
    const Directory directory(scratch.path());
    put(directory.configuration(), of_size(base::limits::config_bytes));
    EXPECT_NO_THROW((void)load_configuration(directory));
    put(directory.configuration(), of_size(base::limits::config_bytes + 1));
    const base::Error error = error_of([&] { (void)load_configuration(directory); });
    EXPECT_TRUE(says(error, directory.configuration()));
    EXPECT_EQ(error.code(), ErrorCode::config_invalid);
}

TEST(Configuration, may_be_64_levels_deep_and_no_deeper) {
    const auto deep = [](std::size_t levels) {
        return "{\"metadata\":{\"a\":" + std::string(levels - 2, '[') +
               std::string(levels - 2, ']') + "}}";
    };
    EXPECT_NO_THROW((void)parse(deep(64)));
    EXPECT_EQ(agent_error(deep(65)).code(), ErrorCode::config_invalid);
    EXPECT_EQ(agent_error(deep(100'000)).code(), ErrorCode::config_invalid);
}

TEST(Configuration, that_is_missing_is_an_error_with_a_hint) {
    const Scratch scratch;
    const base::Error error =
        error_of([&] { (void)load_configuration(Directory(scratch.path())); });
    EXPECT_EQ(error.code(), ErrorCode::config_invalid);
    EXPECT_TRUE(says(error, "agent.json: no such file"));
    EXPECT_FALSE(error.hint().empty());
}

TEST(Configuration, of_a_home_may_be_missing) {
    const Scratch scratch;
    const HomeConfiguration configuration = load_home_configuration(Home(scratch.path()));
    EXPECT_EQ(configuration.default_model, "");
    EXPECT_EQ(configuration.default_permissions.name, "standard");
    EXPECT_EQ(configuration.default_permissions.json, "");
    EXPECT_EQ(configuration.max_bash_timeout_ms, 600'000);
    EXPECT_EQ(configuration.max_retries, 3);
    EXPECT_EQ(configuration.prompt_ttl_ms, 604'800'000);
    EXPECT_FALSE(configuration.allow_network_fs);
}

TEST(Configuration, of_a_home_is_read) {
    const HomeConfiguration configuration =
        parse_home(R"({"default_model":"ollama/x","default_permissions":"locked",
        "providers":{"ollama":{"base_url":"http://h:1/v1","api_version":"v","max_output_tokens":5},"y":{}},
        "permissions":{"mine":{"base":"standard","allow":["tool:x:.*"]}},"max_bash_timeout":"2m","max_retries":0,
        "prompt_ttl":60,"sandbox_read":["/opt"],"allow_network_fs":true,"rolling_window":10})");
    EXPECT_EQ(configuration.default_model, "ollama/x");
    EXPECT_EQ(configuration.default_permissions.name, "locked");
    EXPECT_EQ(configuration.providers.at("ollama").base_url, "http://h:1/v1");
    EXPECT_EQ(configuration.providers.at("ollama").api_version, "v");
    EXPECT_EQ(configuration.providers.at("ollama").max_output_tokens, 5);
    EXPECT_EQ(configuration.providers.at("y").base_url, "");
    EXPECT_EQ(configuration.profiles.at("mine").base, "standard");
    EXPECT_EQ(configuration.profiles.at("mine").allow.at(0).pattern, "tool:x:.*");
    EXPECT_EQ(configuration.max_bash_timeout_ms, 120'000);
    EXPECT_EQ(configuration.max_retries, 0);
    EXPECT_EQ(configuration.prompt_ttl_ms, 60'000);
    EXPECT_EQ(configuration.sandbox_read, std::vector<std::string>{"/opt"});
    EXPECT_TRUE(configuration.allow_network_fs);
    EXPECT_EQ(configuration.shared.rolling_window_ms, 10'000);
}

TEST(Configuration, of_a_home_names_what_is_wrong_inside_a_key) {
    EXPECT_TRUE(says(home_error(R"({"providers":{"x":5}})"), "providers.x"));
    EXPECT_TRUE(says(home_error(R"({"providers":{"x":{"base_url":5}}})"), "providers.x.base_url"));
    EXPECT_TRUE(
        says(home_error(R"({"providers":{"x":{"max_output_tokens":-1}}})"), "max_output_tokens"));
    EXPECT_TRUE(says(home_error(R"({"permissions":{"x":"standard"}})"), "permissions.x"));
    EXPECT_TRUE(says(home_error(R"({"permissions":"standard"})"), "profiles by name"));
    EXPECT_TRUE(says(home_error(R"({"budget":{"usd_per_day":"1"}})"), "budget.usd_per_day"));
    EXPECT_TRUE(says(home_error(R"({"budget":{"usd_per_day":-1}})"), "budget.usd_per_day"));
    for (const char* tokens : {"1.5", "-1", "1e300", "\"5\"", "true", "18446744073709551615"})
        EXPECT_TRUE(
            says(home_error(R"({"budget":{"tokens_per_turn":)" + std::string(tokens) + "}}"),
                 "budget.tokens_per_turn: expected a whole number"))
            << tokens;
}

TEST(Configuration, of_a_home_has_limits_roles_and_grants) {
    const HomeConfiguration home =
        parse_home(R"({"limits":{"permissions":"standard","sandbox":"workspace",
        "budget":{"tokens_per_turn":1000,"usd_per_turn":0.5,"usd_per_day":null},"environment":["LANG"]},
        "roles":{"ada":"admin","%ops":["developer","viewer"],"eve":null},
        "permission_grants":{"admin":"*","developer":["standard","ci"]},"audit_sink":"/var/log/chorus"})");
    EXPECT_EQ(home.limits.permissions->name, "standard");
    EXPECT_EQ(home.limits.sandbox, sys::SandboxMode::workspace);
    EXPECT_EQ(home.limits.budget.tokens_per_turn, 1'000);
    EXPECT_EQ(home.limits.budget.usd_per_turn, 500'000);
    EXPECT_FALSE(home.limits.budget.usd_per_day);
    EXPECT_EQ(home.limits.environment, std::vector<std::string>{"LANG"});
    using Lists = std::map<std::string, std::vector<std::string>>;
    EXPECT_EQ(home.roles, (Lists{{"ada", {"admin"}}, {"%ops", {"developer", "viewer"}}}));
    EXPECT_EQ(home.permission_grants, (Lists{{"admin", {"*"}}, {"developer", {"standard", "ci"}}}));
    EXPECT_EQ(home.audit_sink, "/var/log/chorus");

    const HomeConfiguration none = parse_home("{}");
    EXPECT_FALSE(none.limits.permissions);
    EXPECT_FALSE(none.limits.sandbox);
    EXPECT_FALSE(none.limits.environment) << "no limit is another thing than no names";
    EXPECT_TRUE(none.roles.empty());
    EXPECT_EQ(none.audit_sink, "");
    EXPECT_EQ(parse_home(R"({"limits":{"environment":[]}})").limits.environment,
              std::vector<std::string>{});
}

TEST(Configuration, of_a_home_refuses_limits_roles_and_grants_that_would_not_count) {
    const std::vector<std::pair<const char*, const char*>> wrong{
        {R"({"limits":{"sandbx":"off"}})",
         "config.json: limits.sandbx: no such member; there are 'budget', 'checkpoint_mib', "
         "'environment', 'first_byte', 'permissions', 'private_webhooks', 'sandbox' and 'stall'"},
        {R"({"limits":{"private_webhooks":"yes"}})",
         R"(limits.private_webhooks: expected true or false, found "yes")"},
        {R"({"limits":{"sandbox":"none"}})",
         R"(limits.sandbox: expected "workspace", "workspace+net", "landlock" or "off", found "none")"},
        {R"({"limits":{"permissions":5}})",
         "limits.permissions: expected a profile's name or an object, found 5"},
        {R"({"limits":{"permissions":{"alow":[]}}})", "limits.permissions.alow: no such list"},
        {R"({"limits":{"environment":"LANG"}})",
         "limits.environment: expected a list of variable names, found \"LANG\""},
        {R"({"limits":{"budget":{"tokens":1}}})", "limits.budget.tokens: no such member"},
        {R"({"budget":{"tokens_per_trun":1}})", "budget.tokens_per_trun: no such member"},
        {R"({"roles":{"ada":5}})", "roles.ada: expected a name or a list of names, found 5"},
        {R"({"roles":{"ada":["x",""]}})", "roles.ada: expected a name or a list of names"},
        {R"({"permission_grants":["admin"]})",
         "permission_grants: expected an object of names or lists of names"},
        {R"({"permission_grants":{"admin":{"open":true}}})", "permission_grants.admin: expected"},
        {R"({"audit_sink":"log.txt"})",
         R"(audit_sink: expected "syslog" or the absolute path of a file, found "log.txt")"}};
    for (const auto& [json, message] : wrong) {
        const base::Error error = home_error(json);
        EXPECT_EQ(error.code(), ErrorCode::config_invalid) << json;
        EXPECT_TRUE(says(error, message)) << json << "\n" << error.message();
    }
}

TEST(Configuration, of_a_home_compiles_all_its_profiles_where_it_is_asked_to) {
    const auto error_in = [](const char* json) {
        return error_of(
            [&] { check_profiles(parse_home_configuration(json, "config.json"), "config.json"); });
    };
    EXPECT_TRUE(says(error_in(R"({"permissions":{"a":{},"b":{"allow":["x","tool:("]}}})"),
                     "config.json: permissions.b.allow[1] 'tool:('"));
    EXPECT_TRUE(says(error_in(R"({"permissions":{"a":{"base":"strict"}}})"), "permissions.a.base"));
    EXPECT_TRUE(says(error_in(R"({"default_permissions":"nosuch"})"),
                     "config.json: default_permissions: no profile 'nosuch'"));
    EXPECT_TRUE(says(error_in(R"({"default_permissions":{"ask":["("]}})"),
                     "config.json: default_permissions.ask[0]"));
    EXPECT_TRUE(says(error_in(R"({"limits":{"permissions":"mine"}})"),
                     "config.json: limits.permissions: no profile 'mine'"));
    EXPECT_TRUE(says(error_in(R"({"permissions":{"open":{}}})"),
                     "config.json: permissions.open: a preset has that name"));
    EXPECT_NO_THROW(check_profiles(
        parse_home_configuration(R"({"permissions":{"mine":{"allow":["tool:view:.*"]}},
            "default_permissions":"mine","limits":{"permissions":"mine"}})",
                                 "config.json"),
        "config.json"));
}

// L-19
TEST(Permissions, may_be_a_name_or_written_out) {
    EXPECT_EQ(parse_permissions("\"open\"", "x").name, "open");
    const Permissions custom = parse_permissions(
        R"({"base":"locked","deny":["a"],"allow":["b",{"pattern":"c","shell":true}],"ask":[{"pattern":"d"}],
            "match":["m"],"not_match":["n"]})",
        "x");
    EXPECT_EQ(custom.name, "custom");
    ASSERT_TRUE(custom.custom);
    EXPECT_EQ(custom.custom->base, "locked");
    EXPECT_EQ(custom.custom->deny.at(0).pattern, "a");
    EXPECT_FALSE(custom.custom->allow.at(0).shell);
    EXPECT_EQ(custom.custom->allow.at(1).pattern, "c");
    EXPECT_TRUE(custom.custom->allow.at(1).shell);
    EXPECT_FALSE(custom.custom->ask.at(0).shell);
    EXPECT_EQ(custom.custom->match, std::vector<std::string>{"m"});
    EXPECT_EQ(custom.custom->not_match, std::vector<std::string>{"n"});
}

TEST(Permissions, that_do_not_fit_name_the_place) {
    const auto error = [](const char* json) {
        return error_of([&] { (void)parse_permissions(json, "p.json"); });
    };
    const std::vector<std::pair<const char*, const char*>> wrong{
        {"5", "p.json: permissions"},
        {"[]", "p.json: permissions"},
        {"null", "p.json: permissions"},
        {R"({"alow":[]})", "permissions.alow: no such list"},
        {R"({"allow":"x"})", "permissions.allow"},
        {R"({"allow":["x",5]})", "permissions.allow[1]"},
        {R"({"deny":[{"shell":true}]})", "permissions.deny[0]"},
        {R"({"allow":["a",{"pattern":"b","shell":"yes"}]})", "permissions.allow[1].shell"},
        {R"({"base":["standard"]})", "permissions.base"},
        {R"({"deny":[{"pattern":5}]})", "permissions.deny[0]"},
        {R"({"deny":[null]})", "permissions.deny[0]"},
        {R"({"match":[5]})", "permissions.match"},
        {R"({"allow":["a"],"allow":["b"]})", "duplicate key"},
        {"{", "p.json: not JSON"}};
    for (const auto& [json, place] : wrong) {
        EXPECT_TRUE(says(error(json), place)) << json << error(json).message();
        EXPECT_EQ(error(json).code(), ErrorCode::config_invalid) << json;
    }
}

// L-19
TEST(Profile, is_resolved_from_a_preset_a_home_s_profile_or_what_is_written_out) {
    HomeConfiguration home;
    home.profiles["mine"].allow.push_back({"tool:x:.*"});
    home.profiles["broken"].allow.push_back({"tool:("});
    for (const char* name : {"open", "sandboxed", "standard", "locked"})
        EXPECT_EQ(
            resolve_profile({.name = name, .custom = {}, .json = {}}, home, "agent.json").name(),
            name);
    const policy::Action action{"x", "tool:x:1"};
    EXPECT_EQ(resolve_profile({.name = "mine", .custom = {}, .json = {}}, home, "agent.json")
                  .decide(action, {})
                  .verdict,
              policy::Verdict::allow);
    const Permissions custom = parse_permissions(R"({"deny":["tool:x:.*"]})", "x");
    EXPECT_EQ(resolve_profile(custom, home, "agent.json").decide(action, {}).verdict,
              policy::Verdict::deny);

    const base::Error unknown = error_of([&] {
        (void)resolve_profile({.name = "opne\x1b", .custom = {}, .json = {}}, home, "agent.json");
    });
    EXPECT_EQ(unknown.code(), ErrorCode::config_invalid);
    EXPECT_TRUE(says(unknown, "agent.json: permissions: no profile 'opne\\x1b'"))
        << unknown.message();
    for (const char* name : {"'open'", "'locked'", "'mine'"})
        EXPECT_TRUE(says(unknown, name)) << unknown.hint();
    const base::Error broken = error_of([&] {
        (void)resolve_profile({.name = "broken", .custom = {}, .json = {}}, home, "agent.json");
    });
    EXPECT_TRUE(says(broken, "config.json: permissions.broken")) << broken.message();
    const base::Error written_out = error_of([&] {
        (void)resolve_profile(parse_permissions(R"({"allow":["tool:("]})", "x"), home,
                              "agent.json");
    });
    EXPECT_TRUE(says(written_out, "agent.json: permissions.allow[0] 'tool:('"))
        << written_out.message();
}

TEST(WithMembers, changes_what_it_is_told_and_nothing_else) {
    const std::string text = R"({"z":1,"name":"","nested":{"b":[1,2.5,"ä"],"a":null},"model":"x"})";
    const Json changed =
        Json::parse(with_members(text, {{"name", "\"ada\""}, {"new", "[1]"}, {"model", "null"}}));
    EXPECT_EQ(changed.dump(),
              R"({"z":1,"name":"ada","nested":{"b":[1,2.5,"ä"],"a":null},"model":null,"new":[1]})");
    EXPECT_EQ(with_members("{}", {}).back(), '\n');
    const std::string numbers =
        "{\n    \"a\": 1.0,\n    \"b\": 1e3,\n    \"c\": 12345678901234567890123,\n    \"d\": "
        "-0.0,\n    \"e\": \"1.0 \\\" 2.0\"\n}\n";
    EXPECT_EQ(with_members(numbers, {}), numbers);
    EXPECT_EQ(with_members(numbers, {{"c", "2.50"}}),
              std::string(numbers).replace(numbers.find("12345"), 23, "2.50"));
    EXPECT_EQ(with_missing_members(numbers, R"({"a":2.50})"), numbers);
    EXPECT_EQ(with_members(with_members(text, {}), {}), with_members(text, {}));
}

TEST(WithMissingMembers, adds_what_is_not_there_or_null_and_changes_nothing) {
    EXPECT_EQ(Json::parse(with_missing_members(R"({"z":1,"model":null,"x":{}})",
                                               R"({"model":"m","x":{"a":1},"new":[1]})"))
                  .dump(),
              R"({"z":1,"model":"m","x":{},"new":[1]})");
    for (const char* text : {"[]", "{", R"({"a":1,"a":2})", R"({"max_messages":"x"})"}) {
        EXPECT_THROW(with_missing_members(text, "{}"), base::Error) << text;
        EXPECT_THROW(with_missing_members("{}", text), base::Error) << text;
    }
}

}  // namespace
}  // namespace chorus::agent
