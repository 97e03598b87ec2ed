#include "policy/profile.hpp"

#include <gtest/gtest.h>

namespace chorus::policy {
namespace {

std::vector<Profile> presets(const std::vector<std::string>& names) {
    std::vector<Profile> all;
    for (const std::string& name : names) all.push_back(std::move(*Profile::preset(name)));
    return all;
}

Profile written(ProfileText text) {
    return Profile::compile(text, "test");
}

std::string decided(const std::vector<Profile>& profiles, const std::string& action,
                    bool confined = false) {
    const Decision decision = strictest(profiles, parse_action(action), {confined});
    return std::string(name(decision.verdict)) + " " + decision.reason;
}

TEST(Strictest, OneProfileDecidesAlone) {
    EXPECT_EQ(decided(presets({"standard"}), "tool:bash:ls"), R"(ask ask[0] tool:bash:[\s\S]*)");
    EXPECT_EQ(decided(presets({"open"}), "tool:bash:ls"), R"(allow allow[0] tool:[\s\S]*)");
}

TEST(Strictest, DenyBeforeAskBeforeAllowInAnyOrder) {
    for (const auto& names : {std::vector<std::string>{"open", "standard", "locked"},
                              {"locked", "open", "standard"},
                              {"standard", "locked", "open"}})
        EXPECT_EQ(decided(presets(names), "tool:bash:ls"), "deny no pattern matches");
    for (const auto& names :
         {std::vector<std::string>{"open", "standard"}, {"standard", "open", "open"}})
        EXPECT_EQ(decided(presets(names), "tool:bash:ls"), R"(ask ask[0] tool:bash:[\s\S]*)");
}

TEST(Strictest, OfEqualsTheFirstOneSpeaks) {
    std::vector<Profile> profiles = presets({"standard"});
    profiles.push_back(written({.ask = {{"tool:bash:l."}}}));
    EXPECT_EQ(decided(profiles, "tool:bash:ls"), R"(ask ask[0] tool:bash:[\s\S]*)");
    std::swap(profiles[0], profiles[1]);
    EXPECT_EQ(decided(profiles, "tool:bash:ls"), "ask ask[0] tool:bash:l.");
}

TEST(Strictest, TheSurroundingsAreEverybodys) {
    EXPECT_TRUE(decided(presets({"sandboxed", "open"}), "tool:bash:ls", true).starts_with("allow"));
    EXPECT_TRUE(decided(presets({"sandboxed", "open"}), "tool:bash:ls").starts_with("ask"));
}

TEST(Strictest, WithoutAProfileNothingIsAllowed) {
    EXPECT_EQ(decided({}, "tool:view:a"), "deny there is no profile");
}

TEST(Strictest, WhatOneHidesIsHidden) {
    EXPECT_FALSE(any_hides(presets({"open", "standard"}), "tool:bash:"));
    EXPECT_TRUE(any_hides(presets({"open", "locked"}), "tool:bash:"));
    EXPECT_TRUE(any_hides(presets({"locked", "open"}), "tool:bash:"));
    EXPECT_FALSE(any_hides(presets({"locked", "open"}), "tool:view:"));
    EXPECT_FALSE(any_hides({}, "tool:view:"));
}

std::string print(const ProfileText& text) {
    return written(text).fingerprint();
}

TEST(Fingerprint, IsOfAllThatDecides) {
    const ProfileText text{.base = "standard",
                           .deny = {{"tool:a:.*"}},
                           .allow = {{"tool:b:.*"}, {"tool:c:.*", true}},
                           .ask = {{"tool:d:.*"}}};
    EXPECT_EQ(print(text).size(), 64U);
    EXPECT_EQ(print(text), print(text));
    std::vector<ProfileText> others(8, text);
    others[0].base = "sandboxed";
    others[1].deny[0].pattern += "x";
    others[2].allow[0].shell = true;
    others[3].allow[1].shell = false;
    std::swap(others[4].allow[0], others[4].allow[1]);
    others[5].ask.clear();
    others[6].allow.push_back(others[6].ask[0]);
    std::swap(others[7].deny, others[7].ask);
    for (std::size_t i = 0; i < others.size(); ++i) {
        EXPECT_NE(print(others[i]), print(text)) << i;
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(print(others[i]), print(others[j])) << i << j;
    }
}

TEST(Fingerprint, NoPatternPassesForTwoOrForTheEndOfAList) {
    EXPECT_NE(print({.allow = {{"a"}, {"b"}}}), print({.allow = {{"ab"}}}));
    EXPECT_NE(print({.allow = {{"a--1:b"}}}), print({.allow = {{"a"}, {"b"}}}));
    EXPECT_NE(print({.deny = {{"a;"}}}), print({.deny = {{"a"}}, .allow = {}}));
    EXPECT_NE(print({.deny = {{"a"}}}), print({.allow = {{"a"}}}));
    EXPECT_NE(print({.allow = {{"a"}}}), print({.ask = {{"a"}}}));
}

TEST(Fingerprint, OfAPresetIsThatOfItsPatterns) {
    for (const std::string& name : Profile::preset_names())
        EXPECT_EQ(Profile::preset(name)->fingerprint(), print({.base = name})) << name;
    EXPECT_NE(print({.base = "standard"}), print({.base = "sandboxed"}));
    // examples decide nothing
    EXPECT_EQ(print({.base = "open", .match = {"tool:view:a"}}), print({.base = "open"}));
}

}  // namespace
}  // namespace chorus::policy
