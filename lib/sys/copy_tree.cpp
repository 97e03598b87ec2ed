#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr int to_list = O_RDONLY | O_DIRECTORY;

class Copy {
  public:
    Copy(const std::string& from, const std::string& to, const Takes& takes)
        : from_(from), to_(to), takes_(takes) {}
    std::vector<std::string> run();

  private:
    void copy_directory(const std::string& below);
    void copy_file(int from, int to, const std::string& name, const std::string& shown);

    const std::string& from_;
    const std::string& to_;
    const Takes& takes_;
    Fd source_;
    Fd target_;
    struct stat target_status_ {};
    std::vector<std::string> pending_;  // directories, relative
    std::vector<std::string> left_out_;
};

void Copy::copy_file(int from, int to, const std::string& name, const std::string& shown) {
    const Fd source(
        openat(from, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (!source || fstat(source.get(), &status) != 0)
        throw base::system_error(join_path(from_, shown));
    if (!S_ISREG(status.st_mode)) {  // replaced since it was listed
        left_out_.push_back(shown);
        return;
    }
    const std::string target_path = join_path(to_, shown);
    const Fd target(
        openat(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!target) throw base::system_error(target_path);
    copy_rest(source.get(), target.get(), target_path);
    if (fchmod(target.get(), (status.st_mode & 0700U) | 0600U) != 0)
        throw base::system_error(target_path);
}

void Copy::copy_directory(const std::string& below) {
    Fd from = open_beneath(source_.get(), below, to_list, Links::none);
    struct stat status {};
    if (!from || fstat(from.get(), &status) != 0) throw base::system_error(join_path(from_, below));
    // Where the target lies in the source tree, the copy must not copy itself.
    if (status.st_dev == target_status_.st_dev && status.st_ino == target_status_.st_ino) return;
    const std::string target_path = join_path(to_, below);
    if (below != "." && mkdirat(target_.get(), below.c_str(), 0700) != 0 && errno != EEXIST)
        throw base::system_error(target_path);
    const Fd to = open_beneath(target_.get(), below, to_list, Links::none);
    if (!to || fchmod(to.get(), 0700) != 0) throw base::system_error(target_path);

    const DirectoryStream stream = stream_of(std::move(from));
    while (const dirent* entry = stream ? next_entry(stream.get()) : nullptr) {
        const std::string name = entry->d_name;
        const std::string shown = below == "." ? name : below + "/" + name;
        const unsigned type = entry_type(stream.get(), *entry);
        if ((type != S_IFDIR && type != S_IFREG) || (takes_ && !takes_(shown, type == S_IFDIR)))
            left_out_.push_back(shown);
        else if (type == S_IFDIR)
            pending_.push_back(shown);
        else
            copy_file(dirfd(stream.get()), to.get(), name, shown);
    }
    if (!stream || errno != 0) throw base::system_error(join_path(from_, below));
}

std::vector<std::string> Copy::run() {
    source_ = Fd(open(c_path(from_), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!source_) throw base::system_error(from_);
    make_directory(to_);
    target_ = Fd(open(c_path(to_), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!target_ || fstat(target_.get(), &target_status_) != 0) throw base::system_error(to_);
    pending_ = {"."};
    while (!pending_.empty()) {
        const std::string below = std::move(pending_.back());
        pending_.pop_back();
        copy_directory(below);
    }
    std::sort(left_out_.begin(), left_out_.end());
    return std::move(left_out_);
}

}  // namespace

std::vector<std::string> strip_set_ids(const std::string& tree) {
    const Fd top = open_real(tree, to_list);
    std::vector<std::string> stripped;
    for (std::vector<std::string> pending{"."}; !pending.empty();) {
        const std::string below = std::move(pending.back());
        pending.pop_back();
        const DirectoryStream stream =
            stream_of(open_beneath(top.get(), below, to_list, Links::none));
        while (const dirent* entry = stream ? next_entry(stream.get()) : nullptr) {
            const std::string shown = below == "." ? entry->d_name : below + "/" + entry->d_name;
            struct stat status {};
            if (fstatat(dirfd(stream.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            if (S_ISDIR(status.st_mode)) pending.push_back(shown);
            if (!S_ISLNK(status.st_mode) && (status.st_mode & (S_ISUID | S_ISGID)) != 0 &&
                fchmodat(dirfd(stream.get()), entry->d_name, status.st_mode & 01777U,
                         AT_SYMLINK_NOFOLLOW) == 0)
                stripped.push_back(shown);
        }
    }
    std::sort(stripped.begin(), stripped.end());
    return stripped;
}

std::vector<std::string> copy_tree(const std::string& from, const std::string& to,
                                   const Takes& takes) {
    return Copy(from, to, takes).run();
}

}  // namespace chorus::sys
