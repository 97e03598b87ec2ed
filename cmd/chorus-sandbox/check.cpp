#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

void check_writing(const char* workspace) {
    const std::string path = std::string(workspace) + "/self-test";
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "x", 1) != 1 || close(file) != 0)
        fail("self-test: the workspace cannot be written", errno);
}

void check_absence(const char* outside) {
    struct stat status {};
    if (stat(outside, &status) == 0) fail("self-test: files outside the workspace are visible");
}

void check_network(ino_t other) {
    struct stat status {};
    if (stat("/proc/self/ns/net", &status) != 0) fail("self-test: /proc/self/ns/net", errno);
    if (status.st_ino == other) fail("self-test: the network is not isolated");
}

void check_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3]{};
    if (syscall(SYS_capget, &header, all) != 0) fail("self-test: capabilities", errno);
    for (const auto& each : all)
        if ((each.permitted | each.inheritable) != 0) fail("self-test: capabilities are left");
}

void check_calls() {
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) fail("self-test: privileges could be gained");
    if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER) fail("self-test: no system call filter");
    if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        fail("self-test: unix sockets are not refused");
}

void refuse_reach(const char* what) {
    fail((std::string("self-test: ") + what + " outside the workspace").c_str());
}

void check_fence(const Expected& expected) {
    if (chmod((std::string(expected.workspace) + "/self-test").c_str(), 0600) != 0)
        fail("self-test: a file of the workspace keeps its mode", errno);
    struct stat status {};
    if (stat(expected.outside, &status) != 0) fail(expected.outside, errno);
    if (open(expected.outside, O_RDONLY | O_CLOEXEC) >= 0) refuse_reach("a file can be read");
    if (open(expected.outside, O_WRONLY | O_CLOEXEC) >= 0) refuse_reach("a file can be written");
    if (truncate(expected.outside, status.st_size) == 0) refuse_reach("a file can be truncated");
    if (chmod(expected.outside, status.st_mode & 07777) == 0) refuse_reach("a mode can be set");
    for (const int family : {AF_INET, AF_INET6, AF_NETLINK})
        if (socket(family, SOCK_RAW, 0) >= 0 || errno != EPERM)
            fail("self-test: sockets are not refused");
}

}  // namespace

void test_restrictions(const Options& options, int landlock) {
    const Expected& expected = options.expected;
    if (expected.workspace == nullptr) return;
    check_writing(expected.workspace);
    if (options.mode == "fence") {
        check_fence(expected);
    } else {
        check_absence(expected.outside);
        if (expected.network != 0) check_network(expected.network);
    }
    check_capabilities();
    check_calls();
    std::printf("landlock=%d\n", landlock);
    if (std::fflush(stdout) != 0) fail("stdout", errno);
}

}  // namespace chorus::sandbox
