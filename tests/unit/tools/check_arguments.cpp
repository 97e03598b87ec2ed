#include <gtest/gtest.h>

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
    EXPECT_EQ(check("git_commit", R"({"message":1,"files":"a"})"),
              "git_commit: 'files' is not of type array of strings, 'message' is not of type "
              "string; expected: "
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

}  // namespace
}  // namespace chorus::tools
