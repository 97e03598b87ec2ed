#include "workspace.hpp"

namespace chorus::repo {
namespace {

// Two commits: `first_` with a and sub/b; on top of it a changed, sub/b gone, c new.
class ResetTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        initialise();
        write("a", "one\n");
        write("sub/b", "b\n");
        first_ = commit("first");
        write("a", "two\n");
        remove("sub");
        write("c", "c\n");
        second_ = commit("second");
    }
    Aside reset(const std::string& commit) { return open().reset(commit, "aside", author); }
    std::string head() const { return git("rev-parse HEAD").substr(0, 40); }
    std::string status() const { return git("status --porcelain"); }
    void expect_first() const {
        EXPECT_EQ(head(), first_);
        EXPECT_EQ(read("a"), "one\n");
        EXPECT_EQ(read("sub/b"), "b\n");
        EXPECT_FALSE(exists("c"));
        EXPECT_CLEAN_FSCK();
    }

    std::string first_;
    std::string second_;
};

TEST_F(ResetTest, GoesBackAndAHeadOfItsOwnNamesWhatWasThere) {
    const Aside aside = reset(first_);
    EXPECT_EQ(aside.commit, second_);
    EXPECT_EQ(aside.branch, "aside");
    EXPECT_EQ(git("rev-parse aside"), second_ + "\n");
    EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/main\n");
    EXPECT_EQ(status(), "");
    expect_first();
    EXPECT_EQ(git("reflog -1 --format=%gs"), "reset: moving to " + first_ + "\n");
}

TEST_F(ResetTest, KeepsEverythingInACommitFirst) {
    write("a", "changed\n");
    write("staged", "s\n");
    git("add staged");
    write("untracked/deep", "u\n");
    write(".gitignore", "*.o\n");
    write("x.o", "object\n");
    const Aside aside = reset(first_);
    EXPECT_EQ(git("rev-parse aside^"), second_ + "\n");
    EXPECT_EQ(git("ls-tree -r --name-only aside"), ".gitignore\na\nc\nstaged\nuntracked/deep\n");
    EXPECT_EQ(git("show aside:a"), "changed\n");
    EXPECT_EQ(git("log -1 --format='%an %s' aside"), "alice Before going back to " + first_ + "\n");
    expect_first();
    EXPECT_FALSE(exists("staged"));
    EXPECT_EQ(read("untracked/deep"), "u\n");
    EXPECT_EQ(read("x.o"), "object\n");
    EXPECT_EQ(status(), "?? .gitignore\n?? untracked/\n");
    EXPECT_EQ(aside.commit, git("rev-parse aside").substr(0, 40));
}

TEST_F(ResetTest, IsDoneWhereNothingHasChanged) {
    const Aside aside = reset(second_);
    EXPECT_EQ(aside.commit, "");
    EXPECT_EQ(aside.branch, "");
    EXPECT_EQ(open().branches(), "* main\n");
    EXPECT_EQ(head(), second_);
}

TEST_F(ResetTest, KeepsWhatStandsInTheWay) {
    write(".gitignore", "sub\n");
    commit("ignored");
    write("sub/b", "precious\n");
    reset(first_);
    expect_first();
    EXPECT_EQ(git("show aside:sub/b"), "precious\n");
}

TEST_F(ResetTest, ReplacesADirectoryByAFile) {
    remove("a");
    write("a/in", "x\n");
    reset(first_);
    expect_first();
    EXPECT_EQ(git("show aside:a/in"), "x\n");
}

TEST_F(ResetTest, WritesThroughNoLinkAndKeepsWhatItWas) {
    const std::string outside = directory() + "/outside";
    std::filesystem::create_directory(outside);
    std::ofstream(outside + "/file") << "theirs\n";
    for (const char* ignored : {"", "sub\na\n"}) {
        write(".git/info/exclude", ignored);
        std::filesystem::remove(path("a"));
        std::filesystem::remove_all(path("sub"));
        link(outside, "sub");
        link(outside + "/file", "a");
        const std::string aside = reset(first_).branch;
        expect_first();
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside), {}), 1);
        EXPECT_EQ(shell("cat ../outside/file"), "theirs\n");
        EXPECT_EQ(git("show " + aside + ":sub"), outside);
        EXPECT_EQ(git("show " + aside + ":a"), outside + "/file");
    }
}

// skip-worktree: nobody looks at what is there.
TEST_F(ResetTest, KeepsWhatTheWorkTreeLacksOnPurpose) {
    git("checkout -q --detach " + first_);
    git("update-index --skip-worktree sub/b");
    write("sub/b", "mine\n");
    write("a", "changed\n");
    EXPECT_EQ(message_of([&] { reset(first_); }),
              "reset: 'sub/b' is there, and the index has it as skip-worktree");
    EXPECT_EQ(read("sub/b"), "mine\n");
    remove("sub");
    reset(first_);
    EXPECT_EQ(read("a"), "one\n");
    EXPECT_EQ(git("ls-files -t sub"), "S sub/b\n");
    EXPECT_FALSE(exists("sub/b"));
    EXPECT_EQ(status(), "");
}

TEST_F(ResetTest, BringsLinksBack) {
    link("a", "l");
    const std::string linked = commit("linked");
    remove("l");
    write("l", "a file\n");
    commit("a file");
    reset(linked);
    EXPECT_EQ(std::filesystem::read_symlink(path("l")), "a");
    EXPECT_EQ(reset(linked).commit, "");
    EXPECT_EQ(status(), "");
}

TEST_F(ResetTest, MovesADetachedHeadAndTheBranchThatIsCheckedOut) {
    git("checkout -q --detach");
    reset(first_);
    expect_first();
    EXPECT_EQ(git("rev-parse main"), second_ + "\n");
    git("checkout -q -b topic " + second_);
    EXPECT_EQ(reset(first_).branch, "aside-2");
    EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/topic\n");
    expect_first();
}

TEST_F(ResetTest, RefusesWhatIsNoCommitAndChangesNothing) {
    write("a", "changed\n");
    for (const std::string& commit :
         {std::string(40, '0'), std::string("main"), first_.substr(0, 10), std::string(),
          std::string("--hard"), std::string(40, 'x')}) {
        try {
            reset(commit);
            ADD_FAILURE() << commit;
        } catch (const base::Error& error) {
            EXPECT_EQ(error.code(), base::ErrorCode::not_found);
            EXPECT_EQ(error.message(),
                      "git: commit " + commit + " is not in the workspace's repository");
        }
    }
    EXPECT_THROW(reset(git("rev-parse HEAD^{tree}").substr(0, 40)), base::Error);
    EXPECT_EQ(head(), second_);
    EXPECT_EQ(read("a"), "changed\n");
    EXPECT_EQ(open().branches(), "* main\n");
}

TEST_F(ResetTest, FiltersAndHooksOfTheWorkspaceDoNotRun) {
    write(".gitattributes", "* filter=evil\n");
    git("config filter.evil.smudge 'touch " + directory() + "/pwned; cat'");
    git("config filter.evil.clean 'touch " + directory() + "/pwned; cat'");
    write(".git/hooks/post-checkout", "#!/bin/sh\ntouch " + directory() + "/pwned\n");
    shell("chmod +x .git/hooks/post-checkout");
    EXPECT_EQ(message_of([&] { reset(first_); }),
              "commit: '.gitattributes' has the attribute filter=evil");
    remove(".gitattributes");
    reset(first_);
    EXPECT_FALSE(std::filesystem::exists(directory() + "/pwned"));
    EXPECT_EQ(read("a"), "one\n");
}

}  // namespace
}  // namespace chorus::repo
