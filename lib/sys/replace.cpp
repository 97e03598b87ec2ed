#include "sys/replace.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

constexpr int most_writers = 64;  // at once in one directory

// Whether `name` is the open file; nothing where that is unknown.
std::optional<bool> stands_for(int directory, const std::string& name, const Fd& fd) {
    const auto named = link_status(directory, name);
    if (!named) return errno == ENOENT ? std::optional(false) : std::nullopt;
    const auto opened = opened_status(fd);
    if (!opened) return std::nullopt;
    return is_same_inode(*named, *opened);
}

constexpr std::string_view temporary_head = ".chorus-write-";
constexpr std::string_view temporary_tail = ".tmp";

std::string numbered(int number) {
    return std::string(temporary_head) + std::to_string(number) + std::string(temporary_tail);
}

Fd open_temporary(int directory, const std::string& name) {
    return Fd(openat(directory, name.c_str(), read_only | O_NOFOLLOW));
}

// A writer holds the lock of its temporary, which the kernel frees with the process: a file that
// can be locked was left by a killed process. It is locked on return.
bool is_leftover(int directory, const std::string& name, const Fd& fd) {
    const auto status = opened_status(fd);
    return status && S_ISREG(status->st_mode) && flock(fd.get(), LOCK_EX | LOCK_NB) == 0 &&
           stands_for(directory, name, fd).value_or(false);
}

// Returns false where there is no such file.
bool remove_leftover(int directory, const std::string& name) {
    const Fd fd = open_temporary(directory, name);
    if (!fd) return errno != ENOENT;
    if (is_leftover(directory, name, fd)) unlinkat(directory, name.c_str(), 0);
    return true;
}

// Unlinks itself unless it was renamed. Its name is the first free number, so that the next write
// in a directory finds leftovers without listing it. It is not derived from the file's name, which
// may already be as long as a name can be.
class Temporary {
  public:
    explicit Temporary(int directory) : directory_(directory) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        const int kept = errno;
        if (!name_.empty()) unlinkat(directory_, name_.c_str(), 0);
        errno = kept;
    }

    int fd() const { return fd_.get(); }
    const std::string& name() const { return name_; }
    bool open_with(const Making& making) {
        return create(making.mode) && (!making.prepare || making.prepare(fd_.get()));
    }
    bool put_in_place(const std::string& name, Existing existing) {
        return fsync(fd_.get()) == 0 && rename_to(name, existing) && fsync(directory_) == 0;
    }

  private:
    bool create(unsigned mode);
    bool rename_to(const std::string& name, Existing existing) {
        const unsigned flags = existing == Existing::refuse ? RENAME_NOREPLACE : 0;
        if (renameat2(directory_, name_.c_str(), directory_, name.c_str(), flags) != 0)
            return false;
        name_.clear();
        return true;
    }
    bool take(std::string name, unsigned mode);

    int directory_;
    std::string name_;
    Fd fd_;
};

bool Temporary::take(std::string name, unsigned mode) {
    Fd fd(openat(directory_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 mode));
    if (!fd) return false;
    // Before it was locked it looked like a leftover, so another process may have removed it.
    const bool locked = flock(fd.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    const std::optional<bool> is_own = locked ? stands_for(directory_, name, fd) : false;
    if (is_own == false) {
        errno = EEXIST;
        return false;
    }
    fd_ = std::move(fd);
    name_ = std::move(name);
    return is_own.has_value();
}

bool Temporary::create(unsigned mode) {
    int number = 0;
    for (; number < most_writers && !take(numbered(number), mode); ++number) {
        if (errno != EEXIST) return false;
        remove_leftover(directory_, numbered(number));
        if (take(numbered(number), mode)) break;
        if (errno != EEXIST) return false;
    }
    // Several processes may have been killed at once.
    while (++number < most_writers && remove_leftover(directory_, numbered(number))) continue;
    errno = EEXIST;
    return static_cast<bool>(fd_);
}

}  // namespace

