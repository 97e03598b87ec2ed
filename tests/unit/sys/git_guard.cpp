#include "sys/git_guard.hpp"

#include <sys/stat.h>

#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

TEST_F(SandboxTest, GitWorksInside) {
    init_repository();
    EXPECT_TRUE(
        works("test -z \"$(git status --porcelain)\" && echo two >> a && git add a && "
              "git commit -q -m inside && git switch -q -c side && echo b > b && git add b && "
              "git commit -q -m side && git switch -q main && git merge -q side && "
              "git stash list && git tag v1 && git gc -q && git fsck"));
    EXPECT_TRUE(
        works_outside("test -z \"$(git status --porcelain)\" && "
                      "test $(git rev-list --count HEAD) = 3 && git fsck && "
                      "git worktree add -q ../tree && git -C ../tree log -1 && "
                      "git clone -q . ../clone && git gc -q"));
    EXPECT_TRUE(works("git log -1 && git status"));
}

TEST_F(SandboxTest, NothingThatGitObeysCanBePlanted) {
    init_repository();
    fs::remove_all(in_workspace(".git/hooks"));  // absent ones are protected as well
    fs::remove_all(in_workspace(".git/info"));
    for (const std::string name : {"hooks", "info", "modules", "worktrees"}) {
        EXPECT_NE(inside("echo x > .git/" + name + "/planted").exit_code, 0) << name;
        EXPECT_NE(inside("mv .git/" + name + " .git/moved").exit_code, 0) << name;
        EXPECT_NE(inside("rm -rf .git/" + name + " && mkdir .git/" + name).exit_code, 0) << name;
        EXPECT_TRUE(fs::is_empty(in_workspace(".git/" + name))) << name;
    }
    const std::string config = content_of(in_workspace(".git/config"));
    for (const std::string name : {"config", "commondir", "config.worktree"}) {
        const std::string path = ".git/" + name;
        EXPECT_NE(inside("echo x > " + path).exit_code, 0) << name;
        EXPECT_NE(inside("echo x > .git/new && mv -f .git/new " + path).exit_code, 0) << name;
        EXPECT_NE(inside("rm -f " + path).exit_code, 0) << name;
    }
    EXPECT_EQ(content_of(in_workspace(".git/config")), config);
    EXPECT_NE(inside("mv .git .moved").exit_code, 0);
    EXPECT_NE(inside("rm -rf .git/refs/../../.git && test ! -e .git").exit_code, 0);
    EXPECT_TRUE(fs::is_directory(in_workspace(".git")));
}

TEST_F(SandboxTest, WhatIsMadeForProtectionHasThePermissionsOfTheRepository) {
    init_repository();
    fs::permissions(in_workspace(".git"), static_cast<fs::perms>(0755));
    const mode_t before = umask(077);
    EXPECT_TRUE(works("true"));
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat(in_workspace(".git/commondir").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0644U);
    ASSERT_EQ(stat(in_workspace(".git/worktrees").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0755U);
}

TEST_F(SandboxTest, ARepositoryThatCannotBeProtectedIsRefused) {
    fs::create_directory(top_ + "/elsewhere");
    fs::create_directory_symlink(top_ + "/elsewhere", in_workspace(".git"));
    EXPECT_EQ(refusal(),
              in_workspace(".git") + ": not a directory of its own: cannot be protected");
    EXPECT_EQ(sandbox_problem(sandbox_, top_ + "/state"), refusal());
    fs::remove(in_workspace(".git"));
    std::ofstream(in_workspace(".git")) << "gitdir: ../elsewhere\n";
    EXPECT_EQ(refusal(),
              in_workspace(".git") + ": not a directory of its own: cannot be protected");
    fs::remove(in_workspace(".git"));
    init_repository();
    fs::remove_all(in_workspace(".git/hooks"));
    fs::create_directory_symlink(top_ + "/elsewhere", in_workspace(".git/hooks"));
    EXPECT_EQ(refusal(), in_workspace(".git/hooks") + ": a link cannot be protected");
}

TEST_F(SandboxTest, ARepositoryOfAnotherTreeIsRefused) {
    init_repository();
    ASSERT_TRUE(works_outside("git config extensions.worktreeConfig true"));
    EXPECT_EQ(refusal(), "not refused");
    fs::remove(in_workspace(".git/commondir"));
    ASSERT_TRUE(works_outside("git config core.worktree .."));
    EXPECT_NE(refusal().find("core.worktree"), std::string::npos);
    ASSERT_TRUE(
        works_outside("git config -f .git/config --unset core.worktree && "
                      "git config -f .git/config core.bare true"));
    EXPECT_NE(refusal().find("core.bare"), std::string::npos);
}

TEST_F(SandboxTest, FilesThatOtherProgramsObeyAreReadOnly) {
    for (const std::string name : {".mcp.json", ".envrc", ".gitmodules"}) {
        std::ofstream(in_workspace(name)) << "before";
        EXPECT_EQ(inside("cat " + name).out.text, "before");
        EXPECT_NE(inside("echo x > " + name).exit_code, 0) << name;
        EXPECT_NE(inside("echo x > new && mv -f new " + name).exit_code, 0) << name;
        EXPECT_EQ(content_of(in_workspace(name)), "before");
    }
}

TEST_F(SandboxTest, NoFilesAreLeftInAWorkspaceWithoutARepository) {
    EXPECT_TRUE(works("true"));
    EXPECT_TRUE(fs::is_empty(sandbox_.workspace));
}

}  // namespace
}  // namespace chorus::sys
