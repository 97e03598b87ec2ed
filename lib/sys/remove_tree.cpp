#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Gives the owner all permissions on a directory that is held by an O_PATH descriptor. fchmod(2)
// does not take one, and fchmodat(2) would follow a link put in its place.
void open_permissions(int path_only) {
    struct stat status {};
    if (fstat(path_only, &status) != 0) return;
    const std::string proc = "/proc/self/fd/" + std::to_string(path_only);
    chmod(proc.c_str(), (status.st_mode & 07777U) | 0700U);
}

Fd open_child(int directory, const std::string& name, int flags) {
    Fd fd = open_on_same_filesystem(directory, name, flags);
    if (fd || errno != EACCES) return fd;
    const Fd path_only =
        open_on_same_filesystem(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!path_only) return fd;
    open_permissions(path_only.get());
    return Fd(openat(path_only.get(), ".", flags));
}

// Goes down and up through the tree with one open directory at a time: its depth is unlimited (a
// command can nest directories without end), descriptors and the stack are limited.
class Removal {
  public:
    explicit Removal(const std::string& path, Links links = Links::inside)
        : path_(path), links_(links) {}
    // Returns false where something could not be removed; message() then says what and why.
    bool run();
    const std::string& message() const { return message_; }

  private:
    struct Level {
        std::string name;
        dev_t device = 0;
        ino_t inode = 0;
    };

    bool fail(std::string_view why);
    bool fail_at(const std::string& name = {});
    bool enter(Fd directory, const std::string& name);
    bool go_on_in(Fd directory);
    // Unlinks everything up to the first directory, which is returned in `found`; "" when nothing
    // is left.
    bool clear_until_directory(std::string& found);
    bool leave();
    bool clear();

    const std::string& path_;
    Links links_;
    std::string message_;
    std::vector<Level> levels_;
    DirectoryStream current_;
};

bool Removal::fail(std::string_view why) {
    message_ = "remove " + path_ + ": " + std::string(why);
    return false;
}

bool Removal::fail_at(const std::string& name) {
    const int why = errno;
    std::string at = path_;
    // Limits the message: a deep path can take megabytes.
    constexpr std::size_t most_bytes = 4096;
    for (std::size_t i = 1; i < levels_.size() && at.size() < most_bytes; ++i)
        at = join_path(at, levels_[i].name);
    if (!name.empty()) at = join_path(at, name);
    message_ = "remove " + at + ": " +
               (why == EXDEV ? "another file system is mounted there" : std::strerror(why));
    return false;
}

bool Removal::go_on_in(Fd directory) {
    current_ = stream_of(std::move(directory));
    return current_ != nullptr || fail_at();
}

bool Removal::enter(Fd directory, const std::string& name) {
    struct stat status {};
    if (!directory || fstat(directory.get(), &status) != 0) return fail_at(name);
    if ((status.st_mode & 0700U) != 0700U)
        fchmod(directory.get(), (status.st_mode & 07777U) | 0700U);
    levels_.push_back({name, status.st_dev, status.st_ino});
    return go_on_in(std::move(directory));
}

bool Removal::clear_until_directory(std::string& found) {
    found.clear();
    for (bool any = true; any;) {
        any = false;
        rewinddir(current_.get());
        while (const dirent* entry = next_entry(current_.get())) {
            any = true;
            found = entry->d_name;
            if (entry->d_type == DT_DIR) return true;
            if (unlinkat(dirfd(current_.get()), entry->d_name, 0) == 0 || errno == ENOENT) continue;
            return errno == EISDIR || fail_at(entry->d_name);
        }
        if (errno != 0) return fail_at();
    }
    found.clear();
    return true;
}

bool Removal::leave() {
    const std::string name = levels_.back().name;
    levels_.pop_back();
    const Level& above = levels_.back();
    Fd directory(openat(dirfd(current_.get()), "..", directory_flags));
    struct stat status {};
    if (!directory || fstat(directory.get(), &status) != 0) return fail_at(name);
    if (status.st_dev != above.device || status.st_ino != above.inode)
        return fail("a directory in it was moved");
    if (!go_on_in(std::move(directory))) return false;
    return unlinkat(dirfd(current_.get()), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ||
           fail_at(name);
}

// Removes everything but the directory itself.
bool Removal::clear() {
    for (std::string child;;) {
        if (!clear_until_directory(child)) return false;
        if (child.empty() && levels_.size() == 1) return true;
        const bool moved =
            child.empty() ? leave()
                          : enter(open_child(dirfd(current_.get()), child, directory_flags), child);
        if (!moved) return false;
    }
}

bool Removal::run() {
    const std::string name = name_of(path_);
    if (name.empty() || name == "." || name == ".." || path_.find('\0') != std::string::npos)
        return fail("not a name that can be removed");
    const std::string above = parent_of(path_);
    const Fd parent = links_ == Links::none
                          ? open_real(above, O_PATH | O_DIRECTORY)
                          : Fd(open(above.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!parent) return errno == ENOENT || errno == ENOTDIR || fail_at();
    if (unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return true;
    if (errno != EISDIR) return fail_at();
    if (!enter(open_child(parent.get(), name, directory_flags), name) || !clear()) return false;
    current_.reset();
    return unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT || fail_at();
}

}  // namespace

void remove_tree(const std::string& path) {
    Removal removal(path);
    if (!removal.run()) throw base::Error(base::ErrorCode::failed, removal.message());
}

void remove_real_tree(const std::string& path) {
    Removal removal(path, Links::none);
    if (!removal.run()) throw base::Error(base::ErrorCode::failed, removal.message());
}

bool try_remove_tree(const std::string& path) {
    return Removal(path).run();
}

}  // namespace chorus::sys
