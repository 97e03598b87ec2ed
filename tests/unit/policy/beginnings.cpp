#include "policy/pattern.hpp"

#include <gtest/gtest.h>

#include <random>

namespace chorus::policy {
namespace {

TEST(Beginnings, RulesOutOnlyWhatThePlainTextRulesOut) {
    const Pattern files("tool:(view|list_files):.*");
    EXPECT_TRUE(files.may_match("tool:view:a"));
    EXPECT_FALSE(files.may_match("tool:bash:a"));
    EXPECT_TRUE(files.may_match_below("tool:"));
    EXPECT_TRUE(files.may_match_below("tool:view:a"));
    EXPECT_FALSE(files.may_match_below("tool:viewer:"));
    const Pattern exact("tool:ask_user:");
    EXPECT_TRUE(exact.may_match("tool:ask_user:"));
    EXPECT_FALSE(exact.may_match("tool:ask_user:x"));
    EXPECT_TRUE(exact.may_match_below("tool:ask"));
    EXPECT_FALSE(exact.may_match_below("tool:ask_user:x"));
}

TEST(Beginnings, FlagsQuantifiersAndClassesLeaveItOpen) {
    for (const char* pattern : {"(?i)ab", "a(?i)b|ab", "ab?c", "ab*", "(ab)?x", "[a]b", "a|.",
                                "\\Qab\\E", "a{0}b", "\u00fc?ab"})
        EXPECT_TRUE(Pattern(pattern).may_match("ab") || !Pattern(pattern).matches("ab")) << pattern;
    EXPECT_TRUE(Pattern("a(?i)b|c").may_match("C"));
    EXPECT_TRUE(Pattern("\u00fc?").may_match(""));
}

// The prefilter must never say no where RE2 says yes: a deny pattern would be dodged.
TEST(Beginnings, NeverDisagreesWithRe2) {
    constexpr std::string_view pieces[] = {"a",    "b",           "ab",    "(",    ")",
                                           "|",    "?",           "*",     "[ab]", "[^a]",
                                           "[]a]", "[[:alpha:]]", ".",     "\\.",  "\\Qa|b\\E",
                                           "(?:",  "(?i)",        "{0,1}", "\\[",  "[\\]|(]",
                                           "(?i:", "\\x61"};
    constexpr std::string_view texts[] = {"",  "a",  "b",  "ab",  "ba", "aab", "abb",
                                          "A", "AB", "aB", "a|b", ".",  "[",   "ab)",
                                          "]", "|",  "(",  "aa",  "bb", "aba"};
    std::mt19937 random(20260212);  // fixed: a failure can be repeated
    int compared = 0;
    for (int round = 0; round < 60'000; ++round) {
        std::string pattern;
        for (unsigned i = 0, n = 1 + random() % 7; i < n; ++i)
            pattern += pieces[random() % std::size(pieces)];
        const Pattern real(pattern);
        if (real.fault()) continue;
        // A named group is not read, so that this one's answers are RE2's alone.
        const Pattern unfiltered("(?P<all>" + pattern + ")");
        if (unfiltered.fault()) continue;
        for (const auto text : texts) {
            ++compared;
            if (unfiltered.matches(text)) {
                ASSERT_TRUE(real.may_match(text)) << pattern << " on " << text;
                for (std::size_t n = 0; n <= text.size(); ++n)
                    ASSERT_TRUE(real.may_match_below(text.substr(0, n)))
                        << pattern << " below " << text;
            }
        }
    }
    EXPECT_GT(compared, 100'000);
}

TEST(Beginnings, OnlyPlainTextBeforeACatchAllMatchesAll) {
    for (const char* pattern : {R"([\s\S]*)", R"(tool:[\s\S]*)", R"(tool:bash:[\s\S]*)",
                                R"(tool:(bash|mcp):[\s\S]*)", R"(tool:(x.*|bash):[\s\S]*)"})
        EXPECT_TRUE(matches_all_below(pattern, "tool:bash:")) << pattern;
    for (const char* pattern :
         {".*", "tool:.*", "tool:bash:.*", R"(tool:bash:l[\s\S]*)", R"(tool:git:[\s\S]*)",
          R"(x|tool:bash:[\s\S]*)", R"(tool:bash:|x[\s\S]*)", R"(tool:bash:\[\s\S]*)",
          R"(tool:.ash:[\s\S]*)", R"(tool:bash:x?[\s\S]*)", R"(^[\s\S]*)", R"((?i)[\s\S]*)"})
        EXPECT_FALSE(matches_all_below(pattern, "tool:bash:")) << pattern;
}

}  // namespace
}  // namespace chorus::policy
