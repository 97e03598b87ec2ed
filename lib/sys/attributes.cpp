#include "sys/attributes.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace chorus::sys {
namespace {

constexpr const char* access_acl = "system.posix_acl_access";
constexpr const char* default_acl = "system.posix_acl_default";
constexpr std::array<std::string_view, 3> of_one_content{"security.capability", "security.evm",
                                                         "security.ima"};

// Reads a value or a list of names. `read` fills the buffer that it is given; with a size of 0 it
// returns the size needed.
template <typename Read>
std::optional<std::string> read_all(Read read) {
    for (;;) {
        const ssize_t size = read(nullptr, 0);
        if (size < 0) return std::nullopt;
        std::string text(static_cast<std::size_t>(size), '\0');
        const ssize_t filled = size == 0 ? 0 : read(text.data(), text.size());
        if (filled < 0 && errno == ERANGE) continue;
        if (filled < 0) return std::nullopt;
        text.resize(static_cast<std::size_t>(filled));
        return text;
    }
}

std::optional<std::string> value_of(int fd, const std::string& name) {
    return read_all(
        [&](char* room, std::size_t size) { return fgetxattr(fd, name.c_str(), room, size); });
}

std::string problem(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

std::string take_owner(const struct stat& from, int to) {
    struct stat made {};
    if (fstat(to, &made) != 0) return problem("its owner");
    if (from.st_uid == made.st_uid && from.st_gid == made.st_gid) return {};
    if (fchown(to, from.st_uid, from.st_gid) == 0) return {};
    return from.st_uid != made.st_uid ? problem("its owner") : problem("its group");
}

std::string take_extended(int from, int to) {
    const auto list =
        read_all([&](char* room, std::size_t size) { return flistxattr(from, room, size); });
    if (!list) return errno == ENOTSUP ? "" : problem("its extended attributes");
    bool has_acl = false;
    for (const std::string_view view : base::split(*list, '\0')) {
        const std::string name(view);
        has_acl = has_acl || name == access_acl;
        if (name.empty() || std::count(of_one_content.begin(), of_one_content.end(), view) > 0)
            continue;
        const std::string shown =
            name == access_acl ? "its ACL" : base::visible(name, base::Newlines::escape);
        const auto value = value_of(from, name);
        if (!value) return problem(shown);
        if (value_of(to, name) == value) continue;
        if (fsetxattr(to, name.c_str(), value->data(), value->size(), 0) != 0)
            return problem(shown);
    }
    // an ACL that the new file took from the directory's default ACL
    if (!has_acl && value_of(to, access_acl) && fremovexattr(to, access_acl) != 0)
        return problem("its ACL");
    return {};
}

}  // namespace

std::string take_attributes(int from, int to) {
    struct stat status {};
    if (fstat(from, &status) != 0) return problem("its mode");
    if (std::string lost = take_owner(status, to); !lost.empty()) return lost;
    if (std::string lost = take_extended(from, to); !lost.empty()) return lost;
    return fchmod(to, status.st_mode & 0777U) == 0 ? "" : problem("its mode");
}

bool settle_mode(int directory, int made, unsigned mode, unsigned mask) {
    if (fgetxattr(directory, default_acl, nullptr, 0) >= 0) return true;
    struct stat status {};
    if (fstat(made, &status) != 0) return false;
    // the set-group-id bit comes from the directory
    const mode_t wanted = (status.st_mode & 07000U) | (mode & ~mask & 0777U);
    return (status.st_mode & 07777U) == wanted || fchmod(made, wanted) == 0;
}

}  // namespace chorus::sys
