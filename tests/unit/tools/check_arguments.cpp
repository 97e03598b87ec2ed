#include <gtest/gtest.h>

#include "tools/nearest.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

std::string check(const std::string& tool, const std::string& json) {
    return check_arguments(*find_tool(tool), Arguments::parse(json));
}

TEST(CheckArguments, RightCallsPass) {
    EXPECT_EQ(check("create_file", R"({"path":"a","content":""})"), "");
    EXPECT_EQ(check("view", R"({"path":"a","offset":"5","limit":10.0})"), "");
    EXPECT_EQ(check("view", R"({"path":"a","offset":null})"), "");
    EXPECT_EQ(check("git_commit", R"({"message":"m","files":["a","b"]})"), "");
    EXPECT_EQ(check("str_replace", R"({"path":"a","old_str":"x","new_str":"","all":"true"})"), "");
    EXPECT_EQ(check("git_status", ""), "");
}

TEST(CheckArguments, NamesWhatIsMissingAndWhatIsExpected) {
    EXPECT_EQ(check("create_file", R"({"path":"a"})"),
              "create_file: missing 'content'; expected: path (string, required), content (string, "
              "required)");
    EXPECT_EQ(check("view", R"({"path":null})"),
              "view: missing 'path'; expected: path (string, required), offset (integer), limit "
              "(integer)");
}

TEST(CheckArguments, NamesWrongTypes) {
    EXPECT_EQ(
        check("git_commit", R"({"message":1,"files":"a"})"),
        "git_commit: 'files' is not of type array, 'message' is not of type string; expected: "
        "message (string, required), files (array of strings)");
    EXPECT_NE(check("view", R"({"path":"a","offset":1.5})").find("'offset' is not of type integer"),
              std::string::npos);
    EXPECT_NE(check("git_commit", R"({"message":"m","files":["a",1]})").find("'files'"),
              std::string::npos);
    EXPECT_NE(check("git_branch", R"({"name":"m","delete":1})").find("'delete'"),
              std::string::npos);
}

TEST(CheckArguments, UnknownOnesAreRefusedWithAGuess) {
    EXPECT_NE(check("view", R"({"path":"a","ofset":3})")
                  .find("unknown argument 'ofset' (did you mean 'offset'?)"),
              std::string::npos);
    EXPECT_EQ(check("git_status", R"({"verbose":true})"),
              "git_status: unknown argument 'verbose'; expected: no arguments");
}

TEST(CheckArguments, BrokenJsonGetsTheExpectedOnesToo) {
    const std::string text = check("view", "{\"path\":");
    EXPECT_EQ(text.find("view: the arguments are not JSON"), 0U);
    EXPECT_NE(text.find("; expected: path (string, required)"), std::string::npos);
}

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
}  // namespace chorus::tools
