// System call filters, seccomp(2).
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

#include "filters.inc"  // made by filters.cpp

// Argument numbers of a call: the mode that a file gets, and the flags that say whether it creates
// one.
struct ModeArgument {
    unsigned call;
    unsigned mode;
    int flags = -1;
};
constexpr ModeArgument modes[] = {
#ifdef SYS_chmod  // newer architectures have only the *at calls
    {SYS_chmod, 1},  {SYS_creat, 1},    {SYS_mknod, 1}, {SYS_open, 2, 1},
#endif
    {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {fchmodat2, 2}, {SYS_mknodat, 2}, {SYS_openat, 3, 2}};

sock_fprog program_of(std::span<const sock_filter> instructions) {
    // the kernel does not change them
    return {static_cast<unsigned short>(instructions.size()),
            const_cast<sock_filter*>(instructions.data())};
}

void load(std::span<const sock_filter> instructions) {
    const sock_fprog program = program_of(instructions);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("seccomp", errno);
}

// Anybody outside who can reach a setuid or setgid file runs it with the rights of its owner. A
// second filter, written by hand: testing for any of several bits is one instruction here, and
// twenty rules and a millisecond with libseccomp.
void refuse_set_id_bits() {
    std::vector<sock_filter> filter;
    const auto add = [&](int code, unsigned value, int if_true = 0, int if_false = 0) {
        filter.push_back({static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                          static_cast<std::uint8_t>(if_false), value});
    };
    // Loads the half that the kernel uses.
    const auto load_argument = [&](unsigned number) {
        constexpr unsigned half = std::endian::native == std::endian::big ? 4 : 0;
        add(BPF_LD | BPF_W | BPF_ABS,
            static_cast<unsigned>(offsetof(seccomp_data, args)) + number * 8 + half);
    };
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    for (const auto& [call, mode, flags] : modes) {
        const bool opens = flags >= 0;
        add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, opens ? 6 : 4);
        if (opens) {
            load_argument(static_cast<unsigned>(flags));
            add(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 0, 2);
        }
        load_argument(mode);
        add(BPF_JMP | BPF_JSET | BPF_K, S_ISUID | S_ISGID, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    load(filter);
}

}  // namespace

void restrict_calls() {
    load(for_commands);
    refuse_set_id_bits();
}

int restrict_calls_of_fenced() {
    refuse_set_id_bits();
    // Once a call was received, only a fatal signal interrupts its caller.
    constexpr unsigned wait_killable = 1U << 5;
    const sock_fprog program = program_of(for_fenced);
    const long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                  SECCOMP_FILTER_FLAG_NEW_LISTENER | wait_killable, &program);
    if (listener < 0) fail("seccomp", errno);
    return static_cast<int>(listener);
}

void restrict_calls_of_git(bool network, bool unix_sockets) {
    // A tree may give a file any mode, which libgit2 passes on.
    refuse_set_id_bits();
    if (!network) return load(for_git);
    if (unix_sockets) return load(for_git_with_network_and_unix_sockets);
    load(for_git_with_network);
}

}  // namespace chorus::sandbox
