#include "sys/git_config.hpp"

#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using Lines = std::vector<std::string>;
using Values = std::map<std::string, std::string>;

TEST(GitSettings, SafeDirectoriesAreThoseOfTheUser) {
    const test::Scratch scratch;
    const std::string file = scratch.path() + "/gitconfig";
    const Environment environment(
        {{"HOME", "/home/me"}, {"GIT_CONFIG_SYSTEM", "/dev/null"}, {"GIT_CONFIG_GLOBAL", file}});
    const auto of = [&](const char* text) {
        std::ofstream(file) << text;
        return safe_directories(environment);
    };
    EXPECT_EQ(of("[safe]\n\tdirectory = /a b # c\n[user]\n\tdirectory = /no\n"
                 "[SAFE] Directory=\"/q#\\\"\"\n\tdirectory = ~/x\n\tdirectory = *\n"),
              (Lines{"/a b", "/q#\"", "/home/me/x", "*"}));
    EXPECT_EQ(of("[safe]\ndirectory = /a\ndirectory =\ndirectory = /b\n"), Lines{"/b"});
    EXPECT_EQ(of("[safe \"x\"]\ndirectory = /a\n"), Lines{});
    EXPECT_EQ(safe_directories(Environment(Values{{"GIT_CONFIG_SYSTEM", "/nowhere"}})), Lines{});
}

TEST(GitSettings, HoldIdentityAndSafety) {
    EXPECT_TRUE(git_settings("a \"b\\", "a@x", Environment())
                    .starts_with("[user]\n\tname = \"a \\\"b\\\\\"\n\temail = \"a@x\"\n[safe]\n\t"
                                 "bareRepository = explicit\n"));
}

}  // namespace
}  // namespace chorus::sys
