#include "sys/sandbox.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

using namespace std::string_literals;

TEST_F(SandboxTest, NamesOfModes) {
    for (const auto mode : {SandboxMode::workspace, SandboxMode::workspace_net,
                            SandboxMode::landlock, SandboxMode::off})
        EXPECT_EQ(sandbox_modes.find(name(mode)), mode);
    EXPECT_FALSE(sandbox_modes.find("on"));
    EXPECT_EQ(name(SandboxMode::workspace_net), "workspace+net");
}

TEST_F(SandboxTest, RunsInTheWorkspaceAndWritesThere) {
    const Finished finished = inside("pwd; echo kept > made; exit 4");
    EXPECT_EQ(finished.out.text, sandbox_.workspace + "\n");
    EXPECT_EQ(finished.exit_code, 4) << finished.err.text;
    EXPECT_EQ(content_of(in_workspace("made")), "kept\n");
}

TEST_F(SandboxTest, WithoutASandboxDirectoriesServeTheNextCommandAsLongAsTheyAreAsTheyWereMade) {
    sandbox_.mode = SandboxMode::off;
    sandbox_.belongings = top_ + "/commands";
    sandbox_.homes = keep_homes();
    const std::string tell = "echo $CARGO_HOME; ls -A ~ $CARGO_HOME $GRADLE_USER_HOME";
    const auto tell_after = [&](const std::string& script) {
        EXPECT_TRUE(works(script)) << script;
        return inside(tell).out.text;
    };
    const std::string first = inside(tell).out.text;
    EXPECT_NE(first.find("git\nregistry\n"), std::string::npos) << first;
    EXPECT_EQ(tell_after("touch ~/left && rm ~/left"), first);
    for (const char* script :
         {"touch ~/left; mkdir -p ~/a/b && chmod 0 ~/a", "chmod 755 ~",
          "touch $CARGO_HOME/config.toml", "chmod 755 $GRADLE_USER_HOME",
          "rm $CARGO_HOME/git && mkdir $CARGO_HOME/git", "ln -sfn /tmp $CARGO_HOME/registry",
          "cp -a $CARGO_HOME $CARGO_HOME.x && mv $CARGO_HOME ~ && mv $CARGO_HOME.x $CARGO_HOME",
          "touch $CARGO_HOME/../x", "rm -r $CARGO_HOME"}) {
        const std::string before = inside(tell).out.text;
        const std::string told = tell_after(script);
        const std::size_t end = before.find('\n');
        EXPECT_NE(told.substr(0, end), before.substr(0, end)) << script;
        EXPECT_FALSE(fs::exists(before.substr(0, end))) << script;
        EXPECT_EQ(told.substr(end).find("config.toml"), std::string::npos) << told;
        EXPECT_NE(told.find("git\nregistry\n"), std::string::npos) << script << told;
        EXPECT_TRUE(told.ends_with("/home:\n")) << script << told;
    }
    {
        const ProcessCommand one = sandboxed(sandbox_, bash("true"));
        const ProcessCommand other = sandboxed(sandbox_, bash("true"));
        EXPECT_NE(one.environment, other.environment);
    }
    sandbox_.homes.reset();
    for (const auto& entry : fs::directory_iterator(sandbox_.belongings))
        EXPECT_FALSE(entry.path().filename().string().starts_with("home-")) << entry.path();
}

TEST_F(SandboxTest, AMissingBwrapIsAnErrorNotARunWithoutIt) {
    sandbox_.program = "no-bwrap";
    EXPECT_THROW(inside("true"), base::Error);
    EXPECT_EQ(problem_of(sandbox_, top_ + "/state"), "no-bwrap: No such file or directory");
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
    sandbox_.readable[top_ + "/data"] = top_ + "/data";
    sandbox_.readable[top_ + "/absent"] = "";
    EXPECT_EQ(inside("cat " + top_ + "/data/table").out.text, "rows");
    EXPECT_NE(inside("echo x > " + top_ + "/data/table").exit_code, 0);
    EXPECT_EQ(content_of(top_ + "/data/table"), "rows");
}

TEST_F(SandboxTest, AReadableParentDoesNotHideTheWorkspace) {
    sandbox_.readable[top_] = top_;
    std::ofstream(top_ + "/beside") << "x";
    EXPECT_TRUE(works("cat ../beside && echo y > mine && ! echo z > ../beside"));
    sandbox_.readable["/"] = "/";
    EXPECT_TRUE(works("cat ../beside && echo y > mine && ! echo z > ../beside"));
}

TEST_F(SandboxTest, NothingIsMadeThroughALinkInTheCaches) {
    sandbox_.belongings = top_ + "/belongings";
    const std::string outside = top_ + "/outside";
    fs::create_directory(outside);
    ASSERT_TRUE(
        works("touch $CARGO_HOME/registry/x $GRADLE_USER_HOME/wrapper/x && cd $XDG_CACHE_HOME && "
              "for name in *; do rm -r $name && ln -s " +
              outside + " $name; done"));
    ASSERT_TRUE(works("rm $XDG_CACHE_HOME/* && touch $XDG_CACHE_HOME/cargo-git"));
    EXPECT_TRUE(works("true"));
    EXPECT_TRUE(fs::is_empty(outside));
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
    EXPECT_LT(finished.duration_ms, 10'000);
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
    ProcessCommand command = bash("cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'");
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
    for (const char* name : {"/data", "/alias"}) sandbox_.readable[top_ + name] = top_ + "/data";
    sandbox_.masked = {top_ + "/data/key", top_ + "/data/keys", in_workspace("key"),
                       top_ + "/absent"};
    const Finished finished = inside("cat key ../data/key ../alias/key ../*/keys/one; ls ..");
    EXPECT_EQ(finished.out.text, "alias\ndata\nworkspace\n") << finished.err.text;
    EXPECT_EQ(content_of(in_workspace("key")), "canary");
}

TEST_F(SandboxTest, SigtermReachesTheCommandInside) {
    const Finished finished = run(
        sandboxed(sandbox_, bash("trap 'echo bye; exit 3' TERM; echo on; while :; do sleep 0.01; "
                                 "done")),
        {.timeout_ms = 1'000, .grace_ms = 10'000});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.out.text, "on\nbye\n");
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(SandboxTest, WhatIgnoresSigtermInsideIsKilled) {
    const Finished finished =
        run(sandboxed(sandbox_, bash("trap '' TERM; sleep 1000 & sleep 1000")),
            {.timeout_ms = 2'000, .grace_ms = 100});
    EXPECT_EQ(finished.signal, SIGKILL);
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(SandboxTest, KeptDescriptorsGoThrough) {
    Pipe pipe = make_pipe();
    ProcessCommand command = bash("echo through >&" + std::to_string(pipe.write_end.get()));
    command.keep_fds = {pipe.write_end.get()};
    ASSERT_TRUE(judge("kept", run(sandboxed(sandbox_, command), {.timeout_ms = 20'000})));
    pipe.write_end.reset();
    EXPECT_EQ(read_all(pipe.read_end.get(), 100, "pipe"), "through\n");
}

}  // namespace
}  // namespace chorus::sys
