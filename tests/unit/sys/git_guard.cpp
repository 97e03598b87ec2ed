#include "sys/git_guard.hpp"

#include <signal.h>

#include <algorithm>

#include "sys/plants.hpp"
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
        EXPECT_FALSE(fs::exists(in_workspace(".git/" + name + "/planted"))) << name;
        EXPECT_FALSE(fs::exists(in_workspace(".git/moved"))) << name;
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
    EXPECT_EQ(inside("stat -c %a .git/commondir .git/worktrees").out.text, "644\n755\n");
    umask(before);
}

TEST_F(SandboxTest, WhatIsMadeForProtectionGoesWithTheCommand) {
    init_repository();
    fs::remove_all(in_workspace(".git/info"));
    const auto listing = [&] { return run(bash("ls -A .git"), {}).out.text; };
    const std::string before = listing();
    {
        const ProcessCommand one = sandboxed(sandbox_, bash("true"));
        const ProcessCommand other = sandboxed(sandbox_, bash("true"));
        EXPECT_TRUE(works("true"));
        EXPECT_TRUE(fs::exists(in_workspace(".git/commondir")));
        run(one, {});
    }
    EXPECT_EQ(listing(), before);
    // what came to be in it meanwhile stays, and what was there before
    fs::create_directory(in_workspace(".git/modules"));
    {
        const ProcessCommand one = sandboxed(sandbox_, bash("true"));
        std::ofstream(in_workspace(".git/config.worktree")) << "[core]\n";
        fs::create_directory(in_workspace(".git/worktrees/x"));
    }
    EXPECT_EQ(content_of(in_workspace(".git/config.worktree")), "[core]\n");
    EXPECT_TRUE(fs::exists(in_workspace(".git/worktrees/x")));
    EXPECT_TRUE(fs::exists(in_workspace(".git/modules")));
    EXPECT_FALSE(fs::exists(in_workspace(".git/commondir")));
    // of one that was killed
    std::ofstream(in_workspace(".git/commondir")) << "./\n";
    EXPECT_TRUE(works("true"));
    EXPECT_FALSE(fs::exists(in_workspace(".git/commondir")));
    EXPECT_FALSE(fs::exists(in_workspace(".git/modules")));
}