Making with_mode(unsigned mode) {
    return {0600, [mode](int fd) { return fchmod(fd, mode) == 0; }};
}

bool is_temporary(std::string_view name) {
    return name.starts_with(temporary_head) && name.ends_with(temporary_tail);
}

void remove_temporaries_at(int directory) {
    for (int number = 0; number < most_writers; ++number)
        remove_leftover(directory, numbered(number));
}

void remove_temporaries(const std::string& directory) {
    const Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) remove_temporaries_at(fd.get());
}

std::vector<std::string> leftover_temporaries(const std::string& directory) {
    std::vector<std::string> names;
    const Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int number = 0; fd && number < most_writers; ++number) {
        const std::string name = numbered(number);
        const Fd file = open_temporary(fd.get(), name);
        if (file && is_leftover(fd.get(), name, file)) names.push_back(name);
    }
    return names;
}

Fill content_of(std::string_view content) {
    return [content](const std::string&, int fd) { return try_write_all(fd, content); };
}

bool fill_at(int directory, const std::string& name, const Fill& fill, const Making& making,
             Existing existing) {
    Temporary temporary(directory);
    return temporary.open_with(making) && fill(temporary.name(), temporary.fd()) &&
           temporary.put_in_place(name, existing);
}

namespace {

constexpr const char* access_acl = "system.posix_acl_access";
constexpr const char* default_acl = "system.posix_acl_default";
constexpr std::array<std::string_view, 3> of_one_content{"security.capability", "security.evm",
                                                         "security.ima"};

// Returns the value of an attribute, or for a null name the list of names. The kernel has no longer
// ones.
std::optional<std::string> value_of(int fd, const char* name) {
    Buffer room;
    static_assert(Buffer::size() >= XATTR_SIZE_MAX && Buffer::size() >= XATTR_LIST_MAX);
    const ssize_t size = name != nullptr ? fgetxattr(fd, name, room.data(), Buffer::size())
                                         : flistxattr(fd, room.data(), Buffer::size());
    if (size < 0) return std::nullopt;
    return std::string(room.data(), static_cast<std::size_t>(size));
}

std::string problem(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

std::string take_owner(const struct stat& from, int to) {
    const auto made = opened_status(to);
    if (!made) return problem("its owner");
    if (from.st_uid == made->st_uid && from.st_gid == made->st_gid) return {};
    if (fchown(to, from.st_uid, from.st_gid) == 0) return {};
    return from.st_uid != made->st_uid ? problem("its owner") : problem("its group");
}

std::string take_extended(int from, int to) {
    const auto list = value_of(from, nullptr);
    if (!list) return errno == ENOTSUP ? "" : problem("its extended attributes");
    bool has_acl = false;
    for (const std::string_view view : base::split(*list, '\0')) {
        const std::string name(view);
        has_acl = has_acl || name == access_acl;
        if (name.empty() || std::count(of_one_content.begin(), of_one_content.end(), view) > 0)
            continue;
        const std::string shown =
            name == access_acl ? "its ACL" : base::visible(name, base::Newlines::escape);
        const auto value = value_of(from, name.c_str());
        if (!value) return problem(shown);
        if (value_of(to, name.c_str()) == value) continue;
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
    const auto status = opened_status(from);
    if (!status) return problem("its mode");
    if (std::string lost = take_owner(*status, to); !lost.empty()) return lost;
    if (std::string lost = take_extended(from, to); !lost.empty()) return lost;
    return fchmod(to, status->st_mode & 0777U) == 0 ? "" : problem("its mode");
}

bool settle_mode(int directory, int made, unsigned mode, unsigned mask) {
    if (fgetxattr(directory, default_acl, nullptr, 0) >= 0) return true;
    const auto status = opened_status(made);
    if (!status) return false;
    // the set-group-id bit comes from the directory
    const mode_t wanted = (status->st_mode & 07000U) | (mode & ~mask & 0777U);
    return (status->st_mode & 07777U) == wanted || fchmod(made, wanted) == 0;
}

}  // namespace chorus::sys
