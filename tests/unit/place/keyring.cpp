#include "place/keyring.hpp"

#include "base/error.hpp"
#include "support/scratch.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::place {
namespace {

using base::ErrorCode;
using life::Credential;
using life::KeySource;
using test::error_of;
using test::says;
using test::Scratch;

class KeysTest : public testing::Test {
  protected:
    Keys keys(const std::string& mode = "") {
        return {store, home, rotation_in_force(mode, configuration, environment), environment,
                redaction};
    }
    void write(const std::vector<Credential>& credentials) {
        sys::write_file(home.credentials(), life::credentials_text(credentials), 0600);
    }
    std::string key_of(Keys& some, const std::string& provider) {
        model::Endpoint endpoint;
        endpoint.provider = catalog.require_provider(provider);
        (void)some.choose(endpoint.provider, 1, commit);
        return some.with_key(endpoint).key();
    }

    Scratch scratch;
    store::Store store =
        store::Store::open({scratch.path() + "/chorus.db", scratch.path() + "/gate"});
    model::Catalog catalog;
    agent::Home home{scratch.path()};
    agent::HomeConfiguration configuration;
    sys::Environment environment{{{"ANTHROPIC_API_KEY", "sk-a"}, {"OPENAI_API_KEY", "sk-o"}}};
    policy::Redaction redaction;
    const Keys::Commit commit = [this](const std::function<void()>& change) {
        store::Transaction transaction(store);
        change();
        transaction.commit();
        ++commits;
    };
    int commits = 0;
};

TEST_F(KeysTest, without_profiles_are_those_of_the_variables) {
    Keys some = keys();
    EXPECT_EQ(key_of(some, "anthropic"), "sk-a");
    EXPECT_EQ(key_of(some, "openai"), "sk-o");
    EXPECT_EQ(key_of(some, "xai"), "");
    EXPECT_EQ(key_of(some, "builtin"), "");
    EXPECT_FALSE(some.rotates(catalog.require_provider("anthropic")));
    EXPECT_FALSE(some.is_cut());
    EXPECT_EQ(commits, 0);
}

TEST_F(KeysTest, are_those_of_profiles_where_there_are_any) {
    write({{.name = "one", .provider = "anthropic", .value = "sk-one-secret"},
           {.name = "two", .provider = "anthropic", .value = "sk-two-secret"}});
    Keys some = keys();
    const model::Provider provider = catalog.require_provider("anthropic");
    EXPECT_EQ(key_of(some, "anthropic"), "sk-one-secret");
    EXPECT_EQ(some.profile(provider), "one");
    EXPECT_EQ(commits, 0) << "a request as before writes nothing";
    EXPECT_TRUE(redaction.holds_active("so sk-one-secret"));
    EXPECT_TRUE(some.rotates(provider));
    EXPECT_FALSE(keys("manual").rotates(provider));
    const std::string before = some.credential(provider);
    EXPECT_EQ(some.cool(0, 1, commit), 0);
    EXPECT_EQ(key_of(some, "anthropic"), "sk-two-secret");
    EXPECT_NE(some.credential(provider), before);
    EXPECT_GT(some.cool(0, 1, commit), 0);
    EXPECT_EQ(some.credential(provider), "anthropic/profiles");
    EXPECT_EQ(key_of(some, "openai"), "sk-o");
    EXPECT_EQ(some.profile(provider), "") << "the last choice was for another provider";
}

TEST_F(KeysTest, change_with_the_file) {
    write({{.name = "one", .provider = "anthropic", .value = "sk-one-secret"}});
    Keys some = keys();
    const model::Provider provider = catalog.require_provider("anthropic");
    EXPECT_EQ(key_of(some, "anthropic"), "sk-one-secret");
    EXPECT_GT(some.cool(0, 1, commit), 0);
    const std::string cooling = some.credential(provider);
    write({{.name = "one", .provider = "anthropic", .value = "sk-new-secret"},
           {.name = "two", .provider = "anthropic", .value = "sk-two-secret"}});
    EXPECT_NE(some.credential(provider), cooling) << "a turn that sleeps goes on";
    EXPECT_EQ(key_of(some, "anthropic"), "sk-two-secret");
    sys::write_file(home.credentials(), "{", 0600);
    EXPECT_EQ(key_of(some, "anthropic"), "sk-two-secret");
    Keys other = keys();
    EXPECT_EQ(error_of([&] { (void)key_of(other, "anthropic"); }).code(),
              ErrorCode::config_invalid);
}

TEST_F(KeysTest, are_cut_by_a_profile_that_was_added_meanwhile) {
    const Credential one{.name = "one", .provider = "anthropic", .value = "sk-one-secret"};
    const Credential two{.name = "two", .provider = "anthropic", .value = "sk-two-secret"};
    write({one});
    Keys some = keys();
    (void)key_of(some, "anthropic");
    EXPECT_FALSE(some.is_cut());
    store::Store other =
        store::Store::open({scratch.path() + "/chorus.db", scratch.path() + "/gate"});
    store::Transaction transaction(other);
    store::request_switch(other, "anthropic", {.name = "two", .is_forced = true});
    transaction.commit();
    EXPECT_FALSE(some.is_cut()) << "there is no such profile";
    EXPECT_EQ(key_of(some, "anthropic"), "sk-one-secret");
    write({one, two});
    store::Transaction again(other);
    store::request_switch(other, "anthropic", {.name = "two", .is_forced = true});
    again.commit();
    EXPECT_TRUE(some.is_cut());
    EXPECT_EQ(key_of(some, "anthropic"), "sk-two-secret");
    EXPECT_FALSE(some.is_cut());
}

TEST_F(KeysTest, of_a_command_that_is_stopped_are_empty) {
    write({{.name = "one",
            .provider = "anthropic",
            .source = KeySource::key_command,
            .command = {"/bin/sleep", "60"}}});
    Keys some = keys();
    const std::int64_t before_ms = sys::monotonic_ms();
    EXPECT_EQ(
        some.choose(catalog.require_provider("anthropic"), 1, commit, [] { return true; }).name,
        "one");
    EXPECT_LT(sys::monotonic_ms() - before_ms, 5'000);
}

// S-30 S-34 S-35
TEST_F(KeysTest, rotate_as_option_variable_and_config_say_in_this_order) {
    const auto given = [&](const std::string& mode = "") {
        return rotation_in_force(mode, configuration, environment);
    };
    EXPECT_TRUE(given().rules.is_automatic);
    EXPECT_EQ(given().cooldown_ms, 300'000);
    EXPECT_EQ(given().rules.most_per_hour, 20);
    configuration = agent::parse_home_configuration(
        R"({"profile_mode": "manual", "rotate_cooldown": "2m", "rotate_max_per_hour": 3})", "c");
    EXPECT_FALSE(given().rules.is_automatic);
    EXPECT_EQ(given().cooldown_ms, 120'000);
    EXPECT_EQ(given().rules.most_per_hour, 3);
    environment = sys::Environment({{"CHORUS_PROFILE_MODE", "auto"},
                                    {"CHORUS_ROTATE_COOLDOWN_SECS", "7"},
                                    {"CHORUS_ROTATE_MAX_PER_HOUR", "5"}});
    EXPECT_TRUE(given().rules.is_automatic);
    EXPECT_FALSE(given("manual").rules.is_automatic);
    EXPECT_EQ(given().cooldown_ms, 7'000);
    EXPECT_EQ(given().rules.most_per_hour, 5);
    environment = sys::Environment(std::map<std::string, std::string>{{"CHORUS_ROTATE_COOLDOWN_SECS", "0"}});
    EXPECT_EQ(given().cooldown_ms, 1'000) << "without a pause it would ask in a loop";
    for (const auto& [name, value] : {std::pair("CHORUS_PROFILE_MODE", "sometimes"),
                                      {"CHORUS_ROTATE_COOLDOWN_SECS", "7x"},
                                      {"CHORUS_ROTATE_MAX_PER_HOUR", "-1"}}) {
        environment = sys::Environment(std::map<std::string, std::string>{{name, value}});
        const base::Error error = error_of([&] { (void)given(); });
        EXPECT_EQ(error.code(), ErrorCode::bad_request) << name;
        EXPECT_TRUE(says(error, name));
    }
}

}  // namespace
}  // namespace chorus::place