// Another command of the agent can exchange what the mounts were made for and bwrap then mounts.
TEST_F(SandboxTest, WhatWasExchangedBeforeItIsMountedDoesNotRun) {
    const std::string outside = top_ + "/outside";
    for (const std::string name : {".git", ".git/config", ".git/hooks", ".envrc"}) {
        fs::remove_all(in_workspace(".git"));
        init_repository();
        std::ofstream(in_workspace(".envrc")) << "inside\n";
        fs::remove_all(outside);
        fs::copy(in_workspace(".git"), outside, fs::copy_options::recursive);
        std::ofstream(outside + "/secret") << "secret\n";
        const bool is_directory = fs::is_directory(in_workspace(name));
        const ProcessCommand command = sandboxed(
            sandbox_, bash("cat " + name + " " + name + "/secret; echo got in > .git/secret"));
        fs::rename(in_workspace(name), in_workspace("aside"));
        fs::create_symlink(is_directory ? outside : outside + "/secret", in_workspace(name));
        const Finished finished = run(command, {.timeout_ms = 20'000});
        EXPECT_NE(finished.exit_code, 0) << name;
        EXPECT_EQ(finished.out.text, "") << name;
        EXPECT_EQ(content_of(outside + "/secret"), "secret\n") << name;
        fs::remove_all(in_workspace("aside"));
        fs::remove(in_workspace(name));
    }
}

// bwrap resolves paths, makes what it misses, and reaches all that the user can: what is mounted
// below the workspace, where commands exchange names, is not for it to mount.
TEST_F(SandboxTest, BubblewrapMountsNothingBelowTheWorkspace) {
    init_repository();
    std::ofstream(in_workspace(".envrc")) << "inside\n";
    for (const char* name : {"secret", "secrets/one"}) {
        fs::create_directories(fs::path(in_workspace(name)).parent_path());
        std::ofstream(in_workspace(name)) << "secret\n";
    }
    sandbox_.masked = {in_workspace("secret"), in_workspace("secrets")};
    const ProcessCommand command = sandboxed(sandbox_, bash("cat secret; ls -A secrets"));
    const auto& all = command.arguments;
    const auto inner = std::find(all.begin(), all.end(), "confine");
    ASSERT_NE(inner, all.end());
    for (auto word = all.begin(); word != inner; ++word)
        EXPECT_FALSE(word->starts_with(sandbox_.workspace + "/")) << *word;
    const Finished finished = run(command, {.timeout_ms = 20'000});
    EXPECT_EQ(finished.exit_code, 0) << finished.err.text;
    EXPECT_EQ(finished.out.text, "");
    EXPECT_NE(inside("echo > .envrc").exit_code, 0);
}

TEST_F(SandboxTest, AGuardedFileThatIsReplacedEndsTheCommand) {
    init_repository();
    std::ofstream(in_workspace(".mcp.json")) << "{}";
    for (const std::string name : {".git/config", ".git/hooks", ".mcp.json"}) {
        const std::string path = in_workspace(name);
        Bounds bounds{.timeout_ms = 20'000};
        bounds.output = [&](Bounds::Source, std::string_view) {
            fs::copy(path, top_ + "/new", fs::copy_options::recursive);
            fs::rename(path, top_ + "/old");
            fs::rename(top_ + "/new", path);
            fs::remove_all(top_ + "/old");
        };
        const Finished finished = run(sandboxed(sandbox_, bash("echo; sleep 60")), bounds);
        EXPECT_EQ(finished.signal, SIGKILL) << name;
        EXPECT_LT(finished.duration_ms, 10'000);
        EXPECT_EQ(finished.replaced, path +
                                         " was replaced from outside while the sandbox protected "
                                         "it; the command was ended; its content is unchanged");
    }
    const Finished quiet =
        run(sandboxed(sandbox_, bash("touch .git/x a b && mv a b && git status")), {});
    EXPECT_EQ(quiet.exit_code, 0);
    EXPECT_EQ(quiet.replaced, "");
}

// git removes an empty directory of worktrees, and one with the last of them.
TEST_F(SandboxTest, GitOutsideEndsNoCommand) {
    init_repository();
    ASSERT_TRUE(works_outside("git gc -q; git update-server-info"));
    for (const std::string worktree : {"", "git worktree add -q ../tree 2>&1; "}) {
        ASSERT_TRUE(works_outside("git pack-refs --all; git status;" + worktree));
        const std::string remove = worktree.empty() ? "" : "git worktree remove ../tree && ";
        Bounds bounds{.timeout_ms = 20'000};
        bounds.output = [&](Bounds::Source, std::string_view said) {
            if (said != "go\n") return;
            EXPECT_TRUE(works_outside(remove +
                                      "git worktree prune && git gc -q --prune=now && "
                                      "git maintenance run --quiet && git repack -adq && "
                                      "git worktree add -q ../new && git worktree list && "
                                      "git worktree repair && git worktree remove ../new && "
                                      "git reflog expire --all && git fsck && touch done"));
            EXPECT_TRUE(works_outside("test $(git worktree list | wc -l) = 1"));
        };
        const Finished finished = run(
            sandboxed(sandbox_, bash("echo go; until test -e done; do sleep 0.05; done; rm done; "
                                     "(mkdir .git/worktrees/x || rmdir .git/worktrees/.chorus) "
                                     "2>/dev/null; echo to the end")),
            bounds);
        EXPECT_EQ(finished.replaced, "");
        EXPECT_EQ(finished.out.text, "go\nto the end\n") << finished.err.text;
        EXPECT_FALSE(fs::exists(in_workspace(".git/worktrees/.chorus")));
    }
}

TEST_F(SandboxTest, WhatIsMadeForProtectionIsNoPlant) {
    init_repository();
    ASSERT_TRUE(
        works_outside("git worktree add -q ../tree && git worktree add -q below && "
                      "git init -q sub && rm -rf .git/hooks sub/.git/hooks"));
    const std::vector<std::string> places{sandbox_.workspace, top_ + "/tree", in_workspace("below"),
                                          in_workspace("sub")};
    std::vector<Plants> before;
    for (const std::string& place : places) before.push_back(Plants::in(place));
    std::vector<ProcessCommand> commands;
    for (const std::string& place : places) {
        Sandbox one = sandbox_;
        one.workspace = place;
        commands.push_back(sandboxed(one, bash("true")));
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        EXPECT_EQ(Plants::in(places[i]).report_since(before[i]).line, "") << places[i];
    std::ofstream(in_workspace(".git/commondir")) << "..\n";
    EXPECT_NE(Plants::in(places[0]).since(before[0]).size(), 0U);
}

TEST_F(SandboxTest, ARepositoryThatCannotBeProtectedIsRefused) {
    fs::create_directory(top_ + "/elsewhere");
    fs::create_directory_symlink(top_ + "/elsewhere", in_workspace(".git"));
    EXPECT_TRUE(refusal().ends_with(": cannot be protected")) << refusal();
    EXPECT_EQ(problem_of(sandbox_, top_ + "/state"), refusal());
    fs::remove(in_workspace(".git"));
    std::ofstream(in_workspace(".git")) << "gitdir: ../elsewhere\n";
    EXPECT_TRUE(refusal().ends_with(": cannot be protected")) << refusal();
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
    ASSERT_TRUE(works_outside("git config core.worktree ../.."));
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
