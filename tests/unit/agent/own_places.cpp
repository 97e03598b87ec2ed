#include "agent/own_places.hpp"

#include <unistd.h>

#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using test::error_of;
using test::put;
using test::Scratch;

TEST(OwnPlaces, are_all_of_the_home_but_the_workspaces) {
    const Scratch scratch;
    const Home home(scratch / "home");
    put(home.database(), "db");
    put(home.agent("a") + "/workspace/file", "");
    ASSERT_EQ(symlink("home", (scratch / "way").c_str()), 0);
    ASSERT_EQ(symlink("home/chorus.db", (scratch / "link").c_str()), 0);
    for (const Home& named : {home, Home(scratch / "way")}) {
        for (const char* own :
             {"home/chorus.db", "home/chorus.db-journal", "way/chorus.db-wal", "link", "home/new",
              "home/agents/b", "home/agents/a/new", "home/agents/workspace",
              "home/agents/a/workspace", "way/agents/a/workspace/../new", "way/../home/new"})
            EXPECT_TRUE(is_own_place(named, scratch / own)) << own;
        for (const char* other : {"new", "home2", "home", "way/../new", "nowhere/new"}) {
            EXPECT_FALSE(is_own_place(named, scratch / other)) << other;
            EXPECT_FALSE(is_in_home(named, scratch / other)) << other;
        }
        for (const char* work : {"home/agents/a/workspace/file", "way/agents/a/workspace/new"}) {
            EXPECT_FALSE(is_own_place(named, scratch / work)) << work;
            EXPECT_TRUE(is_in_home(named, scratch / work)) << work;
        }
    }
    EXPECT_FALSE(is_own_place(home, "new"));
    EXPECT_FALSE(is_own_place(Home(scratch / "nowhere"), scratch / "nowhere/new"));
}

TEST(OwnPlaces, may_lie_elsewhere_behind_links) {
    const Scratch scratch;
    const Home home(scratch / "home");
    put(scratch / "data/db", "db");
    put(scratch / "big/agents/a/workspace/file", "");
    put(home.config(), "{}");
    ASSERT_EQ(symlink("../data/db", home.database().c_str()), 0);
    ASSERT_EQ(symlink("../big/agents", home.agents().c_str()), 0);
    for (const char* own : {"data/db", "data/db-wal", "big/agents/a/agent.json", "home/agents/b"})
        EXPECT_TRUE(is_own_place(home, scratch / own)) << own;
    for (const char* other : {"data/other", "big/file", "home/agents/a/workspace/file"})
        EXPECT_FALSE(is_own_place(home, scratch / other)) << other;
}

TEST(OwnPlaces, are_refused) {
    const Scratch scratch;
    const Home home(scratch / "home");
    put(home.database(), "db");
    const auto check = refuse_own_places(home);
    check(scratch / "new");
    EXPECT_EQ(error_of([&] { check(home.path() + "/new"); }).code(), ErrorCode::bad_request);
}

}  // namespace
}  // namespace chorus::agent
