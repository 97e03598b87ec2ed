#include "workspace.hpp"

namespace chorus::repo {
namespace {

// The workspace as a linked worktree of a repository beside it, or as a submodule of one, and
// repositories inside it.
class LinkedTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        shell(
            "git init -q -b main ../r && cd ../r && git config user.name rita && git config "
            "user.email rita@x && echo 1 > a && git add a && git commit -qm one && git branch "
            "side");
    }
    void make_worktree() const { ASSERT_EQ(shell("git -C ../r worktree add -q ../w -b work"), ""); }
    void make_submodule() const {
        ASSERT_EQ(
            shell("git init -q -b main ../top && rmdir ../w && cd ../top && "
                  "git -c protocol.file.allow=always submodule --quiet add ../r sub && "
                  "git -c user.name=p -c user.email=p@x commit -qm top && "
                  "git -C sub config user.name rita && git -C sub config user.email rita@x && "
                  "ln -s top/sub ../w"),
            "");
    }
    // A submodule "sub" of the workspace, which is a repository of its own.
    void add_submodule() const {
        initialise();
        ASSERT_EQ(shell("git -c protocol.file.allow=always submodule --quiet add ../r sub"), "");
        commit("with sub");
    }
    std::string head() const {
        return head_of(std::filesystem::canonical(workspace()).string()).commit;
    }
    void a_days_work() const {
        EXPECT_EQ(head(), git("rev-parse HEAD").substr(0, 40));
        write("a", "2\n");
        write("new", "x\n");
        EXPECT_NE(open().status().find(" M a\n?? new\n"), std::string::npos);
        EXPECT_NE(open().diff("", "").find("+2\n"), std::string::npos);
        const std::string id = commit("done");
        EXPECT_EQ(git("rev-parse HEAD").substr(0, 40), id);
        EXPECT_EQ(head(), id);
        EXPECT_EQ(open().log(1).front().summary, "done");
        EXPECT_EQ(git("status --porcelain"), "");
        open().create_branch("fresh");
        open().checkout("fresh", false);
        EXPECT_EQ(git("symbolic-ref --short HEAD"), "fresh\n");
        EXPECT_EQ(git("log -1 --format=%an"), "rita\n");
        EXPECT_CLEAN_FSCK();
    }
};

TEST_F(LinkedTest, AWorktreeIsWorkedInAsARepository) {
    make_worktree();
    EXPECT_EQ(open().status(), "branch work\n");
    a_days_work();
    EXPECT_EQ(shell("git -C ../r status --porcelain; git -C ../r symbolic-ref --short HEAD"),
              "main\n");
    Repository::initialise(workspace(), author);
    EXPECT_EQ(shell("git config user.name"), "rita\n");
    git("-C ../r pack-refs --all");
    EXPECT_EQ(head_of(workspace()).commit, git("rev-parse HEAD").substr(0, 40));
}

TEST_F(LinkedTest, ABranchOfAnotherWorktreeIsNotCheckedOutOrDeleted) {
    make_worktree();
    EXPECT_EQ(message_of([&] { open().checkout("main", false); }),
              "checkout: branch 'main' is checked out in another worktree");
    EXPECT_EQ(message_of([&] { open().delete_branch("main"); }),
              "git: branch 'main' is checked out in another worktree");
    shell("git -C ../r worktree add -q ../third side");
    EXPECT_EQ(message_of([&] { open().checkout("side", false); }),
              "checkout: branch 'side' is checked out in another worktree");
    EXPECT_EQ(message_of([&] { Repository::open(directory() + "/r")->checkout("work", false); }),
              "checkout: branch 'work' is checked out in another worktree");
    shell("rm -rf ../third && git -C ../r worktree prune");
    open().checkout("side", false);
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "side\n");
}

TEST_F(LinkedTest, AMergeInAWorktreeEndsThere) {
    shell(
        "cd ../r && git checkout -q side && echo side > a && git commit -qam side && "
        "git checkout -q main && echo main > a && git commit -qam main");
    make_worktree();
    git("merge side");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: conflicts in 'a'");
    write("a", "both\n");
    commit("m", {"a"});
    EXPECT_EQ(git("rev-list --parents -n1 HEAD | wc -w | tr -d ' '"), "3\n");
    EXPECT_EQ(git("status"), "On branch work\nnothing to commit, working tree clean\n");
}

