#include "workspace.hpp"

namespace chorus::repo {
namespace {

class BranchTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "main\n");
        initialise();
    }
    // A branch "side" on which "a" is changed and "only-side" is there; main is checked out.
    void make_side() const {
        git("checkout -q -b side");
        write("a", "side\n");
        write("only-side", "x\n");
        write("sub/c", "x\n");
        commit("side");
        git("checkout -q main");
    }
    void checkout(const std::string& ref) const { open().checkout(ref, false); }
};

TEST_F(BranchTest, ListsCreatesAndDeletes) {
    open().create_branch("topic/one");
    open().create_branch("alpha");
    EXPECT_EQ(open().branches(), "  alpha\n* main\n  topic/one\n");
    open().delete_branch("alpha");
    git("pack-refs --all");
    open().delete_branch("topic/one");
    EXPECT_EQ(open().branches(), "* main\n");
    EXPECT_EQ(git("branch"), "* main\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(BranchTest, RefusesTheCurrentAMissingAndAnExistingOne) {
    EXPECT_EQ(message_of([&] { open().delete_branch("main"); }),
              "git: branch 'main' is checked out");
    EXPECT_EQ(message_of([&] { open().delete_branch("gone"); }), "git: there is no branch 'gone'");
    EXPECT_EQ(message_of([&] { open().create_branch("main"); }), "git: branch 'main' exists");
    git("checkout -q --orphan fresh");
    EXPECT_EQ(message_of([&] { open().create_branch("x"); }), "git: there is no commit yet");
}

TEST_F(BranchTest, RefusesToDeleteWhatIsNotMerged) {
    make_side();
    const std::string message = "git: branch 'side' is not fully merged";
    EXPECT_EQ(message_of([&] { open().delete_branch("side"); }), message);
    git("checkout -q --orphan fresh");
    EXPECT_EQ(message_of([&] { open().delete_branch("side"); }), message);
    git("checkout -qf main");
    git("branch kept side");
    git("branch -q --set-upstream-to=kept side");
    open().delete_branch("side");
    git("merge -q kept");
    open().delete_branch("kept");
    EXPECT_EQ(git("branch"), "* main\n");
}

TEST_F(BranchTest, RefusesNamesThatMeanSomethingElse) {
    for (const char* name :
         {"", "-d", "a..b", "a b", "a:b", "+a", "a~1", "refs/../x", "a@{1}", "a\nb"}) {
        const std::string expected = std::string("git: '") + name + "' is not a valid branch name";
        EXPECT_EQ(message_of([&] { open().create_branch(name); }), expected);
        EXPECT_EQ(message_of([&] { open().delete_branch(name); }), expected);
        EXPECT_EQ(message_of([&] { open().checkout(name, true); }), expected);
    }
    for (const char* name : {"a.lock", "/a", "a/", ".a"})
        EXPECT_NE(message_of([&] { open().create_branch(name); }), "nothing was thrown") << name;
    EXPECT_EQ(open().branches(), "* main\n");
}

TEST_F(BranchTest, ChecksOutABranchAndBack) {
    make_side();
    checkout("side");
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "side\n");
    EXPECT_EQ(read("a"), "side\n");
    EXPECT_TRUE(exists("only-side"));
    EXPECT_EQ(git("status --porcelain"), "");
    checkout("main");
    EXPECT_EQ(read("a"), "main\n");
    EXPECT_FALSE(exists("only-side"));
    EXPECT_EQ(git("reflog -1 --format='%gs by %gn'"),
              "checkout: moving from side to main by alice\n");
}

TEST_F(BranchTest, ChecksOutATagOrACommitDetached) {
    make_side();
    git("tag -a -m t v1 side");
    checkout("v1");
    EXPECT_EQ(git("rev-parse HEAD"), git("rev-parse side"));
    EXPECT_EQ(git("branch --show-current"), "");
    EXPECT_TRUE(open().branches().starts_with("* (detached at "));
    checkout(git("rev-parse main").substr(0, 40));
    EXPECT_EQ(read("a"), "main\n");
}

