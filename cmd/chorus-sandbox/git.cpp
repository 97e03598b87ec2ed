#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr int socket_of_git = 3;
constexpr int program_of_git = 4;

// Keeps only these two and stdin, stdout and stderr.
void arrange_descriptors(const GitMode& git) {
    const int socket = fcntl(git.socket, F_DUPFD_CLOEXEC, program_of_git + 1);
    const int program = fcntl(git.program, F_DUPFD_CLOEXEC, program_of_git + 1);
    if (dup2(socket, socket_of_git) < 0 || dup3(program, program_of_git, O_CLOEXEC) < 0)
        fail("descriptors", errno);
    if (syscall(SYS_close_range, program_of_git + 1, ~0U, 0) != 0) fail("close_range", errno);
}

}  // namespace

void become_git(const GitMode& git, const std::vector<const char*>& writable,
                char* const* arguments, char* const* environment) {
    if (!git.mounted) follow_no_link_beneath(writable);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs", errno);
    if (!git.mounted) restrict_files_to(writable, git.readable, git.program);
    arrange_descriptors(git);
    restrict_calls_of_git(git.network, git.unix_sockets);
    syscall(SYS_execveat, program_of_git, "", arguments, environment, AT_EMPTY_PATH);
    fail(arguments[0], errno);
}

}  // namespace chorus::sandbox