TEST_F(LinkedTest, WorktreeConfigurationIsNoObstacle) {
    make_worktree();
    git("config extensions.worktreeConfig true");
    git("config --worktree core.sparseCheckout false");
    a_days_work();
    git("config --worktree user.name wanda");
    write("a", "3\n");
    commit("m");
    EXPECT_EQ(git("log -1 --format=%an"), "wanda\n");
}

TEST_F(LinkedTest, ASubmoduleIsWorkedInAsARepository) {
    make_submodule();
    EXPECT_EQ(open().status(), "branch main\n");
    a_days_work();
}

TEST_F(LinkedTest, WhatDoesNotPointBackIsNamed) {
    make_worktree();
    shell(
        "mv ../r/.git/worktrees/w/gitdir ../gitdir; echo /else/.git > "
        "../r/.git/worktrees/w/gitdir");
    EXPECT_EQ(message_of([&] { open(); }), "git: " + directory() + "/r/.git/worktrees/w/gitdir: " +
                                               "does not name " + path(".git"));
    EXPECT_EQ(message_of([&] { initialise(); }), message_of([&] { open(); }));
    EXPECT_EQ(head_of(workspace()).commit, "");
}

TEST_F(LinkedTest, AChangedSubmoduleIsSeenAndCommitted) {
    add_submodule();
    EXPECT_EQ(open().status(), "branch main\n");
    shell("cd sub && echo 2 > a && git -c user.name=p -c user.email=p@x commit -qam two");
    EXPECT_EQ(open().status(), "branch main\n M sub\n");
    EXPECT_EQ(open().diff("", ""), git("diff HEAD"));
    commit("bump");
    EXPECT_EQ(git("rev-parse HEAD:sub"), shell("git -C sub rev-parse HEAD"));
    EXPECT_EQ(git("status --porcelain"), "");
    shell("echo dirty > sub/a");
    EXPECT_EQ(open().status(), "branch main\n M sub\n");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: nothing to commit");
}

// `git status` does not show it, `git add` takes it.
TEST_F(LinkedTest, ASubmoduleThatStatusIgnoresIsCommitted) {
    add_submodule();
    for (const char* file : {".gitmodules", ".git/config"}) {
        git(std::string("config -f ") + file + " submodule.sub.ignore all");
        shell("cd sub && git -c user.name=p -c user.email=p@x commit -q --allow-empty -m two");
        commit("bump");
        EXPECT_EQ(git("rev-parse HEAD:sub"), shell("git -C sub rev-parse HEAD"));
    }
    EXPECT_CLEAN_FSCK();
}

TEST_F(LinkedTest, AConflictOfSubmodulesIsSettledByName) {
    add_submodule();
    const auto advance = [&](const std::string& text) {
        shell("cd sub && git checkout -q -B x origin/main && echo " + text +
              " > a && git -c user.name=p -c user.email=p@x commit -qam " + text);
        commit(text);
    };
    git("checkout -q -b bumped");
    advance("two");
    git("checkout -q main");
    advance("three");
    git("merge bumped");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: conflicts in 'sub'");
    commit("m", {"sub"});
    EXPECT_EQ(git("rev-parse HEAD:sub"), shell("git -C sub rev-parse HEAD"));
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(LinkedTest, ASubmoduleThatIsNotThereOrNotFetched) {
    add_submodule();
    git("submodule --quiet deinit -f sub");
    EXPECT_EQ(open().status(), "branch main\n");
    write("x", "1\n");
    commit("x");
    EXPECT_EQ(git("ls-files sub"), "sub\n");
    remove("sub");
    EXPECT_EQ(open().status(), "branch main\n D sub\n");
    commit("gone");
    EXPECT_EQ(git("ls-files sub"), "");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(LinkedTest, CheckoutLeavesASubmodulesFilesAlone) {
    add_submodule();
    const std::string before = shell("git -C sub rev-parse HEAD");
    git("checkout -q -b bumped");
    shell("cd sub && echo 2 > a && git -c user.name=p -c user.email=p@x commit -qam two");
    commit("bump");
    open().checkout("main", false);
    EXPECT_EQ(open().status(), "branch main\n" + git("status --porcelain"));
    EXPECT_EQ(git("status --porcelain"), " M sub\n");
    EXPECT_EQ(read("sub/a"), "2\n");
    EXPECT_EQ(git("rev-parse HEAD:sub"), before);
}

}  // namespace
}  // namespace chorus::repo
