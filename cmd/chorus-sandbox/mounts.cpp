// Mounts by descriptor, in a mount namespace of this process: commands can change at any time where
// a path beneath a directory that they write leads.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

// Mounts a copy of `source` over `place`. The descriptors are closed on exec.
bool mount_over(int source, int place, std::uint64_t attributes, unsigned recursive) {
    const int tree =
        static_cast<int>(syscall(SYS_open_tree, source, "",
                                 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | recursive));
    mount_attr wanted{};
    wanted.attr_set = attributes;
    return syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | recursive, &wanted,
                   sizeof wanted) == 0 &&
           syscall(SYS_move_mount, tree, "", place, "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
}

// A device on a mount with nodev cannot be opened.
bool hide(int place) {
    struct stat status {};
    if (fstat(place, &status) != 0) return false;
    if (!S_ISDIR(status.st_mode))
        return mount_over(open("/dev/null", O_PATH | O_CLOEXEC), place,
                          MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV, 0);
    return mount("none", name_of(place).c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY,
                 "mode=0755") == 0;
}

[[noreturn]] void refuse_replaced(const Place& place) {
    fail((std::string(place.path) + " was replaced while it was mounted").c_str());
}

std::string identity_of(dev_t device, ino_t inode) {
    return std::to_string(device) + ":" + std::to_string(inode);
}

void mount_place(const Place& place) {
    open_how how{};
    how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS;
    const int fd = static_cast<int>(syscall(SYS_openat2, AT_FDCWD, place.path, &how, sizeof how));
    struct stat status {};
    if (fstat(fd, &status) != 0 || identity_of(status.st_dev, status.st_ino) != place.identity)
        refuse_replaced(place);
    const bool is_mounted =
        place.how == How::hidden
            ? hide(fd)
            : mount_over(fd, fd, place.how == How::read_only ? MOUNT_ATTR_RDONLY : 0, 0);
    if (!is_mounted) fail(place.path, errno);
    close(fd);
}

// Checks that something is mounted at the place and, except for a hidden one, what.
void require_mount(const Place& place) {
    struct statx status {};
    const int found = statx(AT_FDCWD, place.path, AT_SYMLINK_NOFOLLOW, STATX_INO, &status);
    const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
    if (found != 0 || (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0)
        fail((std::string(place.path) + ": nothing is mounted there").c_str());
    if (place.how != How::hidden && identity_of(device, status.stx_ino) != place.identity)
        refuse_replaced(place);
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

// Some systems let everybody make a user namespace but not use it. A process cannot leave one, so a
// child tries first.
bool can_enter_own_user() {
    const pid_t child = fork();
    if (child == 0) _exit(enter_own_user() ? 0 : 1);
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

// Root needs only a mount namespace, others also a user namespace.
bool get_own_mounts() {
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0) return true;
    if (!can_enter_own_user()) return false;
    if (!enter_own_user()) fail("user namespace", errno);
    return true;
}

// Opens the directory again in the new mount namespace: a descriptor opened before belongs to the
// old one. Returns -1 if another directory is at its path now.
int opened_again(const char* directory) {
    const std::string path = target_of(directory);
    if (path.empty()) return open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int found = open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat wanted {};
    struct stat status {};
    const bool is_same = stat(directory, &wanted) == 0 && fstat(found, &status) == 0 &&
                         wanted.st_dev == status.st_dev && wanted.st_ino == status.st_ino;
    return is_same ? found : -1;
}

}  // namespace

void mount_places(const std::vector<Place>& places) {
    const bool has_none = std::all_of(places.begin(), places.end(),
                                      [](const Place& place) { return place.how == How::bound; });
    if (!has_none && unshare(CLONE_NEWNS) != 0) fail("mount namespace", errno);
    for (const Place& place : places)
        if (place.how != How::bound) mount_place(place);
    for (const Place& place : places) require_mount(place);
    for (const unsigned long capability : {CAP_SYS_ADMIN, CAP_SETPCAP})
        if (prctl(PR_CAPBSET_DROP, capability) != 0) fail("capabilities", errno);
    give_up_capabilities();
}

// With no_new_privs, executing another program restores none.
void give_up_capabilities() {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs", errno);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
        syscall(SYS_capset, &header, none) != 0)
        fail("capabilities", errno);
}

// Otherwise a directory replaced by a link would let a tool write where Landlock allows it and
// commands may not write: hooks and configuration of the repository.
void follow_no_link_beneath(const std::vector<const char*>& directories) {
    if (!get_own_mounts()) return;
    if (mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    for (const char* directory : directories) {
        const int place = opened_again(directory);
        mount_over(place, place, MOUNT_ATTR_NOSYMFOLLOW, AT_RECURSIVE);
    }
}

}  // namespace chorus::sandbox
