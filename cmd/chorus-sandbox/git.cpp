#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr int socket_of_git = 3;
constexpr int program_of_git = 4;

// These two and stdin, stdout and stderr are all that is left.
void arrange_descriptors(const GitMode& git) {
    const int socket = fcntl(git.socket, F_DUPFD_CLOEXEC, program_of_git + 1);
    const int program = fcntl(git.program, F_DUPFD_CLOEXEC, program_of_git + 1);
    if (dup2(socket, socket_of_git) < 0 || dup3(program, program_of_git, O_CLOEXEC) < 0)
        fail("descriptors", errno);
    if (syscall(SYS_close_range, program_of_git + 1, ~0U, 0) != 0) fail("close_range", errno);
}

bool write_text(const char* path, const std::string& text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool is_written =
        write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    return is_written;
}

bool enter_own_user() {
    const std::string user = std::to_string(geteuid());
    const std::string group = std::to_string(getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_text("/proc/self/uid_map", user + " " + user + " 1") &&
           write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/gid_map", group + " " + group + " 1");
}

// Some systems let everybody have a user namespace and nobody a use of it. There is no way back
// from that, so that another process goes first.
bool can_enter_own_user() {
    const pid_t child = fork();
    if (child == 0) _exit(enter_own_user() ? 0 : 1);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// As root a view of one's own is enough; else it takes a user namespace.
bool get_own_mounts() {
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0) return true;
    if (!can_enter_own_user()) return false;
    if (!enter_own_user()) fail("user namespace", errno);
    return true;
}

// The same directory in the view of one's own: what was opened before belongs to the other one. -1
// where another one has come to lie at its path. Descriptors are closed with all others.
int opened_again(const char* directory) {
    char path[PATH_MAX];
    const ssize_t size = readlink(directory, path, sizeof path - 1);
    if (size < 0) return open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    path[size] = '\0';
    const int found = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat wanted {};
    struct stat status {};
    const bool is_same = stat(directory, &wanted) == 0 && fstat(found, &status) == 0 &&
                         wanted.st_dev == status.st_dev && wanted.st_ino == status.st_ino;
    return is_same ? found : -1;
}

void mount_without_links(const char* directory) {
    const int place = opened_again(directory);
    const long tree = syscall(SYS_open_tree, place, "",
                              OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSYMFOLLOW;
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                sizeof attributes) == 0)
        syscall(SYS_move_mount, tree, "", place, "",
                MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

}  // namespace

// An exchanged directory would else let a tool write where Landlock lets it and a command may not:
// hooks and configuration of the repository.
void follow_no_link_beneath(const std::vector<const char*>& directories) {
    if (!get_own_mounts()) return;
    if (mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    for (const char* directory : directories) mount_without_links(directory);
}

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
