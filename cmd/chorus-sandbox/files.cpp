// Landlock, landlock(7). Declared here because the headers of Debian 12 know less than its kernels.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

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

void allow(int ruleset, const char* directory, std::uint64_t access) {
    const int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail(directory, errno);
    const PathBeneath rule{access, fd};
    if (syscall(add_rule, ruleset, path_beneath, &rule, 0U) != 0) fail("landlock", errno);
    close(fd);
}

}  // namespace

int restrict_files(const std::vector<const char*>& writable) {
    const long version = syscall(create_ruleset, nullptr, 0UL, version_flag);
    // The first one cannot let a file be moved to another directory.
    if (version < 2) return 0;
    const std::uint64_t handled = handled_files(static_cast<int>(version));
    const RulesetAttributes attributes{handled, 0,
                                       version >= 6 ? scope_abstract_sockets | scope_signals : 0};
    const int ruleset =
        static_cast<int>(syscall(create_ruleset, &attributes, sizeof attributes, 0U));
    if (ruleset < 0) fail("landlock", errno);
    allow(ruleset, "/", reading);
    for (const char* directory : writable) allow(ruleset, directory, (reading | writing) & handled);
    allow(ruleset, "/dev", (reading | write_file | device_ioctl) & handled);
    allow(ruleset, "/dev/shm", (reading | writing) & handled);
    if (syscall(restrict_self, ruleset, 0U) != 0) fail("landlock", errno);
    close(ruleset);
    return static_cast<int>(version);
}

}  // namespace chorus::sandbox
