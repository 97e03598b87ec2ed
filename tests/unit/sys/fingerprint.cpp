#include "sys/fingerprint.hpp"

#include <fcntl.h>

#include <chrono>
#include <thread>

#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using test::put;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

class FingerprintTest : public testing::Test {
  protected:
    FingerprintTest() : root_(scratch_.path()) {}

    // Until the times of all that was written tell.
    static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }
    Fingerprint now() const { return Fingerprint::of(root_); }
    Names changes(const std::string& command) {
        settle();
        const Fingerprint before = now();
        EXPECT_EQ(std::system(("cd " + scratch_.path() + " && " + command).c_str()), 0) << command;
        // as another process reads it
        const auto read = Fingerprint::parse(before.text());
        EXPECT_TRUE(read);
        const Names found = now().changes_since(before);
        EXPECT_EQ(now().changes_since(*read), found) << command;
        return found;
    }

    test::Scratch scratch_;
    Root root_;
};

TEST_F(FingerprintTest, NamesWhatChanges) {
    put(scratch_ / "a", "one");
    put(scratch_ / "b", "two");
    put(scratch_ / "d/x", "three");
    EXPECT_EQ(changes("true"), Names{});
    EXPECT_EQ(changes("cat a d/x"), Names{});
    EXPECT_EQ(changes("echo 1 > a"), Names{"a"});
    EXPECT_EQ(changes("touch a"), Names{"a"});
    EXPECT_EQ(changes("chmod 700 a"), Names{"a"});
    EXPECT_EQ(changes("cp -p b c && mv c b"), Names{"b"});
    EXPECT_EQ(changes("touch -r a t && echo abc > b && touch -r t b && rm t"), Names{"b"});
    EXPECT_EQ(changes("echo x > new"), Names{"new (new)"});
    EXPECT_EQ(changes("rm new"), Names{"new (gone)"});
    EXPECT_EQ(changes("mv d e"), (Names{"d (gone)", "d/x (gone)", "e (new)", "e/x (new)"}));
    EXPECT_EQ(changes("ln -s a link"), Names{"link (new)"});
    EXPECT_EQ(changes("ln -sfn b link"), Names{"link"});
    EXPECT_EQ(changes("chmod 700 e"), Names{"e"});
    EXPECT_EQ(changes("mkfifo a.pipe && mkdir -p '.h/deep er'"),
              (Names{".h (new)", ".h/deep er (new)", "a.pipe (new)"}));
    // what comes and goes again is no change
    EXPECT_EQ(changes("touch e/tmp && rm e/tmp"), Names{});
}

constexpr const char* committing =
    "git add f && git -c user.name=n -c user.email=e commit -q --allow-empty -m m && git status -s"
    " && git pack-refs --all && git tag t$(git rev-list --all --count) && git stash list";

TEST_F(FingerprintTest, OfGitWhatGitItselfWritesDoesNotCount) {
    put(scratch_ / "f", "x");
    EXPECT_EQ(std::system(("cd " + scratch_.path() + " && git init -q .").c_str()), 0);
    EXPECT_EQ(changes(committing), Names{});
    EXPECT_EQ(changes(committing), Names{});
    EXPECT_EQ(changes("git config a.b c"), Names{".git/config"});
    EXPECT_EQ(changes("mkdir -p .git/hooks && echo > .git/hooks/pre-commit"),
              Names{".git/hooks/pre-commit (new)"});
    EXPECT_EQ(changes("mkdir git x.git && touch x.git/y git/z").size(), 4U);
    // in a linked worktree's and in a submodule's too
    EXPECT_EQ(std::system(("cd " + scratch_.path() +
                           " && git worktree add -q wt && mkdir -p .git/modules/a && git init -q"
                           " --separate-git-dir .git/modules/a/b sm && cp f wt && cp f sm")
                              .c_str()),
              0);
    EXPECT_EQ(changes("cd wt && " + std::string(committing)), Names{});
    EXPECT_EQ(changes("cd sm && " + std::string(committing)), Names{});
    EXPECT_EQ(changes("echo > .git/modules/a/b/hooks/pre-push && echo > .git/worktrees/wt/x"),
              (Names{".git/modules/a/b/hooks/pre-push (new)", ".git/worktrees/wt/x (new)"}));
}

// A Makefile can include any of them.
TEST_F(FingerprintTest, OfGitEverythingElseCounts) {
    put(scratch_ / "f", "x");
    EXPECT_EQ(std::system(("cd " + scratch_.path() + " && git init -q .").c_str()), 0);
    EXPECT_EQ(changes("echo > .git/rules.mk && mkdir .git/d && echo > .git/d/x && ln -s x .git/l"),
              (Names{".git/d/x (new)", ".git/l (new)", ".git/rules.mk (new)"}));
    EXPECT_EQ(changes("echo 2 > .git/d/x && echo > .git/info/attributes"),
              (Names{".git/d/x", ".git/info/attributes (new)"}));
    // names that git writes, of another kind or in another place
    EXPECT_EQ(
        changes("echo > .git/d/COMMIT_EDITMSG && ln -s ../f .git/MERGE_MSG"
                " && mkdir .git/d/objects && echo > .git/d/objects/x"),
        (Names{".git/MERGE_MSG (new)", ".git/d/COMMIT_EDITMSG (new)", ".git/d/objects/x (new)"}));
}

TEST_F(FingerprintTest, AGitDirectoryThatIsNoRepositoryCountsWhole) {
    EXPECT_EQ(changes("mkdir -p sub/.git/hooks && touch sub/.git/config sub/.git/hooks/x"),
              (Names{"sub (new)", "sub/.git/config (new)", "sub/.git/hooks (new)",
                     "sub/.git/hooks/x (new)"}));
    EXPECT_EQ(changes("echo > sub/.git/x.sh; mkdir sub/.git/objects; echo > sub/.git/objects/x"),
              (Names{"sub/.git/objects (new)", "sub/.git/objects/x (new)", "sub/.git/x.sh (new)"}));
}

