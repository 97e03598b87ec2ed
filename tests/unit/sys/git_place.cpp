#include "sys/git_place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;

// A repository "main" with a commit, and real git to make worktrees and submodules of it.
class GitPlaceTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = "/tmp/chorus-place-XXXXXX";
        top_ = fs::canonical(mkdtemp(pattern.data()));
        shell("git init -q -b main main && cd main && git commit -q --allow-empty -m one");
    }
    void TearDown() override { fs::remove_all(top_); }

    void shell(const std::string& command) const {
        const std::string line =
            "cd '" + top_ + "' && export HOME=. GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=p " +
            "GIT_AUTHOR_EMAIL=p@x GIT_COMMITTER_NAME=p GIT_COMMITTER_EMAIL=p@x && " + command;
        ASSERT_EQ(std::system(line.c_str()), 0) << command;
    }
    void submodule() const {
        shell(
            "cp -r main sub && cd main && git -c protocol.file.allow=always submodule --quiet "
            "add ../sub 'a sub' && git commit -qm sub");
    }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(top_ + "/" + name) << text;
    }
    GitPlace find(const std::string& name) const { return find_git(top_ + "/" + name); }
    // What is said of a .git that is there and is not taken, without the directory's name.
    std::string problem(const std::string& name) const {
        const GitPlace place = find(name);
        EXPECT_FALSE(place.is_there());
        return place.problem.substr(std::min(top_.size() + 1, place.problem.size()));
    }

    std::string top_;
};

TEST_F(GitPlaceTest, IsTheDirectoryOfTheWorkspace) {
    const GitPlace place = find("main");
    EXPECT_EQ(place.git_directory, top_ + "/main/.git");
    EXPECT_EQ(place.common_directory, place.git_directory);
    EXPECT_EQ(place.problem, "");
    EXPECT_FALSE(place.is_linked_worktree());
    fs::create_directory_symlink(top_ + "/main", top_ + "/link");
    EXPECT_FALSE(find("link").is_there());  // put there since the path was found
    write("main/.git/commondir", "./\n");
    EXPECT_TRUE(find("main").is_there());
}

TEST_F(GitPlaceTest, IsNothingWhereThereIsNone) {
    fs::create_directory(top_ + "/plain");
    for (const char* name : {"plain", "missing", "main/.git"}) {
        EXPECT_FALSE(find(name).is_there());
        EXPECT_EQ(find(name).problem, "");
    }
}

TEST_F(GitPlaceTest, FindsALinkedWorktree) {
    shell("cd main && git worktree add -q ../tree && git worktree add -q -b side 'in side'");
    const GitPlace place = find("tree");
    EXPECT_EQ(place.git_directory, top_ + "/main/.git/worktrees/tree");
    EXPECT_EQ(place.common_directory, top_ + "/main/.git");
    EXPECT_TRUE(place.is_linked_worktree());
    EXPECT_EQ(find("main/in side").common_directory, top_ + "/main/.git");
    write("main/.git/worktrees/tree/gitdir", "../../../../tree/.git\n");
    EXPECT_TRUE(find("tree").is_there());
}

TEST_F(GitPlaceTest, FindsAWorktreeOfABareRepository) {
    shell("git clone -q --bare main bare && git -C bare worktree add -q ../tree main");
    EXPECT_EQ(find("tree").common_directory, top_ + "/bare");
}

TEST_F(GitPlaceTest, FindsASubmodule) {
    submodule();
    const GitPlace place = find("main/a sub");
    EXPECT_EQ(place.problem, "");
    EXPECT_EQ(place.git_directory, top_ + "/main/.git/modules/a sub");
    EXPECT_EQ(place.common_directory, place.git_directory);
    shell(
        "cd 'main/a sub' && git config extensions.worktreeConfig true && git config --worktree "
        "core.worktree '../../../a sub' && git config --local --unset core.worktree");
    EXPECT_EQ(find("main/a sub").problem, "");
}

TEST_F(GitPlaceTest, FindsAWorktreeOfASubmodule) {
    submodule();
    shell("cd 'main/a sub' && git worktree add -q ../../tree");
    EXPECT_EQ(find("tree").common_directory, top_ + "/main/.git/modules/a sub");
}

TEST_F(GitPlaceTest, RefusesWhatDoesNotPointBack) {
    submodule();
    shell(
        "cd main && git worktree add -q ../tree && mkdir ../copy && cp ../tree/.git ../copy/ && "
        "mkdir ../other && cp 'a sub/.git' ../other/ && sed -i s,../.git,../main/.git, "
        "../other/.git && mkdir ../whole && echo gitdir: ../main/.git > ../whole/.git");
    EXPECT_EQ(problem("copy"),
              "main/.git/worktrees/tree/gitdir: does not name " + top_ + "/copy/.git");
    EXPECT_EQ(problem("other"), "other/.git: leads to " + top_ +
                                    "/main/.git/modules/a sub, whose core.worktree is not " + top_ +
                                    "/other");
    EXPECT_EQ(problem("whole"),
              "whole/.git: leads to " + top_ +
                  "/main/.git, which is not the git directory of a worktree or submodule");
    write("main/.git/worktrees/tree/commondir", "../../../sub/.git\n");
    EXPECT_EQ(problem("tree"),
              "main/.git/worktrees/tree/gitdir: does not name " + top_ + "/tree/.git");
}

TEST_F(GitPlaceTest, RefusesADirectoryThatTheAgentCanMake) {
    shell(
        "mkdir -p ws/store && cp -r main/.git ws/store/git && git -C ws/store/git config "
        "core.worktree ../.. && git -C ws/store/git config core.bare false && "
        "echo gitdir: store/git > ws/.git && git -C ws status > /dev/null");
    EXPECT_EQ(problem("ws"), "ws/.git: leads to a directory of the workspace");
    shell("ln -s ../ws/store/git main/out && echo gitdir: ../main/out > ws/.git");
    EXPECT_EQ(problem("ws"), "ws/.git: leads to a directory of the workspace");
}

TEST_F(GitPlaceTest, RefusesADirectoryOfAnotherTree) {
    shell("git config -f main/.git/config core.worktree ../../elsewhere");
    EXPECT_EQ(problem("main"),
              "main/.git/config: core.worktree or core.bare belongs to another directory");
    shell("git config -f main/.git/config core.worktree ..");
    EXPECT_EQ(find("main").problem, "");
    shell("git config -f main/.git/config core.bare true");
    EXPECT_FALSE(find("main").is_there());
    shell("git config -f main/.git/config core.bare false && mkdir away");
    write("main/.git/commondir", top_ + "/away\n");
    EXPECT_EQ(problem("main"), "main/.git/commondir: leads out of the workspace");
}

TEST_F(GitPlaceTest, RefusesLinksFifosAndNonsense) {
    shell(
        "mkdir a b c d && ln -s ../main/.git a/.git && mkfifo b/.git && "
        "echo hello > c/.git && echo gitdir: ../gone > d/.git");
    for (const char* name : {"a/.git", "b/.git", "c/.git"})
        EXPECT_EQ(
            problem(std::string(1, *name)),
            std::string(name) + ": neither a directory nor the file of a worktree or submodule");
    EXPECT_EQ(problem("d"), "d/.git: leads to a directory that does not exist");
    shell("rm main/.git/config && mkfifo main/.git/config");
    EXPECT_TRUE(find("main").is_there());
}

}  // namespace
}  // namespace chorus::sys
