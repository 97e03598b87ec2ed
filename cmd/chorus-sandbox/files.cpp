// Landlock, landlock(7). Declared here because the headers of Debian 12 are older than its kernels.
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
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

// Paths that the loader and the C library read. /proc/self shows this process alone.
constexpr std::array system_files{"/usr",      "/lib",         "/lib32",
                                  "/lib64",    "/libx32",      "/etc/ld.so.cache",
                                  "/dev/null", "/dev/urandom", "/proc/self"};

// Devices without effect on other processes. Not /dev/pts, which may hold the user's terminal.
constexpr std::array plain_devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                   "/dev/urandom"};

int landlock_version() {
    return static_cast<int>(syscall(create_ruleset, nullptr, 0UL, version_flag));
}

class Ruleset {
  public:
    // ABI 1 cannot allow moving a file to another directory. truncate(2), which ABI 2 does not
    // govern, is left to the system call filter.
    explicit Ruleset(int version) : version_(version) {
        if (version < 2) fail("landlock", ENOSYS);
        if (version >= 3) handled_ |= truncate_file;
        if (version >= 5) handled_ |= device_ioctl;
        const RulesetAttributes attributes{
            handled_, 0, version >= 6 ? scope_abstract_sockets | scope_signals : 0};
        fd_ = static_cast<int>(syscall(create_ruleset, &attributes, sizeof attributes, 0U));
        if (fd_ < 0) fail("landlock", errno);
    }
    ~Ruleset() { close(fd_); }
    Ruleset(const Ruleset&) = delete;
    Ruleset& operator=(const Ruleset&) = delete;

    void allow(int fd, std::uint64_t access) const {
        struct stat status {};
        if (fstat(fd, &status) != 0) fail("landlock", errno);
        if (!S_ISDIR(status.st_mode)) access &= of_files;
        const PathBeneath rule{access & handled_, fd};
        if (syscall(add_rule, fd_, path_beneath, &rule, 0U) != 0) fail("landlock", errno);
    }

    void allow(const char* path, std::uint64_t access) const {
        const int fd = open(path, O_PATH | O_CLOEXEC);
        if (fd < 0) fail(path, errno);
        allow(fd, access);
        close(fd);
    }

    void allow_if_there(const char* path, std::uint64_t access) const {
        if (::access(path, F_OK) == 0) allow(path, access);
    }

    void allow_reading_but(const char* name, std::vector<const char*> hidden) const {
        const int fd = open(name, O_PATH | O_CLOEXEC);
        if (fd < 0) return;
        const std::string path = target_of(name_of(fd).c_str());
        if (path.empty()) fail(name, errno);
        // what is named itself is read, also below something hidden
        std::erase_if(hidden,
                      [&](const char* each) { return path != each && is_beneath(path, each); });
        // Reading everything does not include devices.
        if (path == "/") hidden.push_back("/dev");
        allow_but(fd, path, hidden);
        close(fd);
    }

    // Returns the Landlock ABI.
    int enforce() const {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs", errno);
        if (syscall(restrict_self, fd_, 0U) != 0) fail("landlock", errno);
        return version_;
    }

  private:
    // Allows reading `path` except what is hidden. Rules can only allow, so each sibling of a
    // hidden entry gets a rule of its own. Links are skipped, because they may lead to what is
    // hidden.
    void allow_but(int place, const std::string& path,
                   const std::vector<const char*>& hidden) const {
        const auto is_hidden = [&](const char* each) { return is_beneath(path, each); };
        const auto holds_hidden = [&](const char* each) { return is_beneath(each, path); };
        if (std::any_of(hidden.begin(), hidden.end(), is_hidden)) return;
        if (std::none_of(hidden.begin(), hidden.end(), holds_hidden)) return allow(place, reading);
        allow(place, read_directory);
        const int readable = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR* const entries = readable < 0 ? nullptr : fdopendir(readable);
        while (const dirent* entry = entries != nullptr ? readdir(entries) : nullptr) {
            const std::string name = entry->d_name;
            if (name == "." || name == ".." || entry->d_type == DT_LNK) continue;
            const int fd = openat(place, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
            if (fd < 0) continue;  // gone, or this user may not enter it
            allow_but(fd, (path == "/" ? "" : path) + "/" + name, hidden);
            close(fd);
        }
        if (entries != nullptr) closedir(entries);
    }

    int version_;
    std::uint64_t handled_ = first_version | refer;
    int fd_ = -1;
};

}  // namespace

int restrict_files_of_fenced(const Options& options) {
    const Ruleset rules(landlock_version());
    for (const char* name : options.readable) rules.allow_reading_but(name, options.hidden);
    for (const char* name : options.writable) rules.allow(name, reading | writing);
    rules.allow("/proc", read_file | read_directory);
    for (const char* device : plain_devices)
        rules.allow_if_there(device, read_file | write_file | device_ioctl);
    // Lets the command open again a log that it writes to, as /dev/stdout.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        struct stat status {};
        if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
            rules.allow(fd, fd == STDIN_FILENO ? read_file : write_file);
    }
    return rules.enforce();
}

int restrict_files(const std::vector<const char*>& writable) {
    const int version = landlock_version();
    if (version < 2) return 0;
    const Ruleset rules(version);
    rules.allow("/", reading);
    for (const char* directory : writable) rules.allow(directory, reading | writing);
    rules.allow("/dev", reading | write_file | device_ioctl);
    rules.allow("/dev/shm", reading | writing);
    return rules.enforce();
}

void restrict_files_of_git(const Options& options) {
    const Ruleset rules(landlock_version());
    rules.allow(options.program_fd, reading);
    for (const char* path : system_files) rules.allow_if_there(path, reading);
    for (const char* path : options.readable) rules.allow(path, read_file | read_directory);
    for (const char* directory : options.writable)
        rules.allow(directory, (reading | writing) & ~std::uint64_t{execute});
    rules.enforce();
}

}  // namespace chorus::sandbox
