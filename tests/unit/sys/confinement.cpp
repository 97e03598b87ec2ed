// What the inner program takes away: system calls and, beyond the mounts, files.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

class ConfinementTest : public SandboxTest {
  protected:
    // The error number of a system call inside, or 0; what bwrap makes of SIGSYS where the call
    // ended the process.
    int error_of(long number, const std::vector<std::string>& arguments) const {
        std::string call = "syscall(" + std::to_string(number);
        for (const std::string& argument : arguments) call += "," + argument;
        const Finished finished =
            inside("exec perl -e 'exit(" + call + ") < 0 ? $! + 0 : 0)' 2>/dev/null");
        return finished.exit_code;
    }
    static constexpr int killed = 128 + SIGSYS;
};

TEST_F(ConfinementTest, SocketsAreOfTheInternetOnly) {
    const auto open = [&](const std::string& family, const std::string& protocol = "0") {
        return error_of(SYS_socket, {family, std::to_string(SOCK_DGRAM), protocol});
    };
    EXPECT_EQ(open("1"), EPERM);
    EXPECT_EQ(open("(1 << 32) | 1"), EPERM);  // the kernel looks at the low half
    EXPECT_EQ(open("(1 << 32) | 2"), EPERM);
    for (const int family : {AF_ALG, AF_PACKET, AF_VSOCK, AF_BLUETOOTH, AF_KEY, AF_RDS, AF_TIPC})
        EXPECT_EQ(open(std::to_string(family)), EPERM) << family;
    EXPECT_EQ(open("2"), 0);
    EXPECT_EQ(open("10"), 0);
    EXPECT_EQ(open("16"), 0);
    EXPECT_EQ(open("16", "9"), EPERM);  // NETLINK_AUDIT
    EXPECT_TRUE(works("exec perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die'"));
    // its ends can send to any socket that has a name
    EXPECT_FALSE(works("exec perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or die'"));
    EXPECT_FALSE(works("exec perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_RAW, 0) or die'"));
}

TEST_F(ConfinementTest, UnixSocketsOfTheHostCannotBeReached) {
    const int host = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_storage address{};
    address.ss_family = AF_UNIX;
    const std::string name = "chorus-test-" + std::to_string(getpid());
    name.copy(reinterpret_cast<char*>(&address) + sizeof(sa_family_t) + 1, name.size());
    ASSERT_EQ(bind(host, reinterpret_cast<sockaddr*>(&address),
                   static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size())),
              0);
    ASSERT_EQ(listen(host, 1), 0);
    const std::string connect =
        "exec perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && "
        "connect(S, pack_sockaddr_un(\"\\0" +
        name + "\")) or exit 9'";
    sandbox_.mode = SandboxMode::off;
    EXPECT_EQ(inside(connect).exit_code, 0);
    sandbox_.mode = SandboxMode::workspace_net;
    EXPECT_EQ(inside(connect).exit_code, 9);
    close(host);
}

TEST_F(ConfinementTest, RefusedCalls) {
    for (const long number : {SYS_ptrace,
                              SYS_process_vm_readv,
                              SYS_process_vm_writev,
                              SYS_mount,
                              SYS_umount2,
                              SYS_pivot_root,
                              SYS_chroot,
                              SYS_move_mount,
                              SYS_open_tree,
                              SYS_fsopen,
                              SYS_fsmount,
                              SYS_mount_setattr,
                              SYS_unshare,
                              SYS_setns,
                              SYS_keyctl,
                              SYS_add_key,
                              SYS_request_key,
                              SYS_bpf,
                              SYS_io_uring_setup,
                              SYS_io_uring_enter,
                              SYS_io_uring_register,
                              SYS_userfaultfd,
                              SYS_perf_event_open,
                              SYS_kexec_load,
                              SYS_init_module,
                              SYS_finit_module,
                              SYS_reboot,
                              467})
        EXPECT_EQ(error_of(number, {"0", "0", "0", "0", "0", "0"}), EPERM) << number;
    EXPECT_EQ(error_of(SYS_clone3, {"0", "0"}), ENOSYS);
}

