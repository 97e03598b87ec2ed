#include "agent/editing.hpp"

#include <algorithm>
#include <array>

#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using test::error_of;
using test::says;

KeyPlace place_of(const char* dotted, File file) {
    const auto place = find_place(dotted, file);
    if (!place) throw base::Error(ErrorCode::internal, std::string(dotted) + ": no place");
    return *place;
}

TEST(FindPlace, follows_the_table_into_objects) {
    const std::vector<std::pair<const char*, KeyType>> in_home{
        {"max_retries", KeyType::integer},
        {"permissions", KeyType::profiles},
        {"permissions.ci", KeyType::profile},
        {"permissions.ci.allow", KeyType::array},
        {"permissions.ci.match", KeyType::text_list},
        {"default_permissions.base", KeyType::text},
        {"providers.openai.base_url", KeyType::text},
        {"providers.openai.max_output_tokens", KeyType::integer},
        {"permission_grants.admin", KeyType::names},
        {"roles.%ops", KeyType::names},
        {"limits.sandbox", KeyType::sandbox},
        {"limits.budget.tokens_per_turn", KeyType::integer},
        {"limits.permissions.deny", KeyType::array},
        {"budget.usd_per_day", KeyType::amount}};
    for (const auto& [dotted, type] : in_home) {
        const auto place = find_place(dotted, File::home);
        ASSERT_TRUE(place) << dotted;
        EXPECT_EQ(place->type, type) << dotted;
        EXPECT_EQ(place->dotted(), dotted);
    }
    EXPECT_EQ(find_place("permissions", File::agent)->type, KeyType::permissions);
    EXPECT_EQ(find_place("permissions.allow", File::agent)->type, KeyType::array);
    EXPECT_EQ(find_place("metadata.owner", File::agent)->type, KeyType::any);
}

TEST(FindPlace, takes_dots_in_the_names_of_users) {
    const auto place = find_place("roles.ada.lovelace", File::home);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->names, (std::vector<std::string>{"roles", "ada.lovelace"}));
}

TEST(FindPlace, knows_nothing_else) {
    for (const char* dotted :
         {"", ".", "nosuch", "Max_retries", "max_retries.", "max_retries.x", ".max_retries",
          "limits.sandbx", "limits.", "permissions.ci.alow", "permissions..allow", "budget.tokens",
          "system_prompt", "providers.openai.base_url.x"})
        EXPECT_FALSE(find_place(dotted, File::home)) << dotted;
    for (const char* dotted : {"roles", "permissions.ci", "default_model", "limits"})
        EXPECT_FALSE(find_place(dotted, File::agent)) << dotted;
}

TEST(Astray, tells_where_and_what_there_is) {
    const Astray top = astray("permision.ci", File::home);
    EXPECT_EQ(top.dotted, "permision");
    EXPECT_NE(std::find(top.there_are.begin(), top.there_are.end(), "permissions"),
              top.there_are.end());
    EXPECT_EQ(std::find(top.there_are.begin(), top.there_are.end(), "system_prompt"),
              top.there_are.end());
    const Astray inner = astray("limits.budget.tokens", File::home);
    EXPECT_EQ(inner.dotted, "limits.budget.tokens");
    EXPECT_EQ(inner.there_are, (std::vector<std::string>{
                                   "limits.budget.tokens_per_day", "limits.budget.tokens_per_turn",
                                   "limits.budget.usd_per_day", "limits.budget.usd_per_turn"}));
    EXPECT_TRUE(astray("max_retries.x", File::home).there_are.empty());
}

TEST(ValueJson, is_json_where_that_fits_and_the_text_itself_where_a_text_does) {
    const std::vector<std::array<const char*, 3>> pairs{
        {"default_model", "anthropic/x", R"("anthropic/x")"},
        {"default_model", R"("quoted")", R"("quoted")"},
        {"default_model", "5", R"("5")"},
        {"sandbox", "off", R"("off")"},
        {"prompt_ttl", "2d", R"("2d")"},
        {"prompt_ttl", "90", "90"},
        {"max_retries", "3", "3"},
        {"allow_network_fs", "true", "true"},
        {"environment", R"(["LANG", "TZ"])", R"(["LANG","TZ"])"},
        {"default_permissions", "locked", R"("locked")"},
        {"default_permissions", R"({"base": "locked"})", R"({"base":"locked"})"},
        {"roles.ada", "admin", R"("admin")"},
        {"roles.ada", R"(["a","b"])", R"(["a","b"])"},
        {"roles.ada", "1000", R"("1000")"},
        {"budget.usd_per_turn", "0.50", "0.50"},
        {"budget.usd_per_turn", "0.12345678901234567890123", "0.12345678901234567890123"},
        {"budget", R"({"usd_per_day": 1.10})", R"({"usd_per_day":1.10})"},
        {"default_model", "[1]", R"("[1]")"}};
    for (const auto& [key, given, json] : pairs)
        EXPECT_EQ(value_json(given, place_of(key, File::home)), json) << key << " " << given;
    EXPECT_EQ(value_json("null", place_of("model", File::agent)), "null");
    EXPECT_EQ(value_json("null", place_of("description", File::agent)), R"("null")");
}