TEST_F(BranchTest, WhatStandsForABranchDoesNotDetachIt) {
    make_side();
    write("a", "mine\n");
    for (const char* ref : {"HEAD", "@", "main"}) {
        checkout(ref);
        EXPECT_EQ(git("symbolic-ref --short HEAD"), "main\n") << ref;
    }
    EXPECT_EQ(read("a"), "mine\n");
    write("a", "main\n");
    checkout("@{-1}");
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "side\n");
    git("checkout -q --detach");
    checkout("HEAD");
    EXPECT_EQ(git("branch --show-current"), "");
    git("checkout -q --orphan fresh");
    EXPECT_EQ(message_of([&] { checkout("HEAD"); }), "git: there is no commit yet");
}

TEST_F(BranchTest, LinksAndDirectoriesChangePlacesWithFiles) {
    write("l", "a file\n");
    write("d/in", "x\n");
    commit("before");
    git("checkout -q -b side");
    for (const char* name : {"l", "d"}) remove(name);
    link("a", "l");
    write("d", "a file\n");
    commit("after");
    for (const char* ref : {"main", "side"}) {
        checkout(ref);
        EXPECT_EQ(git("status --porcelain"), "");
    }
    EXPECT_EQ(std::filesystem::read_symlink(path("l")), "a");
    EXPECT_EQ(read("d"), "a file\n");
}

TEST_F(BranchTest, RunsNeitherHooksNorFilters) {
    make_side();
    write(".git/info/attributes", "a filter=evil\n");
    for (const char* kind : {"clean", "smudge", "process"})
        git(std::string("config filter.evil.") + kind + " 'touch " + directory() + "/ran; cat'");
    write(".git/hooks/post-checkout", "#!/bin/sh\ntouch " + directory() + "/ran\n");
    shell("chmod +x .git/hooks/post-checkout");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: 'a' has the attribute filter=evil");
    write(".git/info/attributes", "");
    checkout("side");
    EXPECT_FALSE(std::filesystem::exists(directory() + "/ran"));
    EXPECT_EQ(read("a"), "side\n");
}

TEST_F(BranchTest, RefusesAFileInPlaceOfADirectoryWithMoreInIt) {
    write("dir/tracked", "1\n");
    commit("dir");
    git("checkout -q -b side");
    remove("dir");
    write("dir", "a file\n");
    write("fresh", "a file\n");
    commit("side");
    git("checkout -q main");
    for (const char* extra : {"dir/.own", "dir/ignored", "fresh/own"}) {
        write(".git/info/exclude", "ignored\n");
        write(extra, "mine\n");
        EXPECT_EQ(message_of([&] { checkout("side"); }),
                  std::string("checkout: would overwrite '") + extra + "'");
        EXPECT_EQ(read("dir/tracked") + read(extra), "1\nmine\n");
        EXPECT_EQ(git("status --porcelain -uno"), "");
        git("clean -fdxq");
    }
    checkout("side");
    EXPECT_EQ(read("dir"), "a file\n");
}

TEST_F(BranchTest, ASparseCheckoutIsLeftToGit) {
    make_side();
    for (const char* set : {"sparse-checkout set --no-cone /a", "sparse-checkout set sub"}) {
        git(set);
        EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: this is a sparse checkout");
        EXPECT_EQ(git("branch --format='%(refname:short)'"), "main\nside\n");
        EXPECT_FALSE(exists("only-side"));
        open().checkout("fresh", true);
        open().checkout("HEAD", false);
        git("checkout -q main");
        open().delete_branch("fresh");
    }
    git("sparse-checkout disable");
    git("update-index --skip-worktree a");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: would overwrite 'a'");
    git("update-index --no-skip-worktree a");
    checkout("side");
}

