#include "base/shell_quoted.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

TEST(ShellQuoted, IsAWordThatCanBeTyped) {
    EXPECT_EQ(shell_quoted("/tmp/a-b_c.d"), "/tmp/a-b_c.d");
    EXPECT_EQ(shell_quoted("/tmp/two words"), "'/tmp/two words'");
    EXPECT_EQ(shell_quoted("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("~"), "'~'");
}

}  // namespace
}  // namespace chorus::base
