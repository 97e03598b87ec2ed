// Landlock, landlock(7). Declared here because the headers of Debian 12 are older than its kernels.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr long create_ruleset = 444;  // the same on all architectures
constexpr long add_rule = 445;
constexpr long restrict_self = 446;
constexpr unsigned version_flag = 1;
constexpr int path_beneath = 1;

struct RulesetAttributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;
};
struct __attribute__((packed)) PathBeneath {
    std::uint64_t access = 0;
    std::int32_t directory = -1;
};

enum Access : std::uint64_t {
    execute = 1U << 0,
    write_file = 1U << 1,
    read_file = 1U << 2,
    read_directory = 1U << 3,
    make_character_device = 1U << 6,
    make_block_device = 1U << 11,
    first_version = (1U << 13) - 1,
    refer = 1U << 13,
    truncate_file = 1U << 14,
    device_ioctl = 1U << 15,
};
constexpr std::uint64_t of_files = execute | write_file | read_file | truncate_file | device_ioctl;
constexpr std::uint64_t reading = execute | read_file | read_directory;
constexpr std::uint64_t writing = (first_version | refer | truncate_file) &
                                  ~std::uint64_t{make_character_device | make_block_device};
constexpr std::uint64_t scope_abstract_sockets = 1U << 0;
constexpr std::uint64_t scope_signals = 1U << 1;

std::uint64_t handled_files(int version) {
    std::uint64_t all = first_version | refer;
    if (version >= 3) all |= truncate_file;
    if (version >= 5) all |= device_ioctl;
    return all;
}

// Paths that the loader and the C library read. /proc/self shows this process alone.
constexpr std::array system_files{"/usr",      "/lib",         "/lib32",
                                  "/lib64",    "/libx32",      "/etc/ld.so.cache",
                                  "/dev/null", "/dev/urandom", "/proc/self"};

// Devices without effect on other processes. Not /dev/pts, which may hold the user's terminal.
constexpr std::array plain_devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                   "/dev/urandom"};

void allow_open(int ruleset, int fd, std::uint64_t access) {
    struct stat status {};
    if (fstat(fd, &status) != 0) fail("landlock", errno);
    const PathBeneath rule{S_ISDIR(status.st_mode) ? access : access & of_files, fd};
    if (syscall(add_rule, ruleset, path_beneath, &rule, 0U) != 0) fail("landlock", errno);
}

void allow(int ruleset, const char* path, std::uint64_t access) {
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) fail(path, errno);
    allow_open(ruleset, fd, access);
    close(fd);
}

long landlock_version() {
    return syscall(create_ruleset, nullptr, 0UL, version_flag);
}

int make_ruleset(long version) {
    const RulesetAttributes attributes{handled_files(static_cast<int>(version)), 0,
                                       version >= 6 ? scope_abstract_sockets | scope_signals : 0};
    const int ruleset =
        static_cast<int>(syscall(create_ruleset, &attributes, sizeof attributes, 0U));
    if (ruleset < 0) fail("landlock", errno);
    return ruleset;
}

// Allows reading `path` except what is hidden. Rules can only allow, so each sibling of a hidden
// entry gets a rule of its own. Links are skipped, because they may lead to what is hidden.
void allow_but(int ruleset, int place, const std::string& path,
               const std::vector<const char*>& hidden) {
    const auto is_hidden = [&](const char* each) { return is_beneath(path, each); };
    const auto holds_hidden = [&](const char* each) { return is_beneath(each, path); };
    if (std::any_of(hidden.begin(), hidden.end(), is_hidden)) return;
    if (std::none_of(hidden.begin(), hidden.end(), holds_hidden))
        return allow_open(ruleset, place, reading);
    allow_open(ruleset, place, read_directory);
    const int readable = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = readable < 0 ? nullptr : fdopendir(readable);
    while (const dirent* entry = entries != nullptr ? readdir(entries) : nullptr) {
        const std::string name = entry->d_name;
        if (name == "." || name == ".." || entry->d_type == DT_LNK) continue;
        const int fd = openat(place, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) continue;  // gone, or this user may not enter it
        allow_but(ruleset, fd, (path == "/" ? "" : path) + "/" + name, hidden);
        close(fd);
    }
    if (entries != nullptr) closedir(entries);
}

void allow_readable(int ruleset, const char* name, std::vector<const char*> hidden) {
    const int fd = open(name, O_PATH | O_CLOEXEC);
    if (fd < 0) return;
    const std::string path = target_of(name_of(fd).c_str());
    if (path.empty()) fail(name, errno);
    // Reading everything does not include devices.
    if (path == "/") hidden.push_back("/dev");
    allow_but(ruleset, fd, path, hidden);
    close(fd);
}

}  // namespace

int restrict_files_of_fenced(const FenceOptions& options) {
    const long version = landlock_version();
    // ABI 1 cannot allow moving a file to another directory. truncate(2), which ABI 2 does not
    // govern, is left to the system call filter.
    if (version < 2) fail("landlock", ENOSYS);
    const std::uint64_t handled = handled_files(static_cast<int>(version));
    const int ruleset = make_ruleset(version);
    for (const char* name : options.readable) allow_readable(ruleset, name, options.hidden);
    for (const char* name : options.writable) allow(ruleset, name, (reading | writing) & handled);
    allow(ruleset, "/proc", read_file | read_directory);
    for (const char* device : plain_devices)
        if (access(device, F_OK) == 0)
            allow(ruleset, device, (read_file | write_file | device_ioctl) & handled);
    // Lets the command open again a log that it writes to, as /dev/stdout.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        struct stat status {};
        if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
            allow_open(ruleset, fd, fd == STDIN_FILENO ? read_file : write_file);
    }
    if (syscall(restrict_self, ruleset, 0U) != 0) fail("landlock", errno);
    close(ruleset);
    return static_cast<int>(version);
}

int restrict_files(const std::vector<const char*>& writable) {
    const long version = landlock_version();
    // ABI 1 cannot allow moving a file to another directory.
    if (version < 2) return 0;
    const std::uint64_t handled = handled_files(static_cast<int>(version));
    const int ruleset = make_ruleset(version);
    allow(ruleset, "/", reading);
    for (const char* directory : writable) allow(ruleset, directory, (reading | writing) & handled);
    allow(ruleset, "/dev", (reading | write_file | device_ioctl) & handled);
    allow(ruleset, "/dev/shm", (reading | writing) & handled);
    if (syscall(restrict_self, ruleset, 0U) != 0) fail("landlock", errno);
    close(ruleset);
    return static_cast<int>(version);
}

void restrict_files_to(const std::vector<const char*>& writable,
                       const std::vector<const char*>& readable, int program) {
    const long version = landlock_version();
    // ABI 1 cannot allow moving a file to another directory. truncate(2), which ABI 2 does not
    // govern, is left to the system call filter.
    if (version < 2) fail("landlock", ENOSYS);
    const std::uint64_t handled = handled_files(static_cast<int>(version));
    const int ruleset = make_ruleset(version);
    allow_open(ruleset, program, reading);
    for (const char* path : system_files)
        if (access(path, F_OK) == 0) allow(ruleset, path, reading);
    for (const char* path : readable) allow(ruleset, path, read_file | read_directory);
    for (const char* directory : writable)
        allow(ruleset, directory,
              (read_file | read_directory | writing) & handled & ~std::uint64_t{execute});
    if (syscall(restrict_self, ruleset, 0U) != 0) fail("landlock", errno);
    close(ruleset);
}

}  // namespace chorus::sandbox
