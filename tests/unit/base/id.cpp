#include "base/id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace chorus::base {
namespace {

TEST(Uuid, has_the_form_of_version_4) {
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        const std::string id = random_uuid();
        ASSERT_EQ(id.size(), 36U);
        for (std::size_t at = 0; at < id.size(); ++at) {
            const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
            ASSERT_EQ(id[at] == '-', dash) << id;
            ASSERT_TRUE(dash || std::string("0123456789abcdef").find(id[at]) != std::string::npos)
                << id;
        }
        EXPECT_EQ(id[14], '4') << id;
        EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << id;
        EXPECT_TRUE(seen.insert(id).second) << id;
    }
}

TEST(ShortId, has_the_length_asked_for_and_no_character_taken_for_another) {
    std::set<char> used;
    for (std::size_t length = 0; length < 40; ++length)
        for (int i = 0; i < 50; ++i) {
            const std::string id = random_short_id(length);
            ASSERT_EQ(id.size(), length);
            used.insert(id.begin(), id.end());
        }
    EXPECT_EQ(std::string(used.begin(), used.end()), "23456789abcdefghijkmnpqrstuvwxyz");
    EXPECT_NE(random_short_id(20), random_short_id(20));
}

// L-02
TEST(AgentName, is_what_a_directory_can_be_called) {
    for (const char* name : {"a", "0", "ada", "a-b_c", "0-", "a-", "a_", "9lives"})
        EXPECT_TRUE(is_agent_name(name)) << name;
    EXPECT_TRUE(is_agent_name(std::string(63, 'x')));
    for (const char* name :
         {"", ".", "..", "-a", "_a", "a.b", "a/b", "A", "aB", "a b", " a", "a\n", "ä", "a\x7f"})
        EXPECT_FALSE(is_agent_name(name)) << name;
    EXPECT_FALSE(is_agent_name(std::string(64, 'x')));
    EXPECT_FALSE(is_agent_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace chorus::base
