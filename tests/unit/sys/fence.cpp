// Commands that Landlock and a filter of system calls confine, without mounts and name spaces.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <cerrno>

#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

class FenceTest : public SandboxTest {
  protected:
    void SetUp() override {
        SandboxTest::SetUp();
        sandbox_.mode = SandboxMode::landlock;
        sandbox_.belongings = top_ + "/commands";
        outside_ = top_ + "/outside";
        fs::create_directory(outside_);
        write(outside_ + "/file", "outside\n");
        sandbox_.readable[outside_] = outside_;
    }

    static void write(const std::string& path, const std::string& text) {
        std::ofstream(path) << text;
    }
    testing::AssertionResult perl(const std::string& script) const {
        return works("exec perl -e '" + script + "'");
    }
    // The error number of a system call inside, or 0. Perl wants variables for texts: $p is a path.
    int error_of(long number, const std::string& arguments, const std::string& path = "") const {
        return inside("exec perl -e '" + texts(path) + "exit(syscall(" + std::to_string(number) +
                      arguments + ") < 0 ? $! + 0 : 0)'")
            .exit_code;
    }
    static std::string texts(const std::string& path) {
        return "my ($p, $none, $name, $value) = (\"" + path + "\", \"\", \"user.x\", \"y\" x 8); ";
    }
    static std::string state_of(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
        return std::to_string(status.st_mode) + " " + std::to_string(status.st_uid) + " " +
               std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_nsec) + " " +
               std::to_string(status.st_ctim.tv_nsec);
    }

    std::string outside_;
};

TEST_F(FenceTest, RunsInTheWorkspaceAndWritesThere) {
    const Finished finished = inside("pwd; echo kept > made; exit 4");
    EXPECT_EQ(finished.out.text, sandbox_.workspace + "\n");
    EXPECT_EQ(finished.exit_code, 4) << finished.err.text;
    EXPECT_EQ(content_of(in_workspace("made")), "kept\n");
    EXPECT_EQ(inside("exec /no/such").exit_code, 127);
    EXPECT_EQ(inside("kill -9 $$").signal, SIGKILL);
}

TEST_F(FenceTest, NothingButTheSystemAndWhatIsNamedCanBeRead) {
    write(top_ + "/secret", "secret");
    EXPECT_TRUE(works("cat " + outside_ + "/file && cat /etc/passwd >/dev/null && ls /usr"));
    for (const std::string& path : {top_ + "/secret", std::string("/proc/1/environ"),
                                    std::string("/proc/self/root") + top_ + "/secret"})
        EXPECT_FALSE(works("cat " + path)) << path;
    for (const char* path : {"/", "/root", "/home", "/tmp", "/run", "/var", "/dev", "/dev/pts"})
        EXPECT_FALSE(works(std::string("ls ") + path)) << path;
    EXPECT_FALSE(works("ln -s " + top_ + "/secret link && cat link"));
}

TEST_F(FenceTest, AsRootSecretsOfTheSystemAreHidden) {
    ASSERT_EQ(geteuid(), 0U);
    sandbox_.readable["/"] = "/";
    sandbox_.readable.erase(outside_);
    EXPECT_TRUE(works("cat " + outside_ + "/file && cat /etc/hostname /etc/passwd"));
    for (const char* path : {"/etc/shadow", "/etc/gshadow", "/dev/mem", "/dev/kmsg"})
        EXPECT_FALSE(works(std::string("cat ") + path + " | head -c 1 | grep -q .")) << path;
}

TEST_F(FenceTest, KeyFilesAreHiddenOrNothingRuns) {
    write(outside_ + "/key", "canary");
    sandbox_.masked = {outside_ + "/key"};
    EXPECT_FALSE(works("cat " + outside_ + "/key"));
    EXPECT_TRUE(works("cat " + outside_ + "/file"));
    write(in_workspace("key"), "canary");
    sandbox_.masked = {in_workspace("key")};
    EXPECT_NE(refusal().find("/key: it is in a directory that commands write"), std::string::npos);
}

