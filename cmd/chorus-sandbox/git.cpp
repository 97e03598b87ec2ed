#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr int socket_of_git = 3;
constexpr int program_of_git = 4;

// Keeps only these two and stdin, stdout and stderr.
void arrange_descriptors(const Options& options) {
    const int socket = fcntl(options.socket, F_DUPFD_CLOEXEC, program_of_git + 1);
    const int program = fcntl(options.program_fd, F_DUPFD_CLOEXEC, program_of_git + 1);
    if (dup2(socket, socket_of_git) < 0 || dup3(program, program_of_git, O_CLOEXEC) < 0)
        fail("descriptors", errno);
    if (syscall(SYS_close_range, program_of_git + 1, ~0U, 0) != 0) fail("close_range", errno);
}

}  // namespace

void become_git(const Options& options, char* const* environment) {
    if (!options.mounted) {
        follow_no_link_beneath(options.writable);
        restrict_files_of_git(options);
    }
    arrange_descriptors(options);
    restrict_calls_of_git(options.network, options.unix_sockets);
    syscall(SYS_execveat, program_of_git, "", options.command, environment, AT_EMPTY_PATH);
    fail(options.command[0], errno);
}

}  // namespace chorus::sandbox