TEST_F(ConfinementTest, NoFileGetsASetIdBit) {
    std::ofstream(in_workspace("old")) << "x";
    const std::string old = "(my $o = \"old\")";
    const std::string made = "(my $n = \"new\")";
    const std::string here = std::to_string(AT_FDCWD);
    const std::string temporary = std::to_string(O_TMPFILE | O_RDWR);
    const std::string create = std::to_string(O_CREAT | O_RDWR);
    const auto calls = [&](const std::string& mode) {
        return std::vector<std::pair<long, std::vector<std::string>>>{
            {SYS_chmod, {old, mode}},
            {SYS_fchmod, {"3", mode}},
            {SYS_fchmodat, {here, old, mode}},
            {452, {here, old, mode, "0"}},  // fchmodat2
            {SYS_open, {made, create, mode}},
            {SYS_openat, {here, made, create, mode}},
            {SYS_open, {"(my $d = \".\")", temporary, mode}},
            {SYS_openat, {here, "(my $d = \".\")", temporary, mode}},
            {SYS_creat, {made, mode}},
            {SYS_mknod, {made, std::to_string(S_IFREG) + "|" + mode, "0"}},
            {SYS_mknodat, {here, made, std::to_string(S_IFIFO) + "|" + mode, "0"}}};
    };
    for (const std::string mode : {"04755", "02755", "06000", "(1 << 32) | 04755"})
        for (const auto& [number, arguments] : calls(mode))
            EXPECT_EQ(error_of(number, arguments), EPERM) << number << " " << mode;
    EXPECT_FALSE(fs::exists(in_workspace("new")));
    EXPECT_EQ(fs::status(in_workspace("old")).permissions() & fs::perms::set_uid, fs::perms::none);
    // its mode is nobody's
    EXPECT_EQ(error_of(SYS_open, {old, "0", "04755"}), 0);
    EXPECT_EQ(error_of(SYS_openat2, {here, old, "(my $h = \"x\" x 24)", "24"}), ENOSYS);
    EXPECT_TRUE(
        works("chmod 755 old && mkfifo pipe && install -m 1777 -d sticky && mkdir -m 755 d"));
}

TEST_F(ConfinementTest, NoFileGetsCapabilities) {
    EXPECT_TRUE(works("cp /bin/true own"));
    // of version 2, CAP_NET_RAW; and of version 3, whose root is that of the name space
    for (const auto& [version, bytes] : {std::pair{"2", "20"}, std::pair{"3", "24"}})
        EXPECT_EQ(error_of(SYS_setxattr, {"(my $f = \"own\")", "(my $c = \"security.capability\")",
                                          std::string("(my $v = pack(\"C6 x18\", 1, 0, 0, ") +
                                              version + ", 0, 32))",
                                          bytes, "0"}),
                  EPERM);
    EXPECT_TRUE(works("! setcap cap_net_raw+ep own 2>/dev/null || ! command -v setcap"));
}

TEST_F(ConfinementTest, NoNewNameSpaces) {
    for (const unsigned flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID,
                                CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
        EXPECT_EQ(error_of(SYS_clone, {std::to_string(flag | SIGCHLD), "0"}), EPERM) << flag;
        EXPECT_EQ(error_of(SYS_clone, {std::to_string(flag) + "| (1 << 40) | 17", "0"}), EPERM);
    }
    EXPECT_TRUE(works("(exit 0) && true | cat"));
}

TEST_F(ConfinementTest, NothingIsPutIntoATerminal) {
    constexpr unsigned linux_console = 0x541c;
    for (const unsigned request : {unsigned{TIOCSTI}, linux_console}) {
        EXPECT_EQ(error_of(SYS_ioctl, {"0", std::to_string(request), "0"}), EPERM);
        EXPECT_EQ(error_of(SYS_ioctl, {"0", "(7 << 32) | " + std::to_string(request), "0"}), EPERM);
    }
    EXPECT_EQ(error_of(SYS_ioctl, {"0", std::to_string(TCGETS), "0"}), ENOTTY);
}