TEST_F(FenceTest, NothingOutsideCanBeWritten) {
    const std::string file = outside_ + "/file";
    const std::string before = state_of(file);
    for (const std::string& script :
         {"echo x > " + file, "truncate -s 0 " + file, "rm -f " + file + "; test ! -e " + file,
          "mv " + file + " moved", "ln " + file + " linked", "touch " + outside_ + "/new",
          "mkdir " + outside_ + "/new", "ln -s a " + outside_ + "/new",
          "echo x > mine && mv mine " + outside_ + "/new"})
        EXPECT_FALSE(works(script)) << script;
    EXPECT_FALSE(perl("use Fcntl; sysopen(F, \"" + file + "\", O_RDONLY|O_TRUNC) or die"));
    EXPECT_EQ(content_of(file), "outside\n");
    EXPECT_EQ(state_of(file), before);
    EXPECT_FALSE(fs::exists(outside_ + "/new"));
}

// Landlock does not govern them, and a descriptor for reading is enough for some.
TEST_F(FenceTest, ModesOwnersTimesAndAttributesOutsideStay) {
    const std::string file = outside_ + "/file";
    const std::string before = state_of(file);
    const auto by_path = [&](long call, const std::string& rest) {
        return error_of(call, ", $p" + rest, file);
    };
    const auto by_descriptor = [&](long call, const std::string& rest) {
        return inside("exec perl -e '" + texts(file) + "open(F, \"<\", $p) or die; exit(syscall(" +
                      std::to_string(call) + ", fileno(F)" + rest + ") < 0 ? $! + 0 : 0)'")
            .exit_code;
    };
    EXPECT_EQ(by_path(SYS_chmod, ", 0777"), EPERM);
    EXPECT_EQ(by_path(SYS_chown, ", 1, 1"), EPERM);
    EXPECT_EQ(by_path(SYS_lchown, ", 1, 1"), EPERM);
    EXPECT_EQ(by_path(SYS_utime, ", 0"), EPERM);
    EXPECT_EQ(by_path(SYS_utimes, ", 0"), EPERM);
    EXPECT_EQ(by_path(SYS_truncate, ", 0"), EPERM);
    EXPECT_EQ(by_path(SYS_open, ", " + std::to_string(O_RDONLY | O_TRUNC)), EACCES);
    EXPECT_EQ(error_of(SYS_openat, ", -100, $p, " + std::to_string(O_RDONLY | O_TRUNC), file),
              EACCES);
    EXPECT_EQ(error_of(SYS_fchmodat, ", -100, $p, 0777", file), EPERM);
    EXPECT_EQ(error_of(452, ", -100, $p, 0777, 0", file), EPERM);
    EXPECT_EQ(error_of(SYS_fchownat, ", -100, $p, 1, 1, 0", file), EPERM);
    EXPECT_EQ(error_of(SYS_utimensat, ", -100, $p, 0, 0", file), EPERM);
    EXPECT_EQ(error_of(SYS_futimesat, ", -100, $p, 0", file), EPERM);
    EXPECT_EQ(by_path(SYS_setxattr, ", $name, $value, 1, 0"), EOPNOTSUPP);
    EXPECT_EQ(by_path(SYS_lremovexattr, ", $name"), EOPNOTSUPP);
    EXPECT_EQ(by_descriptor(SYS_fchmod, ", 0777"), EPERM);
    EXPECT_EQ(by_descriptor(SYS_fchown, ", 1, 1"), EPERM);
    EXPECT_EQ(by_descriptor(SYS_utimensat, ", 0, 0, 0"), EPERM);
    EXPECT_EQ(by_descriptor(SYS_fchownat, ", $none, 1, 1, 0x1000"), EPERM);
    EXPECT_EQ(by_descriptor(SYS_fsetxattr, ", $name, $value, 1, 0"), EOPNOTSUPP);
    constexpr const char* set_flags = ", 0x40086602, $value";
    EXPECT_EQ(by_descriptor(SYS_ioctl, set_flags), ENOTTY);
    EXPECT_FALSE(works("ln -s " + file + " link && chmod 777 link"));
    EXPECT_FALSE(works("chmod 777 ../outside/file"));
    EXPECT_FALSE(works("cd " + outside_ + " && chmod 777 file"));
    EXPECT_FALSE(
        perl("open(F, \"<\", \"" + file + "\"); chmod(0777, \"/dev/fd/\" . fileno(F)) or die"));
    EXPECT_FALSE(works("chmod 777 /usr/bin/env || touch /usr/bin/env"));
    EXPECT_EQ(state_of(file), before);
}