// They are put into the repository while a command of any agent runs there.
TEST_F(FingerprintTest, MountPointsDoNotCount) {
    put(scratch_ / "f", "x");
    EXPECT_EQ(std::system(("cd " + scratch_.path() + " && git init -q .").c_str()), 0);
    EXPECT_EQ(changes("cd .git && touch config.lock config.worktree config.worktree.lock"
                      " && printf './\\n' > commondir && mkdir modules worktrees"),
              Names{});
    EXPECT_EQ(changes("cd .git && printf '..\\n' > commondir && echo x > config.lock"),
              (Names{".git/commondir (new)", ".git/config.lock (new)"}));
}

TEST_F(FingerprintTest, AYoungFileIsHashed) {
    for (int round = 0; round < 20; ++round) {
        put(scratch_ / "young", "one");
        const Fingerprint before = now();
        EXPECT_EQ(now().changes_since(before), Names{});
        // within the same tick of the clock it may leave the same times
        put(scratch_ / "young", "two");
        EXPECT_EQ(now().changes_since(before), Names{"young"});
    }
    put(scratch_ / "young", "one");
    const Fingerprint before = now();
    settle();
    EXPECT_EQ(now().changes_since(before), Names{});
}

TEST_F(FingerprintTest, AYoungFileThatIsTooLongToHashIsAChange) {
    put(scratch_ / "long", "");
    fs::resize_file(scratch_ / "long", 17U << 20);
    const Fingerprint before = now();
    EXPECT_EQ(now().changes_since(before), Names{"long"});
    settle();
    const Fingerprint settled = now();
    EXPECT_EQ(now().changes_since(settled), Names{});
}

TEST_F(FingerprintTest, OfOneFile) {
    put(scratch_ / "d/a", "one");
    const auto at = [&](const std::string& path) { return Fingerprint::of_file(root_, path); };
    EXPECT_EQ(at("d/a").size(), 1U);
    EXPECT_EQ(at(scratch_ / "d/../d/a").size(), 1U);
    EXPECT_EQ(at("d/b").size(), 0U);
    EXPECT_EQ(at("../x").size(), 0U);
    const Fingerprint before = at("d/a");
    put(scratch_ / "d/b", "x");
    EXPECT_EQ(at("d/a").changes_since(before), Names{});
    put(scratch_ / "d/a", "two");
    EXPECT_EQ(at("d/a").changes_since(before), Names{"d/a"});
    fs::remove(scratch_ / "d/a");
    EXPECT_EQ(at("d/a").changes_since(before), Names{"d/a (gone)"});
}

TEST_F(FingerprintTest, WhatCannotBeLookedIntoIsToldByItsTime) {
    put(scratch_ / "d/a", "one");
    fs::permissions(scratch_ / "d", fs::perms::none);
    EXPECT_EQ(
        test::as_ordinary_user(scratch_.path(),
                               [&] {
                                   settle();
                                   const Fingerprint before = now();
                                   if (before.size() != 2 || !now().changes_since(before).empty())
                                       return 1;
                                   fs::permissions(scratch_ / "d", fs::perms::owner_all);
                                   put(scratch_ / "d/a", "two");
                                   fs::permissions(scratch_ / "d", fs::perms::none);
                                   return now().changes_since(before) == Names{"d/"} ? 0 : 2;
                               }),
        0);
    fs::permissions(scratch_ / "d", fs::perms::owner_all);
}

// Deeper than a path can say: it is never taken for unchanged.
TEST_F(FingerprintTest, WhatLiesTooDeepIsAChange) {
    const std::string name(200, 'n');
    Fd place(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY));
    for (int depth = 0; depth < 30; ++depth) {
        ASSERT_EQ(mkdirat(place.get(), name.c_str(), 0700), 0);
        place = Fd(openat(place.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    }
    settle();
    const Fingerprint before = now();
    EXPECT_EQ(now().changes_since(before).size(), 1U);
}

TEST_F(FingerprintTest, OnlyItsOwnTextIsRead) {
    put(scratch_ / "a", "one");
    put(scratch_ / "ab", "one");
    const std::string text = now().text();
    EXPECT_TRUE(Fingerprint::parse(text));
    EXPECT_TRUE(Fingerprint::parse(""));
    for (std::size_t size = 1; size < text.size(); ++size) {
        const auto read = Fingerprint::parse(text.substr(0, size));
        EXPECT_TRUE(!read || read->size() == 1) << size;
    }
    EXPECT_FALSE(Fingerprint::parse(std::string(100, '\xff')));
}

TEST_F(FingerprintTest, OfFilesLeavesOutOneGitDirectoryOnly) {
    for (const char* path : {".git/HEAD", ".git/refs/x", "sub/.git/HEAD", "sub/.git/index", "a"})
        put(scratch_ / path, "x");
    put(scratch_ / "sub/.chorus-write-3.tmp", "x");
    Names paths;
    const Fingerprint files = Fingerprint::of_files(root_);
    for (const Fingerprint::Entry& entry : files.entries()) paths.push_back(entry.path);
    EXPECT_EQ(paths, (Names{"a", "sub", "sub/.git", "sub/.git/HEAD", "sub/.git/index"}));
    put(scratch_ / "a", "longer");
    const auto changes = Fingerprint::of_files(root_).all_changes_since(files);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes.front().path, "a");
}

}  // namespace
}  // namespace chorus::sys