TEST(ValueJson, leaves_what_does_not_fit_to_be_refused) {
    const auto refused = [](const char* key, const char* given) {
        const KeyPlace place = place_of(key, File::home);
        const base::Error error =
            error_of([&] { check_place(place, value_json(given, place), "set"); });
        EXPECT_EQ(error.code(), ErrorCode::config_invalid);
        return error.message();
    };
    EXPECT_EQ(refused("max_retries", "many"),
              R"(set: max_retries: expected a whole number, found "many")");
    EXPECT_EQ(refused("max_retries", "-1"), "set: max_retries: expected a whole number, found -1");
    EXPECT_EQ(
        refused("limits", R"({"sandbox":"no"})"),
        R"(set: limits.sandbox: expected "workspace", "workspace+net", "landlock" or "off", found "no")");
    EXPECT_EQ(refused("roles.ada", R"({"x":1})"),
              R"(set: roles.ada: expected a name or a list of names, found {"x":1})");
    EXPECT_EQ(refused("default_permissions", "[1]"),
              "set: default_permissions: expected a profile's name or an object, found [1]");
    EXPECT_EQ(refused("permissions.ci", "standard"),
              R"(set: permissions.ci: expected an object, found "standard")");
    EXPECT_EQ(refused("environment", "LANG"),
              R"(set: environment: expected a list of variable names, found "LANG")");
}

TEST(ValueJson, refuses_bytes_that_are_no_text_and_keys_that_stand_twice) {
    const auto refused = [](const char* key, const char* given) {
        return error_of([&] { (void)value_json(given, place_of(key, File::home)); });
    };
    EXPECT_EQ(refused("default_model", "a\xff").code(), ErrorCode::bad_request);
    EXPECT_TRUE(says(refused("default_model", "a\xff"), "not valid UTF-8 at byte 1"));
    EXPECT_TRUE(
        says(refused("limits", R"({"sandbox":"off","sandbox":"workspace"})"), "duplicate key"));
}

TEST(WithValue, changes_one_value_and_nothing_else) {
    const std::string text = R"({"z":{"b":1,"a":[2.5]},"max_retries":3,"roles":{"b":"x","a":"y"}})";
    const auto set = [&](const char* key, const char* json) {
        return chat::dump(
            chat::parse_json(with_value(text, place_of(key, File::home), json, "f"), "f"));
    };
    EXPECT_EQ(set("max_retries", "5"),
              R"({"z":{"b":1,"a":[2.5]},"max_retries":5,"roles":{"b":"x","a":"y"}})");
    EXPECT_EQ(set("roles.c", R"("v")"),
              R"({"z":{"b":1,"a":[2.5]},"max_retries":3,"roles":{"b":"x","a":"y","c":"v"}})");
    EXPECT_EQ(
        set("limits.budget.usd_per_day", "2"),
        R"({"z":{"b":1,"a":[2.5]},"max_retries":3,"roles":{"b":"x","a":"y"},"limits":{"budget":{"usd_per_day":2}}})");
    EXPECT_EQ(with_value("{}", place_of("max_retries", File::home), "1", "f").back(), '\n');
}

TEST(WithValue, refuses_to_write_into_what_is_no_object) {
    const KeyPlace allow = place_of("permissions.allow", File::agent);
    const base::Error named =
        error_of([&] { (void)with_value(R"({"permissions":"open"})", allow, "[]", "agent.json"); });
    EXPECT_EQ(named.code(), ErrorCode::bad_request);
    EXPECT_EQ(named.message(), R"(permissions.allow: permissions is "open", not an object)");
    // a list alone would take away all that standard allows
    EXPECT_TRUE(says(error_of([&] { (void)with_value("{}", allow, "[]", "agent.json"); }),
                     "permissions is standard"));
    EXPECT_TRUE(says(error_of([&] { (void)with_value("[]", allow, "[]", "agent.json"); }),
                     "agent.json: the whole file: expected an object"));
    EXPECT_EQ(error_of([&] { (void)with_value("{", allow, "[]", "agent.json"); }).code(),
              ErrorCode::config_invalid);
}

TEST(FindValue, is_nothing_where_it_is_absent_or_null) {
    const std::string text =
        R"({"limits":{"sandbox":"off","permissions":null},"roles":5,"max_retries":null})";
    EXPECT_EQ(find_value(text, place_of("limits.sandbox", File::home), "f"), R"("off")");
    for (const char* key : {"limits.permissions", "limits.permissions.allow", "limits.budget",
                            "roles.ada", "max_retries", "prompt_ttl"})
        EXPECT_FALSE(find_value(text, place_of(key, File::home), "f")) << key;
}

TEST(WithoutValue, removes_one_value_and_nothing_else) {
    const KeyPlace admin = place_of("roles.ada", File::home);
    const std::string text = with_value(R"({"roles":{"bob":"x"}})", admin, R"("y")", "f");
    EXPECT_EQ(chat::dump(chat::parse_json(without_value(text, admin, "f"), "f")),
              R"({"roles":{"bob":"x"}})");
    EXPECT_EQ(without_value(R"({"a":1})", admin, "f"), R"({"a":1})") << "nothing is written anew";
}

}  // namespace
}  // namespace chorus::agent
