#include "repo/mutation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace chorus::repo {
namespace {

// After a caller is killed, its chorus-git takes a moment to end.
constexpr std::int64_t ending_ms = 1'000;

std::optional<sys::Lock> acquire(const std::string& directory, std::int64_t wait_ms) {
    auto lock =
        sys::Lock::acquire(directory + "/chorus.mutex", sys::Lock::Mode::exclusive, wait_ms);
    struct stat status {};
    // everyone who may change the repository can lock it; a lock file of another user has that mode
    // already
    if (lock && stat(directory.c_str(), &status) == 0)
        static_cast<void>(fchmod(lock->fd(), status.st_mode & 0666U));
    return lock;
}

// git's lock files, and temporary files that libgit2 renames when complete.
bool is_unfinished(std::string_view name) {
    return name.ends_with(".lock") || name.find("_git2_") != std::string_view::npos;
}

// A marker under a free lock is that of a process that died; unfinished files made since then are
// its own. Older ones belong to a git that a person or a command runs, and stay, as do files in the
// directories that git and its helpers manage. An empty lock of an existing configuration belongs
// to running commands (sys/git_guard.cpp).
void remove_leftovers(const std::filesystem::path& directory) {
    static const std::set<std::string> left_alone{"hooks", "lfs", "modules", "worktrees"};
    using Walk = std::filesystem::recursive_directory_iterator;
    std::error_code ignored;
    struct stat marker {};
    struct stat found {};
    if (lstat((directory / marker_name).c_str(), &marker) != 0) return;
    for (Walk at(directory, ignored); at != Walk(); at.increment(ignored)) {
        const std::filesystem::path& path = at->path();
        const std::string name = path.filename();
        if (at.depth() == 0 && left_alone.count(name) > 0) at.disable_recursion_pending();
        if (is_unfinished(name) && lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
            (found.st_size > 0 || !name.starts_with("config") ||
             !std::filesystem::exists(path.parent_path() / path.stem(), ignored)) &&
            std::tie(found.st_mtim.tv_sec, found.st_mtim.tv_nsec) >=
                std::tie(marker.st_mtim.tv_sec, marker.st_mtim.tv_nsec))
            unlink(path.c_str());
    }
    unlink((directory / marker_name).c_str());
}

}  // namespace

Mutation::Mutation(const std::string& git_directory)
    : marker_(git_directory + "/" + marker_name),
      lock_(acquire(git_directory, base::limits::file_lock_ms)) {
    if (!lock_)
        throw base::Error(base::ErrorCode::failed,
                          "git: another process is changing the repository",
                          "try again when it is done");
    remove_leftovers(git_directory);
    const sys::Fd made(
        open(marker_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!made) throw base::system_error(marker_);
}

Mutation::~Mutation() {
    unlink(marker_.c_str());
}

void clear_mutation(const std::string& git_directory) {
    if (const auto lock = acquire(git_directory, ending_ms)) remove_leftovers(git_directory);
}

}  // namespace chorus::repo
