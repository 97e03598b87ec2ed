#include <unistd.h>

#include <thread>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

class MutationTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "1\n");
        initialise();
        write("a", "2\n");
    }
    // What a process leaves that is killed in the middle of a change, with git's locks in its
    // hands.
    void die_while_changing() const {
        write(".git/chorus.mutation", "");
        write(".git/index.lock", "");
        write(".git/refs/heads/main.lock", "");
    }
};

TEST_F(MutationTest, TheNextOneClearsWhatAKilledOneLeft) {
    die_while_changing();
    ASSERT_TRUE(exists(".git/index.lock"));
    commit("after");
    EXPECT_EQ(git("log -1 --format=%s"), "after\n");
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_FALSE(exists(".git/chorus.mutation"));
    EXPECT_CLEAN_FSCK();
}

TEST_F(MutationTest, TheLockIsForWhoeverMayChangeTheRepository) {
    for (const mode_t mode : {0775U, 0700U}) {
        std::filesystem::permissions(path(".git"), static_cast<std::filesystem::perms>(mode));
        open().create_branch("b" + std::to_string(mode));
        const auto perms = std::filesystem::status(path(".git/chorus.mutex")).permissions();
        EXPECT_EQ(static_cast<mode_t>(perms), mode & 0666U);
    }
}

TEST_F(MutationTest, WhatAKilledOneLeftCanBeClearedAlone) {
    die_while_changing();
    write(".git/objects/tmp_object_git2_0123456789abcdef", "half");
    clear_broken_mutation(workspace());
    EXPECT_FALSE(exists(".git/index.lock"));
    EXPECT_FALSE(exists(".git/refs/heads/main.lock"));
    EXPECT_FALSE(exists(".git/objects/tmp_object_git2_0123456789abcdef"));
    EXPECT_FALSE(exists(".git/chorus.mutation"));
    write(".git/index.lock", "");
    clear_broken_mutation(workspace());
    EXPECT_TRUE(exists(".git/index.lock"));
}

TEST_F(MutationTest, OneAtWorkKeepsItsLocks) {
    Repository repository = open();
    const PlannedCommit planned = repository.plan_commit("m", {}, author);
    write(".git/index.lock", "");
    clear_broken_mutation(workspace());
    EXPECT_TRUE(exists(".git/index.lock"));
    EXPECT_TRUE(exists(".git/chorus.mutation"));
}

TEST_F(MutationTest, ALockOfAnotherGitStays) {
    write(".git/index.lock", "");
    EXPECT_EQ(message_of([&] { commit("m"); }),
              "commit: the index is locked; this might be due to a concurrent or crashed process");
    EXPECT_TRUE(exists(".git/index.lock"));
    EXPECT_EQ(git("log -1 --format=%s"), "Initial commit\n");
}

TEST_F(MutationTest, AnOlderLockStaysEvenAfterACrash) {
    write(".git/packed-refs.lock", "");
    shell("touch -d '1 hour ago' .git/packed-refs.lock");
    die_while_changing();
    commit("after");
    EXPECT_TRUE(exists(".git/packed-refs.lock"));
}

TEST_F(MutationTest, AnotherGitIsWaitedFor) {
    write(".git/index.lock", "");
    std::thread other([&] {
        usleep(200'000);
        unlink(path(".git/index.lock").c_str());
    });
    commit("waited");
    other.join();
    EXPECT_EQ(git("log -1 --format=%s"), "waited\n");
}

TEST_F(MutationTest, ManyAtOnceTakeTurns) {
    constexpr int count = 8;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            write("f" + std::to_string(i), "x\n");
            const unsigned umask = static_cast<unsigned>(i);  // so each has a chorus-git of its own
            commit_in(Repository::open(workspace(), umask).value(), "c" + std::to_string(i),
                      {"f" + std::to_string(i)}, author);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(git("rev-list --count HEAD"), std::to_string(count + 1) + "\n");
    EXPECT_EQ(git("status --porcelain"), " M a\n");
    EXPECT_CLEAN_FSCK();
}

}  // namespace
}  // namespace chorus::repo
