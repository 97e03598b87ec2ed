#include "base/nearest.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

TEST(Nearest, CountsTypingErrors) {
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("path", "path"), 0U);
    EXPECT_EQ(edit_distance("paht", "path"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, OnlyNearNamesNearestFirst) {
    EXPECT_EQ(nearest("Readme.md", {"README.md", "readmes.md", "other", "README.txt"}, 3),
              (std::vector<std::string>{"README.md", "readmes.md"}));
    EXPECT_TRUE(nearest("ab", {"xy", "a", "cd"}, 3).empty());
    EXPECT_EQ(nearest("abcd", {"abc", "abcde", "abcx"}, 2).size(), 2U);
    EXPECT_TRUE(nearest(std::string(100'000, 'a'), {std::string(100'000, 'b')}, 1).empty());
}

}  // namespace
}  // namespace chorus::base