TEST_F(FenceTest, ModesAndTimesInTheWorkspaceAreSet) {
    ASSERT_TRUE(works(
        "mkdir d && echo x > d/a && chmod 751 d/a && chmod 700 d && touch -d 2001-02-03 d/a && "
        "ln -s a d/l && touch -h -d 2002-02-03 d/l && cp -a d e && chmod -R u+w e && "
        "install -m 755 d/a e/i && tar cf t.tar d && mkdir f && tar xpf t.tar -C f && "
        "cd d && chmod 640 ./a && chown $(id -u) a && chmod 600 $PWD/../e/a"));
    struct stat status {};
    ASSERT_EQ(stat(in_workspace("d/a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    ASSERT_EQ(stat(in_workspace("f/d/a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0751U);
    EXPECT_EQ(status.st_mtim.tv_sec / 86400, 11356);  // 2001-02-03
    ASSERT_EQ(lstat(in_workspace("e/l").c_str(), &status), 0);
    EXPECT_EQ(status.st_mtim.tv_sec / 86400, 11721);  // of the link itself
    ASSERT_EQ(stat(in_workspace("e/i").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0755U);
    EXPECT_EQ(error_of(SYS_chmod, ", $p, 0600", "no"), ENOENT);
    EXPECT_EQ(error_of(SYS_chmod, ", 8, 0600"), EFAULT);
    EXPECT_EQ(error_of(SYS_truncate, ", $p, 7", "t.tar"), 0);
    EXPECT_EQ(fs::file_size(in_workspace("t.tar")), 7U);
    EXPECT_EQ(error_of(SYS_truncate, ", $p, 7", "d"), EISDIR);
    EXPECT_EQ(error_of(SYS_fchmod, ", 77, 0600"), EBADF);
    EXPECT_EQ(error_of(SYS_chmod, ", $p, 0600", std::string(5000, 'a')), ENAMETOOLONG);
    EXPECT_EQ(error_of(SYS_fchmodat, ", 77, $p, 0604", "t.tar"), EBADF);
    EXPECT_TRUE(perl("chmod(0604, \"/proc/self/cwd/t.tar\") or die $!"));
    EXPECT_EQ(error_of(SYS_chmod, ", $p, 04755", "t.tar"), EPERM);
    EXPECT_TRUE(perl("open(F, \">\", \"u\"); unlink \"u\"; chmod(0600, *F) or die $!"));
}

TEST_F(FenceTest, ManyThreadsAndProcessesAreServed) {
    EXPECT_TRUE(
        works("for i in $(seq 8); do (for j in $(seq 50); do : > f$i.$j; chmod 600 f$i.$j "
              "|| exit 9; done) & all+=($!); done; for i in ${all[@]}; do wait $i || exit; "
              "done"));
    // what is killed while it waits does not hold up the others
    EXPECT_TRUE(
        works("for i in $(seq 20); do timeout -s KILL 0.01 bash -c 'while :; do chmod 600 "
              "f1.1; done'; done; chmod 640 f1.1"));
}

// A lease holds up whoever opens the file next: other programs, and the watcher.
TEST_F(FenceTest, NobodyWaitsForALease) {
    constexpr const char* own =
        "open(F, \"<\", \"own\") or die; exit(fcntl(F, 1024, 0) ? 0 : $! + 0)";
    EXPECT_EQ(inside("echo x > own; exec perl -e '" + std::string(own) + "'").exit_code, EPERM);
    const int file = open(in_workspace("own").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(fcntl(file, F_SETLEASE, F_RDLCK), 0);
    signal(SIGIO, SIG_IGN);
    EXPECT_EQ(error_of(SYS_truncate, ", $p, 0", "own"), EAGAIN);
    close(file);
    sandbox_.mode = SandboxMode::workspace;
    EXPECT_EQ(inside("exec perl -e '" + std::string(own) + "'").exit_code, EPERM);
}

TEST_F(FenceTest, WhatIsOpenedForNeitherReadingNorWritingIsNotOpened) {
    for (const std::string& path : {outside_ + "/file", std::string("/dev/ptmx")}) {
        EXPECT_EQ(error_of(SYS_open, ", $p, 3", path), EACCES) << path;
        EXPECT_EQ(error_of(SYS_openat, ", -100, $p, 3", path), EACCES) << path;
    }
}

TEST_F(FenceTest, PriorityAndProcessorsOfOthersStay) {
    // Of a process with capabilities the kernel itself keeps them.
    ProcessCommand command{.arguments = {"setpriv", "--bounding-set=-all", "--inh-caps=-all", "sh",
                                         "-c", "echo > ready; exec sleep 100"},
                           .environment = {"PATH=/usr/bin:/bin"},
                           .directory = top_};
    if (geteuid() != 0)
        command.arguments.erase(command.arguments.begin(), command.arguments.begin() + 3);
    const Identity other = start(command, {});
    while (!fs::exists(top_ + "/ready")) usleep(1000);
    const std::string pid = std::to_string(other.pid);
    for (const std::string& script :
         {"renice -n 5 -p " + pid, "taskset -pc 0 " + pid, "chrt -i -p 0 " + pid,
          "ionice -c3 -p " + pid, std::string("renice -n 5 -u $(id -u)")})
        EXPECT_FALSE(works(script)) << script;
    kill(static_cast<pid_t>(other.pid), SIGKILL);
    waitpid(static_cast<pid_t>(other.pid), nullptr, 0);
    EXPECT_TRUE(works("nice -n 5 ionice -c3 taskset -c 0 true"));
}

TEST_F(FenceTest, ProgramsAreNotFoundWhereTheyCannotBeRead) {
    fs::create_directory(top_ + "/shims");
    write(top_ + "/shims/env", "#!/bin/sh\n");
    fs::permissions(top_ + "/shims/env", fs::perms::owner_all);
    ProcessCommand command = bash("echo $PATH; type -p env");
    command.environment = {"PATH=" + top_ + "/shims:" + outside_ + ":/no/such:/usr/bin:/bin"};
    EXPECT_EQ(run(sandboxed(sandbox_, command), {}).out.text,
              outside_ + ":/usr/bin:/bin\n/usr/bin/env\n");
}

TEST_F(FenceTest, ThereAreNoSockets) {
    for (const int family : {1, 2, 10, 16, 17, 38, 40})
        EXPECT_EQ(error_of(SYS_socket, ", " + std::to_string(family) + ", 1, 0"), EPERM) << family;
    EXPECT_TRUE(perl("use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die"));
    // a datagram reaches any that has a name
    EXPECT_FALSE(perl("use Socket; socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or die"));
}

TEST_F(FenceTest, RefusedCalls) {
    for (const long call : {SYS_shmget, SYS_semget, SYS_msgget, SYS_shmat, SYS_mq_open, SYS_ptrace,
                            SYS_unshare, SYS_mount, SYS_io_uring_setup, SYS_bpf, SYS_keyctl,
                            SYS_open_by_handle_at, SYS_process_vm_readv, SYS_pidfd_getfd})
        EXPECT_EQ(error_of(call, ", 0, 0, 0"), EPERM) << call;
    EXPECT_EQ(error_of(SYS_prlimit64, ", 1, 7, 0, 0"), EPERM);
    EXPECT_EQ(error_of(SYS_openat2, ", -100, $p, 0, 0", "a"), ENOSYS);
}

TEST_F(FenceTest, OtherProcessesAreOutOfReachAndLeftoversEnd) {
    const std::string self = std::to_string(getpid());
    ASSERT_EQ(setenv("CHORUS_TEST_SECRET", "canary", 1), 0);
    for (const std::string name : {"environ", "maps", "mem", "cwd/x", "fd/0"})
        EXPECT_FALSE(works("head -c 1 /proc/" + self + "/" + name)) << name;
    unsetenv("CHORUS_TEST_SECRET");
    EXPECT_FALSE(works("kill -0 " + self));
    EXPECT_FALSE(works("kill -0 $PPID"));  // the watcher
    EXPECT_EQ(inside("ls /proc/self/fd | wc -l").out.text, "4\n");
    EXPECT_TRUE(works("setsid sleep 1000 >/dev/null 2>&1 & echo $! > pid"));
    EXPECT_NE(kill(std::stoi(content_of(in_workspace("pid"))), 0), 0);
}

TEST_F(FenceTest, NoCapabilityIsLeft) {
    EXPECT_EQ(
        inside("grep -E '^Cap(Inh|Prm|Eff|Amb)' /proc/self/status | grep -cv 0000000000000000")
            .out.text,
        "0\n");
}

TEST_F(FenceTest, TemporaryFilesHaveAPlaceThatGoesWithTheCommand) {
    const std::string file = inside("mktemp").out.text;
    EXPECT_TRUE(file.starts_with(sandbox_.belongings + "/home-")) << file;
    EXPECT_FALSE(fs::exists(file.substr(0, file.size() - 1)));
    EXPECT_TRUE(works("echo kept > $XDG_CACHE_HOME/x"));
    EXPECT_EQ(inside("cat $XDG_CACHE_HOME/x").out.text, "kept\n");
    EXPECT_FALSE(works("echo >> $GIT_CONFIG_GLOBAL"));
    EXPECT_TRUE(works("cat $GIT_CONFIG_GLOBAL && : >/dev/null </dev/zero"));
}

TEST_F(FenceTest, ALinkedWorktreeWritesWhatItSharesAndNothingElse) {
    init_repository();
    ASSERT_TRUE(works_outside("git worktree add -q ../tree"));
    sandbox_.workspace = top_ + "/tree";
    EXPECT_TRUE(
        works("echo x > b && git add b && git -c user.name=n -c user.email=e@example.org "
              "commit -q -m second"));
    for (const char* name : {"config", "HEAD", "hooks/pre-commit", "info/exclude"})
        EXPECT_FALSE(works("echo >> ../workspace/.git/" + std::string(name))) << name;
}

TEST_F(FenceTest, TheSelfTestNeedsNoBubblewrap) {
    sandbox_.program = top_ + "/missing";
    EXPECT_EQ(problem_of(sandbox_, top_ + "/state"), "");
    EXPECT_NE(content_of(top_ + "/state").find(" landlock "), std::string::npos);
    sandbox_.mode = SandboxMode::workspace;
    const auto problem = sandbox_problem(sandbox_, top_ + "/state");
    ASSERT_TRUE(problem);
    EXPECT_TRUE(problem->hint().ends_with("chorus-config set sandbox landlock")) << problem->hint();
}

TEST(SandboxModes, TheStrictestAllowsNoMoreThanEither) {
    using enum SandboxMode;
    for (const SandboxMode mode : {workspace, workspace_net, landlock, off}) {
        EXPECT_EQ(strictest(mode, mode), mode);
        EXPECT_EQ(strictest(mode, off), mode);
        EXPECT_EQ(strictest(workspace, mode), workspace);
    }
    EXPECT_EQ(strictest(landlock, workspace_net), workspace);
    EXPECT_EQ(strictest(workspace_net, landlock), workspace);
}

}  // namespace
}  // namespace chorus::sys
