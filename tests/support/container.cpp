// container [--without-landlock] COMMAND [ARGUMENT]...: runs it as Docker's default filter has it,
// without name spaces and mounts.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

constexpr unsigned landlock_create_ruleset = 444;
constexpr unsigned name_spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

std::vector<sock_filter> filter(bool without_landlock) {
    std::vector<sock_filter> code{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    const auto refuse = [&](unsigned number, unsigned error) {
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
    };
    for (const unsigned number : {SYS_unshare, SYS_setns, SYS_mount, SYS_open_tree})
        refuse(number, EPERM);
    refuse(SYS_clone3, ENOSYS);
    if (without_landlock) refuse(landlock_create_ruleset, ENOSYS);
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, name_spaces, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    const bool without_landlock = argc > 1 && std::string_view(argv[1]) == "--without-landlock";
    char** const command = argv + (without_landlock ? 2 : 1);
    if (argc < (without_landlock ? 3 : 2)) return 2;
    std::vector<sock_filter> code = filter(without_landlock);
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        std::perror("container");
        return 2;
    }
    execvp(command[0], command);
    std::perror(command[0]);
    return 127;
}
