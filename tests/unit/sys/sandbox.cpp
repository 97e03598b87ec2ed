#include "sys/sandbox.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

std::string content_of(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Real bwrap and real git, in a temporary directory outside /tmp: that one is private inside.
class SandboxTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = "/var/tmp/chorus-sandbox-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        top_ = pattern;
        sandbox_.workspace = top_ + "/workspace";
        fs::create_directory(sandbox_.workspace);
    }
    void TearDown() override { fs::remove_all(top_); }

    Command bash(const std::string& script) const {
        return {.arguments = {"bash", "-c", script},
                .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + sandbox_.workspace},
                .directory = sandbox_.workspace};
    }
    Finished inside(const std::string& script) const {
        return run(sandboxed(sandbox_, bash(script)), {.timeout_ms = 20'000});
    }
    // Exit status 0, with the output of a failure.
    testing::AssertionResult works(const std::string& script) const {
        return judge(script, inside(script));
    }
    // On the host, in the workspace.
    testing::AssertionResult works_outside(const std::string& script) const {
        return judge(script, run(bash(script), {.timeout_ms = 20'000}));
    }
    static testing::AssertionResult judge(const std::string& script, const Finished& finished) {
        if (finished.exit_code == 0) return testing::AssertionSuccess();
        return testing::AssertionFailure() << script << ": " << finished.exit_code << " "
                                           << finished.out.text << finished.err.text;
    }
    std::string refusal() const {
        try {
            sandboxed(sandbox_, bash("true"));
        } catch (const base::Error& error) {
            EXPECT_EQ(error.code(), base::ErrorCode::failed);
            return error.message();
        }
        return "not refused";
    }
    void init_repository() const {
        ASSERT_TRUE(
            works_outside("git init -q -b main . && git config user.name n && git config "
                          "user.email e@example.org && "
                          "echo one > a && git add a && git commit -q -m first"));
    }
    std::string in_workspace(const std::string& name) const {
        return sandbox_.workspace + "/" + name;
    }

    std::string top_;
    Sandbox sandbox_;
};

TEST_F(SandboxTest, NamesOfModes) {
    for (const auto mode : {SandboxMode::workspace, SandboxMode::workspace_net, SandboxMode::off}) {
        SandboxMode parsed = mode == SandboxMode::off ? SandboxMode::workspace : SandboxMode::off;
        EXPECT_TRUE(parse_sandbox_mode(name(mode), parsed));
        EXPECT_EQ(parsed, mode);
    }
    SandboxMode untouched = SandboxMode::off;
    EXPECT_FALSE(parse_sandbox_mode("on", untouched));
    EXPECT_EQ(untouched, SandboxMode::off);
    EXPECT_EQ(name(SandboxMode::workspace_net), "workspace+net");
}

TEST_F(SandboxTest, OffIsTheCommandItself) {
    sandbox_.mode = SandboxMode::off;
    EXPECT_EQ(sandboxed(sandbox_, bash("true")).arguments, bash("true").arguments);
    EXPECT_EQ(sandbox_problem(sandbox_, top_ + "/state"), "");
    EXPECT_FALSE(fs::exists(top_ + "/state"));
}

TEST_F(SandboxTest, RunsInTheWorkspaceAndWritesThere) {
    const Finished finished = inside("pwd; echo kept > made; exit 4");
    EXPECT_EQ(finished.out.text, sandbox_.workspace + "\n");
    EXPECT_EQ(finished.exit_code, 4) << finished.err.text;
    EXPECT_EQ(content_of(in_workspace("made")), "kept\n");
}

TEST_F(SandboxTest, AMissingBwrapIsAnErrorNotARunWithoutIt) {
    sandbox_.program = "no-bwrap";
    EXPECT_THROW(inside("true"), base::Error);
    EXPECT_EQ(sandbox_problem(sandbox_, top_ + "/state"), "no-bwrap: No such file or directory");
}

TEST_F(SandboxTest, NothingButTheSystemCanBeRead) {
    std::ofstream(top_ + "/secret") << "secret";
    EXPECT_EQ(inside("cat " + top_ + "/secret").exit_code, 1);
    const char* home = getenv("HOME");
    ASSERT_NE(home, nullptr);
    EXPECT_NE(inside(std::string("ls -A ") + home + "/.??*").exit_code, 0);
    EXPECT_EQ(inside("ls /root /home /var /run /srv /mnt 2>/dev/null").out.text.find("chorus"),
              std::string::npos);
    EXPECT_TRUE(works("test -r /etc/passwd && test -x /usr/bin/env && test -x /bin/sh"));
}

TEST_F(SandboxTest, ReadableDirectoriesAreReadOnly) {
    fs::create_directory(top_ + "/data");
    std::ofstream(top_ + "/data/table") << "rows";
    sandbox_.readable = {top_ + "/data", top_ + "/absent"};
    EXPECT_EQ(inside("cat " + top_ + "/data/table").out.text, "rows");
    EXPECT_NE(inside("echo x > " + top_ + "/data/table").exit_code, 0);
    EXPECT_EQ(content_of(top_ + "/data/table"), "rows");
}

TEST_F(SandboxTest, AReadableParentDoesNotHideTheWorkspace) {
    sandbox_.readable = {top_};
    std::ofstream(top_ + "/beside") << "x";
    EXPECT_TRUE(works("cat ../beside && echo y > mine && ! echo z > ../beside"));
    sandbox_.readable = {"/"};
    EXPECT_TRUE(works("cat ../beside && echo y > mine && ! echo z > ../beside"));
}

TEST_F(SandboxTest, NothingOutsideCanBeWritten) {
    for (const std::string& where : {top_, "/etc"s, "/usr"s, "/"s, "/var"s}) {
        EXPECT_NE(inside("echo x > " + where + "/chorus-test").exit_code, 0) << where;
        EXPECT_FALSE(fs::exists(where + "/chorus-test"));
    }
    EXPECT_NE(inside("mv ../workspace ../other").exit_code, 0);
}

TEST_F(SandboxTest, TmpIsPrivateAndWritable) {
    std::string outside = "/tmp/chorus-sandbox-XXXXXX";
    ASSERT_NE(mkdtemp(outside.data()), nullptr);
    EXPECT_TRUE(works("test ! -e " + outside + " && echo x > /tmp/chorus-inside"));
    EXPECT_FALSE(fs::exists("/tmp/chorus-inside"));
    fs::remove(outside);
}

TEST_F(SandboxTest, AWorkspaceBelowTmpIsThere) {
    std::string workspace = "/tmp/chorus-sandbox-XXXXXX";
    ASSERT_NE(mkdtemp(workspace.data()), nullptr);
    sandbox_.workspace = workspace;
    EXPECT_TRUE(works("echo x > made && echo y > /tmp/other"));
    EXPECT_EQ(content_of(workspace + "/made"), "x\n");
    EXPECT_FALSE(fs::exists("/tmp/other"));
    fs::remove_all(workspace);
}

TEST_F(SandboxTest, NoNetworkUnlessAllowed) {
    const std::string interfaces = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | sort";
    EXPECT_EQ(inside(interfaces).out.text, "lo\n");
    const std::string name_space = "readlink /proc/self/ns/net";
    const std::string here = run(bash(name_space), {}).out.text;
    EXPECT_NE(inside(name_space).out.text, here);
    sandbox_.mode = SandboxMode::workspace_net;
    EXPECT_EQ(inside(name_space).out.text, here);
    EXPECT_TRUE(works("test -r /etc/resolv.conf"));
}

TEST_F(SandboxTest, ProcessesOutsideAreNotSeenAndLeftoversEnd) {
    const Finished finished = inside("ls -d /proc/[0-9]* | wc -l; setsid sleep 1000 & exit 0");
    EXPECT_LT(std::stoi(finished.out.text), 8);
    EXPECT_LT(finished.duration_ms, 2'000);
    EXPECT_EQ(inside("cat /proc/" + std::to_string(getpid()) + "/environ").exit_code, 1);
}

TEST_F(SandboxTest, NoPrivilegesEvenForRoot) {
    EXPECT_EQ(inside("grep CapEff /proc/self/status").out.text, "CapEff:\t0000000000000000\n");
    EXPECT_NE(inside("mount -t tmpfs none /tmp").exit_code, 0);
    EXPECT_NE(inside("umount /tmp").exit_code, 0);
    EXPECT_NE(inside("unshare --user true").exit_code, 0);
    EXPECT_NE(inside("chroot / true").exit_code, 0);
}

TEST_F(SandboxTest, EnvironmentIsThatOfTheCommandEverywhereInside) {
    Command command = bash("tr '\\0' '\\n' < /proc/1/environ");
    command.environment.push_back("MARK=here");
    ASSERT_EQ(setenv("CHORUS_TEST_SECRET", "canary", 1), 0);
    const Finished finished = run(sandboxed(sandbox_, command), {.timeout_ms = 20'000});
    unsetenv("CHORUS_TEST_SECRET");
    EXPECT_NE(finished.out.text.find("MARK=here\n"), std::string::npos) << finished.err.text;
    EXPECT_EQ(finished.out.text.find("canary"), std::string::npos);
}

TEST_F(SandboxTest, SecretsOfTheSystemAreMasked) {
    for (const std::string file :
         {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"}) {
        if (!fs::exists(file)) continue;
        EXPECT_NE(inside("cat " + file).exit_code, 0) << file;
    }
    EXPECT_EQ(inside("ls -A /etc/ssl/private 2>/dev/null; cat /etc/ssh/ssh_host_*_key 2>/dev/null")
                  .out.text,
              "");
}

TEST_F(SandboxTest, KeyFilesAreMaskedWhereverTheyCanBeSeen) {
    fs::create_directories(top_ + "/data/keys");
    fs::create_directory_symlink("data", top_ + "/alias");
    std::ofstream(top_ + "/data/key") << "canary";
    std::ofstream(top_ + "/data/keys/one") << "canary";
    std::ofstream(in_workspace("key")) << "canary";
    sandbox_.readable = {top_ + "/data", top_ + "/alias"};
    sandbox_.masked = {top_ + "/data/key", top_ + "/data/keys", in_workspace("key"),
                       top_ + "/absent"};
    const Finished finished = inside("cat key ../data/key ../alias/key ../*/keys/one; ls ..");
    EXPECT_EQ(finished.out.text, "alias\ndata\nworkspace\n") << finished.err.text;
    EXPECT_EQ(content_of(in_workspace("key")), "canary");
}

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

TEST_F(SandboxTest, SigtermReachesTheCommandInside) {
    const Finished finished = run(
        sandboxed(sandbox_, bash("trap 'echo bye; exit 3' TERM; echo on; while :; do sleep 0.01; "
                                 "done")),
        {.timeout_ms = 1'000, .grace_ms = 10'000});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.out.text, "on\nbye\n");
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_LT(finished.duration_ms, 5'000);
}

TEST_F(SandboxTest, WhatIgnoresSigtermInsideIsKilled) {
    const Finished finished =
        run(sandboxed(sandbox_, bash("trap '' TERM; sleep 1000 & sleep 1000")),
            {.timeout_ms = 500, .grace_ms = 100});
    EXPECT_EQ(finished.signal, SIGKILL);
    EXPECT_LT(finished.duration_ms, 3'000);
}

TEST_F(SandboxTest, KeptDescriptorsGoThrough) {
    Pipe pipe = make_pipe();
    Command command = bash("echo through >&" + std::to_string(pipe.write_end.get()));
    command.keep_fds = {pipe.write_end.get()};
    ASSERT_TRUE(judge("kept", run(sandboxed(sandbox_, command), {.timeout_ms = 20'000})));
    pipe.write_end.reset();
    EXPECT_EQ(read_all(pipe.read_end.get(), 100, "pipe"), "through\n");
}

TEST_F(SandboxTest, SelfTestRunsOncePerBoot) {
    const std::string state = top_ + "/state";
    // Stands in for bwrap and counts how often it is started.
    const std::string program = top_ + "/counting";
    std::ofstream(program) << "#!/bin/sh\necho x >> " << top_ << "/count\nexec bwrap \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
    sandbox_.program = program;
    const auto runs = [&] { return content_of(top_ + "/count").size() / 2; };

    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 1U);
    struct stat status {};
    ASSERT_EQ(stat(state.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_TRUE(content_of(state).starts_with(boot_id()));

    sandbox_.mode = SandboxMode::workspace_net;  // other arguments, a verdict of its own
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);
    sandbox_.mode = SandboxMode::workspace;
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);

    std::ofstream(state) << "another-boot workspace " << program << " 0.0\n";
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 3U);
    EXPECT_EQ(content_of(state).find("another-boot"), std::string::npos);
}

TEST_F(SandboxTest, AFailureIsToldAndTestedAgain) {
    const std::string state = top_ + "/state";
    const std::string program = top_ + "/broken";
    std::ofstream(program) << "#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n";
    fs::permissions(program, fs::perms::owner_all);
    sandbox_.program = program;
    EXPECT_EQ(sandbox_problem(sandbox_, state), "bwrap: no namespaces here");
    std::ofstream(program) << "#!/bin/sh\nexec bwrap \"$@\"\n";
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
}

}  // namespace
}  // namespace chorus::sys
