#include "probes.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>

namespace escape {
namespace {

constexpr const char* bits_file = ".probe";
constexpr mode_t setuid_mode = 04755;
constexpr mode_t setgid_mode = 02755;
constexpr long fchmodat2_number = 452;
constexpr const char* planted = "[core]\n\tfsmonitor = planted\n";

void tell(const std::string& what) {
    printf("WORKED %s\n", what.c_str());
    fflush(stdout);
}

// In a child, because some calls are answered with a signal.
void in_child(const std::function<void()>& act) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        act();
        fflush(stdout);
        _exit(0);
    }
    if (pid > 0) waitpid(pid, nullptr, 0);
}

#ifdef __x86_64__
// chmod as a program of 32 bits calls it; the path must lie below 4 GiB.
void old_chmod(const char* path, mode_t mode) {
    constexpr int number = 15;
    int result = number;
    asm volatile("int $0x80"
                 : "+a"(result)
                 : "b"(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(path))), "c"(mode)
                 : "memory");
}
#endif

}  // namespace

void Probes::try_all() const {
    if (chdir(directory_.c_str()) != 0) return;
    try_bits();
    try_foreign_calls();
    try_files();
    try_descriptors();
    try_processes();
    try_name_spaces();
    plant_in_kept_directories();
    if (reach_ == Reach::guarded) try_protected();
    unlink(bits_file);
}

void Probes::look_for_bits(const char* how) const {
    struct stat status {};
    if (lstat(bits_file, &status) != 0) return;
    const bool has_bits = (status.st_mode & (S_ISUID | S_ISGID)) != 0;
    if (has_bits) tell(std::string("a file has a setuid or setgid bit: ") + how);
    // the driver is to see what was left, too
    if (has_bits) renameat2(AT_FDCWD, bits_file, AT_FDCWD, ".probe-with-bits", 0);
    unlink(bits_file);
}

void Probes::try_bits() const {
    const auto with_file = [this](const char* how, const std::function<void(int)>& act) {
        const Fd file(open(bits_file, O_RDWR | O_CREAT | O_NOFOLLOW, 0755));
        act(file.get());
        look_for_bits(how);
    };
    for (const mode_t mode : {setuid_mode, setgid_mode, setuid_mode | setgid_mode}) {
        with_file("chmod", [&](int) { chmod(bits_file, mode); });
        with_file("fchmod", [&](int fd) { fchmod(fd, mode); });
        with_file("fchmodat", [&](int) { fchmodat(AT_FDCWD, bits_file, mode, 0); });
        with_file("fchmodat2",
                  [&](int) { syscall(fchmodat2_number, AT_FDCWD, bits_file, mode, 0); });
        with_file("fchmodat2 of a descriptor",
                  [&](int fd) { syscall(fchmodat2_number, fd, "", mode, AT_EMPTY_PATH); });
        // what the kernel does not look at may not hide what it does look at
        with_file("chmod with high bits",
                  [&](int) { syscall(SYS_chmod, bits_file, mode | 0xffff0000UL); });
        with_file("fchmod with high bits",
                  [&](int fd) { syscall(SYS_fchmod, fd, mode | 0xdead00000000UL); });
        const int makes = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
        Fd made(open(bits_file, makes, mode));
        look_for_bits("open");
        made = Fd(openat(AT_FDCWD, bits_file, makes, mode));
        look_for_bits("openat");
        made = Fd(static_cast<int>(syscall(SYS_open, bits_file, makes, mode)));
        look_for_bits("open by its number");
        made = Fd(creat(bits_file, mode));
        look_for_bits("creat");
        open_how how{};
        how.flags = static_cast<std::uint64_t>(makes);
        how.mode = mode;
        made = Fd(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, bits_file, &how, sizeof how)));
        look_for_bits("openat2");
        mknod(bits_file, S_IFREG | mode, 0);
        look_for_bits("mknod");
        mknodat(AT_FDCWD, bits_file, S_IFREG | mode, 0);
        look_for_bits("mknodat");
        made = Fd(open(".", O_TMPFILE | O_RDWR, mode));
        if (made) {
            const std::string path = "/proc/self/fd/" + std::to_string(made.get());
            linkat(AT_FDCWD, path.c_str(), AT_FDCWD, bits_file, AT_SYMLINK_FOLLOW);
        }
        look_for_bits("O_TMPFILE");
    }
    with_file("setcap", [](int fd) {
        vfs_cap_data capability{};
        capability.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
        capability.data[0].permitted = 0xffffffffU;
        if (fsetxattr(fd, "security.capability", &capability, sizeof capability, 0) == 0)
            tell("a file has capabilities");
    });
}

