#include "agent/keys.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

TEST(Keys, are_sorted_and_found) {
    EXPECT_TRUE(std::is_sorted(keys().begin(), keys().end(), [](const Key& one, const Key& other) {
        return one.name < other.name;
    }));
    std::set<std::string_view> names;
    for (const Key& key : keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_EQ(find_key(key.name), &key) << key.name;
        EXPECT_EQ(find_key(std::string(key.name) + "x"), nullptr);
        EXPECT_TRUE(key.in_agent || key.in_home) << key.name;
        EXPECT_FALSE(key.sentence.empty()) << key.name;
        EXPECT_FALSE(expected(key.type).empty()) << key.name;
    }
    for (const char* text : {"", "a", "zzz", "Name", "name "})
        EXPECT_EQ(find_key(text), nullptr) << text;
}

// L-10 and the optional keys of chorus-home(5)
TEST(Keys, are_those_of_the_manual) {
    for (const char* name : {"name", "channel_id", "model", "system_prompt", "permissions",
                             "created_at", "running_tasks", "description", "rolling_window",
                             "idle_timeout", "max_iterations", "max_messages", "auto_compact",
                             "context_tokens", "sandbox", "parallel_tools", "budget", "metadata"}) {
        const Key* key = find_key(name);
        ASSERT_NE(key, nullptr) << name;
        EXPECT_TRUE(key->in_agent) << name;
    }
}

TEST(Keys, have_the_built_in_values_of_the_manual) {
    EXPECT_EQ(find_key("rolling_window")->fallback, "86400");
    EXPECT_EQ(find_key("idle_timeout")->fallback, "1800");
    EXPECT_EQ(find_key("max_iterations")->fallback, "25");
    EXPECT_EQ(find_key("permissions")->fallback, "standard");
    EXPECT_EQ(find_key("sandbox")->fallback, "workspace");
}

}  // namespace
}  // namespace chorus::agent
