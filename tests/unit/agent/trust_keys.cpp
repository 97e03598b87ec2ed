#include "agent/trust_keys.hpp"

#include <algorithm>

#include "agent/keys.hpp"
#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using chat::Json;

TEST(TrustKeys, are_keys_of_agent_json) {
    EXPECT_TRUE(std::is_sorted(trust_keys().begin(), trust_keys().end()));
    for (const std::string_view key : trust_keys()) {
        ASSERT_NE(find_key(key), nullptr) << key;
        EXPECT_TRUE(find_key(key)->in_agent) << key;
        EXPECT_TRUE(is_trust_key(key));
    }
    // what starts programs, sends data, chooses the environment, widens rights
    for (const char* key : {"channel_id", "sandbox", "permissions", "budget", "environment"})
        EXPECT_TRUE(is_trust_key(key)) << key;
    for (const char* key : {"model", "system_prompt", "name", "", "hooks", "sandbox "})
        EXPECT_FALSE(is_trust_key(key)) << key;
}

TEST(TrustPart, is_the_same_text_for_the_same_values) {
    EXPECT_EQ(trust_part("{}"), "{}");
    EXPECT_EQ(trust_part(R"({"name":"a","model":"x","channel_id":null})"), "{}");
    const std::string part = R"({"channel_id":{"a":[{"x":1,"y":2}],"b":"c"},"permissions":"open"})";
    EXPECT_EQ(
        trust_part(
            R"({"permissions": "open", "x": 1, "channel_id": {"b": "c", "a": [{"y": 2, "x": 1}]}})"),
        part);
    EXPECT_EQ(trust_part(part), part);
    EXPECT_NE(trust_part(R"({"channel_id":{"a":[1,2]}})"),
              trust_part(R"({"channel_id":{"a":[2,1]}})"));
}

TEST(TrustPart, refuses_what_is_no_object) {
    for (const char* text : {"", "[]", "{", "5", R"({"channel_id":1,"channel_id":2})"}) {
        const base::Error error = test::error_of([&] { (void)trust_part(text); });
        EXPECT_EQ(error.code(), base::ErrorCode::config_invalid) << text;
        EXPECT_TRUE(test::says(error, "agent.json")) << error.message();
    }
}

TEST(WithTrustPart, puts_the_trusted_values_in_place) {
    const std::string file =
        R"({"name":"a","permissions":"open","channel_id":{"x":1},"model":"m","sandbox":"off"})";
    const auto in_force = [&](const char* part) {
        return chat::dump(chat::parse_json(with_trust_part(file, part), "x"));
    };
    EXPECT_EQ(in_force("{}"), R"({"name":"a","model":"m"})");
    EXPECT_EQ(
        in_force(R"({"environment":{"y":2},"permissions":"locked","sandbox":"off"})"),
        R"({"name":"a","permissions":"locked","model":"m","sandbox":"off","environment":{"y":2}})");
    EXPECT_EQ(with_trust_part(file, trust_part(file)), file) << "what is trusted stays as it is";
    const std::string numbers = with_trust_part(R"({"metadata":[1e3,1.0],"sandbox":"off"})", "{}");
    EXPECT_NE(numbers.find("1e3"), std::string::npos) << numbers;
    EXPECT_NE(numbers.find("1.0"), std::string::npos) << numbers;
}

// Whatever a file says: with the trusted part in place it says nothing else.
TEST(WithTrustPart, undoes_every_change) {
    const std::vector<std::string> files{
        "{}", R"({"permissions":"standard"})", R"({"permissions":{"allow":["a"]},"budget":{}})",
        R"({"environment":["A"],"channel_id":{"b":1,"a":2},"name":"n"})",
        R"({"channel_id":null,"permissions":null})"};
    for (const std::string& trusted : files)
        for (const std::string& file : files) {
            const std::string part = trust_part(trusted);
            const std::string text = with_trust_part(file, part);
            EXPECT_EQ(trust_part(text), part) << file;
            EXPECT_TRUE(trust_changes(part, text).empty()) << file;
            EXPECT_EQ(trust_changes(part, file).empty(), trust_part(file) == part) << file;
        }
}

TEST(WithTrustedKey, takes_over_one_key) {
    const char* file = R"({"permissions":"open","sandbox":"off"})";
    EXPECT_EQ(with_trusted_key(R"({"permissions":"locked"})", "permissions", file),
              R"({"permissions":"open"})");
    EXPECT_EQ(with_trusted_key("{}", "sandbox", file), R"({"sandbox":"off"})");
    EXPECT_EQ(with_trusted_key(R"({"channel_id":{},"environment":{}})", "channel_id", file),
              R"({"environment":{}})");
}

TEST(WithHarmlessKeys, adds_what_gives_nothing) {
    for (const char* json :
         {R"({"permissions":"standard"})", R"({"permissions":"locked"})",
          R"({"sandbox":"workspace"})", R"({"environment":[]})", R"({"budget":{}})"})
        EXPECT_EQ(with_harmless_keys("{}", json), json);
    for (const char* json :
         {R"({"permissions":"open"})", R"({"permissions":"sandboxed"})", R"({"permissions":"ci"})",
          R"({"permissions":{"deny":[]}})", R"({"sandbox":"workspace+net"})",
          R"({"sandbox":"off"})", R"({"budget":{"usd_per_day":0}})", R"({"environment":["X"]})",
          R"({"channel_id":"command:x"})", R"({"channel_id":null})", R"({"model":{}})"})
        EXPECT_EQ(with_harmless_keys("{}", json), "{}") << json;
}

TEST(WithHarmlessKeys, does_not_widen_what_a_person_has_set) {
    const std::string part = R"({"environment":["X"],"permissions":"locked","sandbox":"off"})";
    EXPECT_EQ(with_harmless_keys(
                  part, R"({"permissions":"standard","sandbox":"workspace","environment":[]})"),
              part);
}

TEST(TrustChanges, name_key_before_and_after) {
    const auto changes = trust_changes(R"({"permissions":"standard","channel_id":{"a":1,"b":2}})",
                                       R"({"sandbox":"off","permissions":"open",
                                           "channel_id":{"b":2,"a":1},"model":"m","budget":null})");
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].key, "permissions");
    EXPECT_EQ(changes[0].before, R"("standard")");
    EXPECT_EQ(changes[0].after, R"("open")");
    EXPECT_EQ(changes[1].key, "sandbox");
    EXPECT_EQ(changes[1].before, "");
    EXPECT_EQ(changes[1].after, R"("off")");
    const auto removed = trust_changes(R"({"permissions":"locked"})", "{}");
    ASSERT_EQ(removed.size(), 1U) << "without the key it would be standard";
    EXPECT_EQ(removed[0].after, "");
}

}  // namespace
}  // namespace chorus::agent