void Probes::try_foreign_calls() const {
#ifdef __x86_64__
    void* const low =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (low == MAP_FAILED) return;
    std::strcpy(static_cast<char*>(low), bits_file);
    const Fd file(open(bits_file, O_RDWR | O_CREAT | O_NOFOLLOW, 0755));
    in_child([&] { old_chmod(static_cast<const char*>(low), setuid_mode); });
    constexpr long x32_bit = 0x40000000;
    in_child([&] { syscall(x32_bit + SYS_chmod, bits_file, setuid_mode); });
    look_for_bits("calls of another architecture");
    munmap(low, 4096);
#endif
}

void Probes::try_files() const {
    for (const std::string& path : outside_.files) {
        if (Fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))) {
            tell("reads " + path);
            const std::string text = text_of(AT_FDCWD, path);
            fwrite(text.data(), 1, text.size(), stdout);
        }
        if (Fd(open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC)))
            tell("opens for writing " + path);
        if (link(path.c_str(), ".probe-link") == 0) tell("links " + path);
        if (chmod(path.c_str(), 0777) == 0) tell("changes the mode of " + path);
        if (utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0) tell("changes the time of " + path);
    }
    for (const std::string& path : outside_.directories)
        if (Fd(open((path + "/probe").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)))
            tell("makes a file in " + path);
    for (const char* path : {"/etc/probe", "/usr/probe", "/proc/sys/kernel/core_pattern", "/probe",
                             "/proc/sysrq-trigger"})
        if (Fd(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)))
            tell(std::string("opens for writing ") + path);
    mknod(".probe-node", S_IFCHR | 0666, (1U << 8) | 5U);
    if (Fd(open(".probe-node", O_RDONLY | O_CLOEXEC))) tell("makes a device");
    unlink(".probe-node");
}

// Beyond the three that every command has there should be nothing to get at.
void Probes::try_descriptors() const {
    for (int fd = 3; fd < 256; ++fd) {
        struct stat status {};
        if (fstat(fd, &status) != 0 || (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) continue;
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        if (S_ISDIR(status.st_mode)) tell("has a descriptor of a directory");
        if (S_ISREG(status.st_mode) && Fd(open(path.c_str(), O_WRONLY | O_CLOEXEC)))
            tell("writes through " + path);
    }
    for (const char* path : {"/proc/1/exe", "/proc/self/exe"}) {
        std::array<char, 4096> target{};
        const ssize_t size = readlink(path, target.data(), target.size() - 1);
        if (size > 0 && Fd(open(path, O_WRONLY | O_CLOEXEC)))
            tell(std::string("writes ") + path + ", which is " + target.data());
    }
    for (const char* path : {"/proc/1/root", "/proc/1/cwd"}) {
        for (const std::string& file : outside_.files)
            if (Fd(open((path + file).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)))
                tell("reads " + (path + file));
    }
}

void Probes::try_processes() const {
    for (const pid_t pid : {1, getppid()}) {
        if (pid <= 0) continue;
        if (ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0) tell("traces its parent");
        char byte = 0;
        iovec local{&byte, 1};
        iovec remote{reinterpret_cast<void*>(0x400000), 1};
        if (process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1) tell("reads its parent's memory");
        const std::string memory = "/proc/" + std::to_string(pid) + "/mem";
        if (pid == 1 && Fd(open(memory.c_str(), O_RDWR | O_CLOEXEC))) tell("opens " + memory);
    }
}

void Probes::try_name_spaces() const {
    in_child([] {
        if (unshare(CLONE_NEWUSER) == 0) tell("has a user name space of its own");
        if (unshare(CLONE_NEWNS) == 0) tell("has a mount name space of its own");
    });
    in_child([this] {
        const std::string from = outside_.directories.front();
        if (mount(from.c_str(), directory_.c_str(), nullptr, MS_BIND, nullptr) == 0) tell("mounts");
        if (mount("none", directory_.c_str(), "tmpfs", 0, nullptr) == 0) tell("mounts");
    });
}

// What a later command, or Chorus for it, makes there again would be made outside.
void Probes::plant_in_kept_directories() const {
    for (const char* variable : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME"}) {
        const char* const directory = getenv(variable);
        if (directory == nullptr || directory == directory_) continue;
        for (const char* name : {"git", "pip", "npm", "cargo", "go-build", ".config", ".cache"}) {
            const std::string path = std::string(directory) + "/" + name;
            symlinkat(outside_.directories.front().c_str(), AT_FDCWD, path.c_str());
        }
    }
}

void Probes::try_protected() const {
    for (const char* name : {".git/config", ".git/hooks/post-checkout", ".git/info/exclude",
                             ".git/commondir", ".git/config.worktree", ".git/modules/x"}) {
        const Fd file(open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0755));
        if (!file) continue;
        tell(std::string("writes ") + name);
        if (write(file.get(), planted, std::strlen(planted)) < 0) return;
    }
    for (const char* name : {".git", ".git/config", ".git/hooks", ".git/commondir"})
        if (rename(name, ".probe-moved") == 0) {
            tell(std::string("moves ") + name);
            rename(".probe-moved", name);
        }
}

}  // namespace escape
