// Removes, copies and changes whole trees.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

constexpr int to_list = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Opens a directory, if need be after giving the owner all permissions on it.
Fd open_child(int directory, const std::string& name) {
    Fd fd = open_on_same_filesystem(directory, name, to_list);
    if (fd || errno != EACCES) return fd;
    const Fd path_only =
        open_on_same_filesystem(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!path_only) return fd;
    // fchmod(2) does not take an O_PATH descriptor, and fchmodat(2) would follow a link put in its
    // place
    if (const auto status = opened_status(path_only))
        chmod(proc_path(path_only.get()).c_str(), (status->st_mode & 07777U) | 0700U);
    return Fd(openat(path_only.get(), ".", to_list));
}

// Goes down and up through the tree with one open directory at a time: its depth is unlimited (a
// command can nest directories without end), descriptors and the stack are limited.
class Removal {
  public:
    explicit Removal(const std::string& path, Links links = Links::inside)
        : path_(path), links_(links) {}

    // Returns false where something could not be removed; message() then says what and why.
    bool run() {
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
        if (!enter(open_child(parent.get(), name), name) || !clear()) return false;
        current_.reset();
        return unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ||
               fail_at();
    }
    void run_or_throw() {
        if (!run()) throw base::Error(base::ErrorCode::failed, message_);
    }

  private:
    struct Level {
        std::string name;
        struct stat status;
    };

    bool fail(std::string_view why) {
        message_ = "remove " + path_ + ": " + std::string(why);
        return false;
    }

    bool fail_at(const std::string& name = {}) {
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

    bool go_on_in(Fd directory) {
        current_ = stream_of(std::move(directory));
        return current_ != nullptr || fail_at();
    }

    bool enter(Fd directory, const std::string& name) {
        const auto status = directory ? opened_status(directory) : std::nullopt;
        if (!status) return fail_at(name);
        if ((status->st_mode & 0700U) != 0700U)
            fchmod(directory.get(), (status->st_mode & 07777U) | 0700U);
        levels_.push_back({name, *status});
        return go_on_in(std::move(directory));
    }

    // Unlinks everything up to the first directory, which is returned in `found`; "" when nothing
    // is left.
    bool clear_until_directory(std::string& found) {
        found.clear();
        for (bool any = true; any;) {
            any = false;
            rewinddir(current_.get());
            while (const dirent* entry = next_entry(current_.get())) {
                any = true;
                found = entry->d_name;
                if (entry->d_type == DT_DIR) return true;
                if (unlinkat(dirfd(current_.get()), entry->d_name, 0) == 0 || errno == ENOENT)
                    continue;
                return errno == EISDIR || fail_at(entry->d_name);
            }
            if (errno != 0) return fail_at();
        }
        found.clear();
        return true;
    }

    bool leave() {
        const std::string name = levels_.back().name;
        levels_.pop_back();
        Fd directory(openat(dirfd(current_.get()), "..", to_list));
        const auto status = directory ? opened_status(directory) : std::nullopt;
        if (!status) return fail_at(name);
        if (!is_same_inode(*status, levels_.back().status))
            return fail("a directory in it was moved");
        if (!go_on_in(std::move(directory))) return false;
        return unlinkat(dirfd(current_.get()), name.c_str(), AT_REMOVEDIR) == 0 ||
               errno == ENOENT || fail_at(name);
    }

    // Removes everything but the directory itself.
    bool clear() {
        for (std::string child;;) {
            if (!clear_until_directory(child)) return false;
            if (child.empty() && levels_.size() == 1) return true;
            const bool moved =
                child.empty() ? leave() : enter(open_child(dirfd(current_.get()), child), child);
            if (!moved) return false;
        }
    }

    const std::string& path_;
    Links links_;
    std::string message_;
    std::vector<Level> levels_;
    DirectoryStream current_;
};

// Calls `visit` with each directory's stream and its path below the root, "." or "a/b". What it
// adds to `pending` is visited too.
template <typename Visit>
void for_each_directory(const Fd& root, std::vector<std::string>& pending, Visit visit) {
    for (pending = {"."}; !pending.empty();) {
        const std::string below = std::move(pending.back());
        pending.pop_back();
        visit(open_beneath(root.get(), below, to_list, Links::none), below);
    }
}

std::string below_of(const std::string& directory, const char* name) {
    return directory == "." ? name : directory + "/" + name;
}

class Copy {
  public:
    Copy(const std::string& from, const std::string& to, const Takes& takes)
        : from_(from), to_(to), takes_(takes) {}

