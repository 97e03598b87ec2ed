#include "alone.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "ground.hpp"

namespace escape {
namespace {

constexpr std::array mounted{".git/objects", ".git/refs", ".git/logs", "a", "a/b"};

bool write_line(const char* path, const std::string& line) {
    const Fd file(open(path, O_WRONLY | O_CLOEXEC));
    return file && write(file.get(), line.data(), line.size()) > 0;
}

bool leave_name_spaces() {
    const uid_t user = getuid();
    const gid_t group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_line("/proc/self/setgroups", "deny");
    return write_line("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
           write_line("/proc/self/gid_map", "0 " + std::to_string(group) + " 1") &&
           mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

[[noreturn]] void mount_for_ever(const std::string& path,
                                 const std::vector<std::string>& directories, int told) {
    Ground ground(path);
    const bool stands = leave_name_spaces() && ground.stand();
    if (write(told, stands ? "y" : "n", 1) != 1 || !stands) _exit(0);
    Random random(static_cast<std::uint64_t>(getpid()));
    for (;;) {
        const Spot spot = ground.spot(std::string(mounted[random() % mounted.size()]) + "/x");
        if (spot.directory) {
            const std::string target = "/proc/self/fd/" + std::to_string(spot.directory.get());
            if (random() % 2 == 0)
                mount("none", target.c_str(), "tmpfs", 0, nullptr);
            else
                mount(directories[random() % directories.size()].c_str(), target.c_str(), nullptr,
                      MS_BIND, nullptr);
            usleep(random() % 2'000);
            umount2((path + "/" + spot.path.substr(0, spot.path.size() - 2)).c_str(),
                    MNT_DETACH | UMOUNT_NOFOLLOW);
        }
        usleep(random() % 2'000);
    }
}

}  // namespace

void keep_to(const std::string& directory) {
    constexpr std::uint64_t writes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                                     LANDLOCK_ACCESS_FS_REFER;
    const landlock_ruleset_attr attributes{writes};
    const Fd rules(
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
    const Fd place(open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!rules || !place) return;
    const landlock_path_beneath_attr beneath{writes, place.get()};
    if (syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
        return;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_landlock_restrict_self, rules.get(), 0);
}

pid_t mount_over(const std::string& ground, const std::vector<std::string>& directories) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        mount_for_ever(ground, directories, ends[1]);
    }
    char answer = 'n';
    if (pid < 0 || read(ends[0], &answer, 1) != 1) answer = 'n';
    close(ends[0]);
    close(ends[1]);
    return answer == 'y' ? pid : -1;
}

}  // namespace escape
