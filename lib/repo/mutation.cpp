#include "repo/mutation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "repo/directory.hpp"
#include "sys/fd.hpp"

namespace chorus::repo {
namespace {

constexpr const char* lock_name = "chorus.mutex";
// The process of a caller that was killed ends a moment after it.
constexpr std::int64_t ending_ms = 1'000;

sys::Lock acquire(const std::string& directory) {
    const std::string path = directory + "/" + lock_name;
    auto lock = sys::Lock::acquire(path, sys::Lock::Mode::exclusive, base::limits::file_lock_ms);
    if (!lock)
        throw base::Error(base::ErrorCode::failed,
                          "git: another process is changing the repository",
                          "try again when it is done");
    return std::move(*lock);
}

bool create(const std::string& path) {
    return static_cast<bool>(
        sys::Fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)));
}

// A marker under a free lock is that of a process which died: the lock files made since are its
// own. Older ones belong to a git that a person or a command runs, and stay.
void mark(const std::string& directory, const std::string& marker) {
    if (create(marker)) return;
    struct stat left {};
    if (errno != EEXIST || lstat(marker.c_str(), &left) != 0) throw base::system_error(marker);
    remove_unfinished(directory, left.st_mtim);
    unlink(marker.c_str());
    if (!create(marker)) throw base::system_error(marker);
}

}  // namespace

void clear_broken_mutation(const std::string& workspace) {
    if (!has_git_directory(workspace)) return;
    const std::string directory = git_directory(workspace);
    const std::string marker = directory + "/" + marker_name;
    struct stat left {};
    if (lstat(marker.c_str(), &left) != 0) return;
    const auto lock =
        sys::Lock::acquire(directory + "/" + lock_name, sys::Lock::Mode::exclusive, ending_ms);
    if (!lock || lstat(marker.c_str(), &left) != 0) return;
    remove_unfinished(directory, left.st_mtim);
    unlink(marker.c_str());
}

Mutation::Mutation(const std::string& workspace)
    : marker_(git_directory(workspace) + "/" + marker_name),
      lock_(acquire(git_directory(workspace))) {
    mark(git_directory(workspace), marker_);
}

Mutation::~Mutation() {
    unlink(marker_.c_str());
}

}  // namespace chorus::repo
