#include "repo/repository.hpp"

#include <unistd.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

using RepositoryTest = WorkspaceTest;

// L-04
TEST_F(RepositoryTest, InitialiseCommitsWhatIsThere) {
    write(".gitkeep", "");
    initialise();
    EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/main\n");
    EXPECT_EQ(git("log --format='%s|%an|%ae'"), "Initial commit|alice|alice@chorus.local\n");
    EXPECT_EQ(git("ls-files"), ".gitkeep\n");
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_EQ(shell("git config --local user.name; git config --local user.email"),
              "alice\nalice@chorus.local\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(RepositoryTest, InitialiseCommitsAnEmptyWorkspaceToo) {
    initialise();
    EXPECT_EQ(git("log --format=%s"), "Initial commit\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(RepositoryTest, InitialiseAgainChangesNothing) {
    write("a", "1");
    initialise();
    const std::string before = git("rev-parse HEAD");
    write("b", "2");
    Repository::initialise(workspace(), {"bob", "bob@x"});
    EXPECT_EQ(git("rev-parse HEAD"), before);
    EXPECT_EQ(git("status --porcelain"), "?? b\n");
    EXPECT_EQ(shell("git config --local user.name"), "alice\n");
}

TEST_F(RepositoryTest, InitialiseLeavesAnExistingRepositoryAlone) {
    git("init -q -b trunk");
    write("a", "1");
    git("add .");
    git("commit -qm theirs");
    initialise();
    EXPECT_EQ(git("log --format=%s"), "theirs\n");
    EXPECT_EQ(git("symbolic-ref --short HEAD"), "trunk\n");
    EXPECT_EQ(shell("git config --local user.email"), "failed: ");
}

TEST_F(RepositoryTest, InitialiseFinishesWhatWasCutShort) {
    std::filesystem::create_directories(path(".git/refs"));
    write(".git/chorus.mutation", "");
    write(".git/HEAD.lock", "");
    write(".git/config.lock", "");
    initialise();
    EXPECT_EQ(git("log --format=%s"), "Initial commit\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(RepositoryTest, InitialiseRunsNoHookAndTakesNoTemplate) {
    const std::string plant =
        "mkdir -p ../t/hooks && printf '#!/bin/sh\\ntouch " + directory() +
        "/ran\\n' > ../t/hooks/post-commit && chmod +x ../t/hooks/post-commit";
    shell(plant);
    shell("git config --global init.templateDir '" + directory() + "/t'");
    setenv("HOME", directory().c_str(), 1);
    initialise();
    EXPECT_FALSE(exists(".git/hooks/post-commit"));
    EXPECT_FALSE(std::filesystem::exists(directory() + "/ran"));
}

TEST_F(RepositoryTest, InitialiseRefusesAFileOrALinkInPlaceOfGit) {
    shell("git init -q ../elsewhere");
    link("../elsewhere/.git", ".git");
    EXPECT_NE(message_of([&] { initialise(); }).find("neither a directory"), std::string::npos);
    remove(".git");
    write(".git", "gitdir: ../elsewhere/.git\n");
    EXPECT_NE(
        message_of([&] { initialise(); }).find("not the git directory of a worktree or submodule"),
        std::string::npos);
}

TEST_F(RepositoryTest, OpenFindsOnlyItsOwn) {
    EXPECT_FALSE(Repository::open(workspace()));
    EXPECT_FALSE(Repository::open(workspace() + "/missing"));
    initialise();
    std::filesystem::create_directory(path("sub"));
    EXPECT_FALSE(Repository::open(path("sub")));
    EXPECT_TRUE(Repository::open(workspace()));
    EXPECT_TRUE(Repository::open(workspace() + "/sub/.."));
}

TEST_F(RepositoryTest, OpenTakesNoEnvironment) {
    initialise();
    setenv("GIT_DIR", path(".git").c_str(), 1);
    std::filesystem::create_directory(directory() + "/plain");
    EXPECT_FALSE(Repository::open(directory() + "/plain"));
    unsetenv("GIT_DIR");
}

TEST_F(RepositoryTest, AsRootOpenRefusesARepositoryOfAnotherUser) {
    ASSERT_EQ(geteuid(), 0U) << "the tests want root: they give files to another user";
    initialise();
    shell("chown -R 12345 .");
    EXPECT_EQ(message_of([&] { open(); }), "git: the repository belongs to another user");
    const std::string copy = directory() + "/copy";
    EXPECT_EQ(message_of([&] { clone(workspace(), copy, author); }),
              "clone: " + workspace() + ": the repository belongs to another user");
}

TEST_F(RepositoryTest, LogHasTheNewestFirst) {
    initialise();
    write("a", "1");
    const std::string second = commit("second: what\n\nand why");
    const auto commits = open().log(10);
    ASSERT_EQ(commits.size(), 2U);
    EXPECT_EQ(commits[0].id, second);
    EXPECT_EQ(commits[0].author, "alice <alice@chorus.local>");
    EXPECT_EQ(commits[0].summary, "second: what");
    EXPECT_EQ(commits[1].summary, "Initial commit");
    EXPECT_EQ(open().log(1).size(), 1U);
    EXPECT_EQ(commits[0].time.substr(0, 19) + "Z\n",
              shell("TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd"));
}

TEST_F(RepositoryTest, LogIsEmptyBeforeTheFirstCommit) {
    git("init -q -b main");
    EXPECT_TRUE(open().log(5).empty());
}

TEST_F(RepositoryTest, ConfigurationOfThePersonIsNotRead) {
    initialise();
    write("a", "1");
    shell("git config --global core.excludesFile '" + directory() + "/ignored'");
    std::ofstream(directory() + "/ignored") << "a\n";
    setenv("HOME", directory().c_str(), 1);
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_EQ(open().status(), "branch main\n?? a\n");
}

}  // namespace
}  // namespace chorus::repo
