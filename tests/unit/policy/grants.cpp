#include "policy/grants.hpp"

#include <gtest/gtest.h>

namespace chorus::policy {
namespace {

Grants house() {
    return {.permission_grants = {{"admin", {"*"}},
                                  {"developer", {"standard", "sandboxed", "review"}},
                                  {"viewer", {"locked"}},
                                  {"nobody", {}}},
            .roles = {{"ada", {"admin"}},
                      {"bob", {"viewer"}},
                      {"%dev", {"developer"}},
                      {"%staff", {"viewer", "nobody"}},
                      {"dave", {"unheard_of"}}}};
}

Requester person(std::string user, std::vector<std::string> groups = {}) {
    return {std::move(user), std::move(groups), false};
}

std::string problem(const Requester& who, std::string_view profile) {
    return grant_problem(house(), who, profile);
}

// L-18 X-39
TEST(Grants, TheOwnerAloneMayWhereNothingIsMapped) {
    const Grants only_roles{.permission_grants = {}, .roles = {{"bob", {"admin"}}}};
    const Requester owner{"ada", {}, true};
    for (const char* profile : {"open", "locked", "custom", "review"}) {
        for (const Grants& grants : {Grants(), only_roles}) {
            EXPECT_EQ(grant_problem(grants, owner, profile), "") << profile;
            EXPECT_EQ(grant_problem(grants, person("bob", {"ada"}), profile),
                      "user 'bob' may not grant '" + std::string(profile) +
                          "': without permission_grants in config.json only the owner of the home "
                          "may");
        }
        EXPECT_EQ(problem(owner, profile), "") << "as a role says";
    }
    EXPECT_NE(problem({"eve", {}, true}, "locked"), "") << "where something is mapped it decides";
}

// L-18 X-39
TEST(Grants, ARoleGrantsWhatItLists) {
    for (const char* profile : {"open", "locked", "custom", "review", ""})
        EXPECT_EQ(problem(person("ada"), profile), "") << profile;
    EXPECT_EQ(problem(person("carol", {"dev"}), "standard"), "");
    EXPECT_EQ(problem(person("carol", {"dev"}), "review"), "");
    EXPECT_EQ(problem(person("bob"), "locked"), "");
    EXPECT_NE(problem(person("carol", {"dev"}), "open"), "");
    EXPECT_NE(problem(person("carol", {"dev"}), "custom"), "");
    EXPECT_NE(problem(person("carol", {"dev"}), "standar"), "");
    EXPECT_NE(problem(person("bob"), "standard"), "");
}

TEST(Grants, RolesOfAUserAndOfItsGroupsAddUp) {
    EXPECT_EQ(problem(person("bob", {"dev", "games"}), "standard"), "");
    EXPECT_EQ(problem(person("bob", {"games", "dev"}), "locked"), "");
    EXPECT_EQ(problem(person("erin", {"staff", "dev"}), "sandboxed"), "");
}

TEST(Grants, AGroupIsNoUserAndAUserIsNoGroup) {
    EXPECT_NE(problem(person("dev"), "standard"), "");
    EXPECT_NE(problem(person("eve", {"ada"}), "open"), "");
    EXPECT_NE(problem(person("eve", {"%dev"}), "standard"), "");
    // nobody can be called that; if somebody is, it is a user
    EXPECT_EQ(problem(person("%dev"), "standard"), "");
}

// L-18
TEST(Grants, WithoutARoleNothingIsGranted) {
    EXPECT_EQ(problem(person("eve"), "locked"),
              "user 'eve' without a role may not grant 'locked', which 'admin' and 'viewer' may");
    EXPECT_NE(grant_problem({.permission_grants = {{"admin", {"*"}}}, .roles = {}}, person("root"),
                            "locked"),
              "");
}

TEST(Grants, TheProblemSaysWhoAndWhichRolesMay) {
    EXPECT_EQ(problem(person("bob"), "open"),
              "user 'bob' with the role 'viewer' may not grant 'open', which 'admin' may");
    EXPECT_EQ(problem(person("bob", {"staff"}), "sandboxed"),
              "user 'bob' with the roles 'nobody' and 'viewer' may not grant 'sandboxed', which "
              "'admin' and 'developer' may");
    EXPECT_EQ(problem(person("dave"), "standard"),
              "user 'dave' with the role 'unheard_of' may not grant 'standard', which 'admin' and "
              "'developer' may");
    EXPECT_EQ(grant_problem({.permission_grants = {{"viewer", {"locked"}}}, .roles = {}},
                            person("eve\n"), "open\x1b"),
              R"(user 'eve\n' without a role may not grant 'open\x1b', which no role may)");
}

}  // namespace
}  // namespace chorus::policy