    std::vector<std::string> run() {
        const Fd source(open(c_path(from_), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!source) throw base::system_error(from_);
        make_directory(to_);
        target_ = Fd(open(c_path(to_), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        const auto status = target_ ? opened_status(target_) : std::nullopt;
        if (!status) throw base::system_error(to_);
        for_each_directory(source, pending_, [&](Fd from, const std::string& below) {
            copy_directory(std::move(from), below, *status);
        });
        std::sort(left_out_.begin(), left_out_.end());
        return std::move(left_out_);
    }

  private:
    void copy_file(int from, int to, const char* name, const std::string& shown) {
        const Fd source(openat(from, name, read_only | O_NOFOLLOW));
        const auto status = source ? opened_status(source) : std::nullopt;
        if (!status) throw base::system_error(join_path(from_, shown));
        if (!S_ISREG(status->st_mode)) {  // replaced since it was listed
            left_out_.push_back(shown);
            return;
        }
        const std::string target_path = join_path(to_, shown);
        const Fd target(
            openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!target) throw base::system_error(target_path);
        copy_rest(source.get(), target.get(), target_path);
        if (fchmod(target.get(), (status->st_mode & 0700U) | 0600U) != 0)
            throw base::system_error(target_path);
    }

    void copy_directory(Fd from, const std::string& below, const struct stat& target) {
        const auto status = from ? opened_status(from) : std::nullopt;
        if (!status) throw base::system_error(join_path(from_, below));
        // Where the target lies in the source tree, the copy must not copy itself.
        if (is_same_inode(*status, target)) return;
        const std::string target_path = join_path(to_, below);
        if (below != "." && mkdirat(target_.get(), below.c_str(), 0700) != 0 && errno != EEXIST)
            throw base::system_error(target_path);
        const Fd to = open_beneath(target_.get(), below, to_list, Links::none);
        if (!to || fchmod(to.get(), 0700) != 0) throw base::system_error(target_path);

        const DirectoryStream stream = stream_of(std::move(from));
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string shown = below_of(below, entry->d_name);
            const unsigned type = entry_type(stream.get(), *entry);
            if ((type != S_IFDIR && type != S_IFREG) || (takes_ && !takes_(shown, type == S_IFDIR)))
                left_out_.push_back(shown);
            else if (type == S_IFDIR)
                pending_.push_back(shown);
            else
                copy_file(dirfd(stream.get()), to.get(), entry->d_name, shown);
        }
        if (!stream || errno != 0) throw base::system_error(join_path(from_, below));
    }

    const std::string& from_;
    const std::string& to_;
    const Takes& takes_;
    Fd target_;
    std::vector<std::string> pending_;
    std::vector<std::string> left_out_;
};

}  // namespace

void remove_tree(const std::string& path) {
    Removal(path).run_or_throw();
}

void remove_real_tree(const std::string& path) {
    Removal(path, Links::none).run_or_throw();
}

bool try_remove_tree(const std::string& path) {
    return Removal(path).run();
}

std::vector<std::string> strip_set_ids(const std::string& tree) {
    std::vector<std::string> pending;
    std::vector<std::string> stripped;
    for_each_directory(open_real(tree, to_list), pending, [&](Fd fd, const std::string& below) {
        const DirectoryStream stream = stream_of(std::move(fd));
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string shown = below_of(below, entry->d_name);
            const auto status = link_status(dirfd(stream.get()), entry->d_name);
            if (!status) continue;
            if (S_ISDIR(status->st_mode)) pending.push_back(shown);
            if (!S_ISLNK(status->st_mode) && (status->st_mode & (S_ISUID | S_ISGID)) != 0 &&
                fchmodat(dirfd(stream.get()), entry->d_name, status->st_mode & 01777U,
                         AT_SYMLINK_NOFOLLOW) == 0)
                stripped.push_back(shown);
        }
    });
    std::sort(stripped.begin(), stripped.end());
    return stripped;
}

std::vector<std::string> copy_tree(const std::string& from, const std::string& to,
                                   const Takes& takes) {
    return Copy(from, to, takes).run();
}

}  // namespace chorus::sys