TEST_F(BranchTest, CreatesWhileCheckingOutAndKeepsChanges) {
    write("a", "changed\n");
    open().checkout("topic", true);
    EXPECT_EQ(open().status(), "branch topic\n M a\n");
    git("checkout -q --orphan fresh");
    open().checkout("fresher", true);
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "fresher\n");
}

TEST_F(BranchTest, RefusesToOverwriteChanges) {
    make_side();
    write("a", "mine\n");
    write("only-side", "mine\n");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: would overwrite 'a', 'only-side'");
    EXPECT_EQ(read("a") + read("only-side"), "mine\nmine\n");
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "main\n");
}

TEST_F(BranchTest, RefusesToOverwriteWhatIsIgnoredOrStaged) {
    make_side();
    write(".git/info/exclude", "only-side\n");
    write("only-side", "mine\n");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: would overwrite 'only-side'");
    remove("only-side");
    write("a", "staged\n");
    git("add a");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: would overwrite 'a'");
}

TEST_F(BranchTest, ListsTenConflictsAndCountsTheRest) {
    git("checkout -q -b many");
    for (int i = 10; i < 24; ++i) write("f" + std::to_string(i), "many\n");
    commit("many");
    git("checkout -q main");
    for (int i = 10; i < 24; ++i) write("f" + std::to_string(i), "mine\n");
    const std::string message = message_of([&] { checkout("many"); });
    EXPECT_NE(message.find("'f19' and 4 more"), std::string::npos) << message;
    EXPECT_EQ(message.find("'f20'"), std::string::npos);
}

TEST_F(BranchTest, AChangeOfTheSameSecondAndSizeStaysVisible) {
    write("b", "1\n");
    commit("b");
    open().create_branch("other");
    write("c", "1\n");
    commit("c");
    write("b", "2\n");
    // As git without nanoseconds sees it: times of one second, an index that is younger.
    shell(
        "t=$(git ls-files --debug b | sed -n 's/.*mtime: \\([0-9]*\\).*/\\1/p'); touch -d @$t.9 b; "
        "sleep 1");
    checkout("other");
    EXPECT_EQ(git("status --porcelain"), " M b\n");
    EXPECT_EQ(open().status(), "branch other\n M b\n");
}

TEST_F(BranchTest, DoesNotWriteThroughALink) {
    make_side();
    std::filesystem::create_directory(directory() + "/outside");
    link("../outside", "sub");
    EXPECT_EQ(message_of([&] { checkout("side"); }), "checkout: would overwrite 'sub/c'");
    EXPECT_TRUE(std::filesystem::is_empty(directory() + "/outside"));
}

TEST_F(BranchTest, WritesWhatGitWrites) {
    git("checkout -q -b side");
    write(".gitattributes", "* text eol=crlf ident\n");
    write("a", "unix $Id$\n");
    commit("side");
    git("checkout -q main");
    git("checkout -q side");
    const std::string by_git = read("a");
    checkout("main");
    checkout("side");
    EXPECT_EQ(read("a"), by_git);
}

TEST_F(BranchTest, RefusesATreeThatReachesIntoGit) {
    const std::string tree = git("hash-object -w a").substr(0, 40);
    const std::string inner =
        shell("printf '100755 blob " + tree + "\\tpost-commit\\n' | git mktree").substr(0, 40);
    const std::string outer =
        shell("printf '040000 tree " + inner + "\\thooks\\n' | git mktree").substr(0, 40);
    // git mktree takes ".git" for a name, a checkout must not.
    const std::string top =
        shell("printf '040000 tree " + outer + "\\t.GIT\\n' | git mktree").substr(0, 40);
    const std::string evil = git("commit-tree -m evil " + top).substr(0, 40);
    ASSERT_EQ(evil.size(), 40U);
    EXPECT_NE(message_of([&] { checkout(evil); }), "nothing was thrown");
    EXPECT_FALSE(exists(".git/hooks/post-commit"));
    EXPECT_FALSE(exists(".GIT"));
}

}  // namespace
}  // namespace chorus::repo