#if defined(__x86_64__)
// A program for i386 that ends with status 0.
std::string program_for_i386() {
    const unsigned char bytes[] = {
        0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  // class,
                                                                  // order
        2, 0, 3, 0, 1, 0, 0, 0, 0x54, 0, 1, 0, 0x34, 0, 0, 0,     // EXEC, 386
        0, 0, 0, 0, 0, 0, 0, 0, 0x34, 0, 0x20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 1, 0, 0, 0, 1, 0,  // PT_LOAD
        0x5d, 0, 0, 0, 0x5d, 0, 0, 0, 5, 0, 0, 0, 0, 0x10, 0, 0, 0x31,
        0xdb,                    // xor ebx, ebx
        0x31, 0xc0, 0x40,        // exit
        0xcd, 0x80, 0xeb, 0xfe,  // int 0x80
    };
    return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

TEST_F(ConfinementTest, CallsOfAnotherArchitectureEndTheProcess) {
    EXPECT_EQ(error_of(SYS_getpid | 0x40000000, {}), killed);  // x32
    EXPECT_EQ(error_of(SYS_socket | 0x40000000, {"1", "1", "0"}), killed);
    std::ofstream(in_workspace("old"), std::ios::binary) << program_for_i386();
    fs::permissions(in_workspace("old"), fs::perms::owner_all);
    const int in_the_sandbox = inside("exec ./old").exit_code;
    sandbox_.mode = SandboxMode::off;
    // A kernel that runs no such programs at all does not run it inside either.
    EXPECT_EQ(in_the_sandbox, inside("exec ./old").exit_code == 0 ? killed : 126);
}
#endif

TEST_F(ConfinementTest, RenamingAndLinkingAcrossDirectoriesWork) {
    EXPECT_TRUE(
        works("mkdir -p a b/c && echo x > a/f && mv a/f b/c/f && ln b/c/f a/hard && mv b/c a/c && "
              "test $(stat -c %i a/c/f) = $(stat -c %i a/hard) && mkdir /tmp/x /tmp/y && "
              "mv /tmp/x /tmp/y/ && mkfifo p && ln -s a l && truncate -s 3 a/hard && chmod 600 p"));
}

TEST_F(ConfinementTest, DevicesAreUsedAndNoneAreMade) {
    EXPECT_TRUE(
        works("echo x > /dev/null && head -c 4 /dev/urandom > r && cat < /dev/zero | head "
              "-c 1 > z && echo y > /dev/shm/s && test -s /dev/shm/s"));
    EXPECT_TRUE(
        works("! mknod n c 1 3 2>/dev/null && ! mknod /tmp/n b 7 0 2>/dev/null && "
              "! echo x > /dev/new"));
    EXPECT_TRUE(
        works("cat /dev/stdin && echo out > /dev/stdout && echo err > /dev/stderr && "
              "cat <(echo sub) && echo in | cat /dev/fd/0"));
}

TEST_F(ConfinementTest, ProcessesOutsideTheCommandAreOutOfReach) {
    EXPECT_TRUE(
        works("! kill -0 1 2>/dev/null && ! cat /proc/1/environ 2>/dev/null && "
              "sleep 10 & kill $! && wait $!; test $? = 143"));
    EXPECT_EQ(inside("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status").out.text,
              "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

TEST_F(ConfinementTest, TheKernelsSettingsCannotBeWritten) {
    EXPECT_NE(inside("echo 5 > /proc/self/oom_score_adj").exit_code, 0);
    EXPECT_NE(inside("echo x > /proc/sys/kernel/core_pattern").exit_code, 0);
    // and not by Landlock alone
    EXPECT_EQ(inside("grep -c ' /proc proc ro' /proc/self/mounts").out.text, "1\n");
}

}  // namespace
}  // namespace chorus::sys
