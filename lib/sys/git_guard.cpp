#include "sys/git_guard.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/mounts.hpp"
#include "sys/open_beneath.hpp"
#include "sys/replace.hpp"

namespace chorus::sys {
namespace {

// What makes git run programs or look elsewhere is mounted read-only below the writable directory.
// An absent name cannot be masked without a mount point, so one is made for as long as a command
// runs. It is harmless to git and libgit2: an empty directory or file equals none, and a commondir
// of "./" names the repository itself ("." does too, but libgit2 does not find such a repository).
// Without it a command could write a commondir that points to its own configuration, which git on
// the host would obey.
//
// The lock files keep git on the host from replacing a configuration meanwhile: that would remove
// the mount, and although the command is ended then, it would have time to write the new file.
//
// `git gc` removes an empty worktrees directory, and the mount with it. A locked entry that names
// no worktree prevents that, and git does not list it.
struct Guarded {
    const char* name;
    bool directory;
    std::string_view content;
    bool covered = true;
};
constexpr Guarded worktree_configuration{"config.worktree", false, ""};
constexpr Guarded worktree_lock{"config.worktree.lock", false, ""};
constexpr std::array guarded_common{worktree_configuration,
                                    worktree_lock,
                                    Guarded{"hooks", true, ""},
                                    Guarded{"info", true, ""},
                                    Guarded{"modules", true, ""},
                                    Guarded{"worktrees", true, ""},
                                    Guarded{"worktrees/.chorus", true, "", false},
                                    Guarded{"worktrees/.chorus/locked", true, "", false},
                                    Guarded{"config", false, ""},
                                    Guarded{"config.lock", false, ""},
                                    Guarded{"commondir", false, "./\n"}};
// For worktrees/X, where commondir and gitdir always exist.
constexpr std::array guarded_worktree{worktree_configuration, worktree_lock,
                                      Guarded{"modules", true, ""}, Guarded{"commondir", false, ""},
                                      Guarded{"gitdir", false, ""}};

constexpr std::size_t most_own_bytes = 16;

const char* leaf_of(const Guarded& guarded) {
    const char* slash = std::strrchr(guarded.name, '/');
    return slash == nullptr ? guarded.name : slash + 1;
}

// Whether the entry can be a mount point of ours: a file by its content; a directory always,
// because rmdir(2) removes only an empty one.
bool is_own(int directory, const Guarded& guarded) {
    if (guarded.directory) return true;
    const Fd file(openat(directory, leaf_of(guarded), read_only | O_NOFOLLOW));
    std::string content;
    return file && try_read_all(file.get(), most_own_bytes, content) && content == guarded.content;
}

// The mount points made in one directory. The last process that uses them removes them: with a
// mount point the kernel removes what other processes have mounted on it.
class MountPoints {
  public:
    MountPoints(const std::string& path, const Fd& directory)
        : directory_(openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
          path_(path) {
        const auto status = directory_ ? opened_status(directory_) : std::nullopt;
        if (!status) throw base::system_error(path);
        mode_ = status->st_mode;
        // Another process holds the lock exclusively only while it removes mount points. If a
        // command of the agent holds it, the mount points stay; if they are removed too early, the
        // command is ended (sys/mounts.hpp).
        for (int tries = 0; tries < 50 && !is_locked_; ++tries) {
            is_locked_ = flock(directory_.get(), LOCK_SH | LOCK_NB) == 0;
            if (!is_locked_) usleep(1'000);
        }
        // made by other running commands or left by a killed one: git makes no such files
        has_points_ = is_own(directory_.get(), worktree_configuration) ||
                      is_own(directory_.get(), guarded_common.back());
    }
    MountPoints(const MountPoints&) = delete;
    MountPoints& operator=(const MountPoints&) = delete;

    ~MountPoints() {
        if (!is_locked_ || flock(directory_.get(), LOCK_EX | LOCK_NB) != 0) return;
        for (auto guarded = made_.rbegin(); guarded != made_.rend(); ++guarded)
            if (const Parent at = parent_of(*guarded); at.fd >= 0 && is_own(at.fd, *guarded))
                unlinkat(at.fd, leaf_of(*guarded), guarded->directory ? AT_REMOVEDIR : 0);
    }

    // Returns false where it is absent and this process may not make it: then a command may not
    // either.
    bool provide(const Guarded& guarded) {
        const Parent at = parent_of(guarded);
        const bool is_there = link_status(at.fd, leaf_of(guarded)).has_value();
        if (!is_there && faccessat(at.fd, ".", W_OK, 0) != 0) return false;
        if (is_there) {
            take_over(at, guarded);
        } else {
            make(at.fd, guarded);
            made_.push_back(guarded);
        }
        return true;
    }

    // Takes over the removal of a mount point, since the process that made it may have been killed.
    void take_over(const Guarded& guarded) { take_over(parent_of(guarded), guarded); }

    // Returns the files that the destructor would remove, and keeps them.
    std::vector<std::string> spare() {
        std::vector<std::string> files;
        const bool is_alone = is_locked_ && flock(directory_.get(), LOCK_EX | LOCK_NB) == 0;
        for (const Guarded& guarded : std::exchange(made_, {}))
            if (is_alone && !guarded.directory) files.push_back(path_ + "/" + guarded.name);
        return files;
    }

  private:
    struct Parent {
        int fd;
        Fd opened;  // where it is not the directory itself
    };

    // `fd` is -1 where the path has a link now.
    Parent parent_of(const Guarded& guarded) const {
        const std::string parent(guarded.name, leaf_of(guarded));
        if (parent.empty()) return {directory_.get(), {}};
        Fd opened = open_beneath(directory_.get(), parent, O_RDONLY | O_DIRECTORY, Links::none);
        const int fd = opened.get();
        return {fd, std::move(opened)};
    }

    void take_over(const Parent& at, const Guarded& guarded) {
        if (has_points_ && at.fd >= 0 && is_own(at.fd, guarded)) made_.push_back(guarded);
    }

    // With the permissions of the directory, because others may share the repository. A file with
    // content is written whole, so that git never reads a part of it, even after a power failure.
    void make(int at, const Guarded& guarded) const {
        const char* name = leaf_of(guarded);
        const mode_t mode = mode_ & (guarded.directory ? 0777U : 0666U);
        bool is_made = false;
        if (guarded.directory) {
            is_made = mkdirat(at, name, 0700) == 0;
            const Fd made = open_beneath(at, name, O_RDONLY | O_DIRECTORY, Links::none);
            is_made = is_made && made && fchmod(made.get(), mode) == 0;
        } else if (const Fd file(openat(at, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode)); file) {
            const std::string link = proc_path(file.get());
            is_made = fchmod(file.get(), mode) == 0 && try_write_all(file.get(), guarded.content) &&
                      (guarded.content.empty() || fdatasync(file.get()) == 0) &&
                      linkat(AT_FDCWD, link.c_str(), at, name, AT_SYMLINK_FOLLOW) == 0;
        } else {
            is_made =
                fill_at(at, name, content_of(guarded.content), with_mode(mode), Existing::refuse);
        }
        if (!is_made && errno != EEXIST) throw base::system_error(path_ + "/" + guarded.name);
    }

    Fd directory_;
    std::string path_;
    mode_t mode_ = 0;
    bool is_locked_ = false;
    bool has_points_ = false;
    std::vector<Guarded> made_;
};

template <std::size_t count>
void guard(Mounts& mounts, const std::string& directory, const Fd& fd,
           const std::array<Guarded, count>& all) {
    const auto points = std::make_shared<MountPoints>(directory, fd);
    for (const Guarded& guarded : all)
        if (points->provide(guarded) && guarded.covered)
            mounts.make_read_only(directory + "/" + guarded.name);
    mounts.held.push_back(points);
}

std::string link_problem(const std::string& path) {
    return is_link(path) ? path + ": a link cannot be protected" : "";
}

// The common directory is read-only except for what the worktrees share. HEAD, index and
// configuration in it are not mounted one by one: people who work in the other worktrees replace
// them all the time.
void add_linked_worktree(Mounts& mounts, const GitPlace& place) {
    mounts.bind(place.common_directory);
    for (const char* name : shared_by_worktrees) {
        const std::string path = place.common_directory + "/" + name;
        if (!is_directory(path)) make_directory(path);
        mounts.bind_writable(
            path, open_beneath(place.common->get(), name, O_PATH | O_DIRECTORY, Links::none));
    }
    mounts.bind_writable(place.git_directory, *place.git);
    guard(mounts, place.git_directory, *place.git, guarded_worktree);
}

}  // namespace

std::optional<base::Error> git_problem(const std::string& workspace) {
    if (workspace.empty()) return {};
    const GitPlace place = find_git(workspace);
    if (!place.problem.empty())
        return base::Error(base::ErrorCode::failed, place.problem + ": cannot be protected",
                           "work in a linked worktree of that repository (git worktree add)");
    if (!place.is_there()) return {};
    std::string problem;
    for (const Guarded& guarded : guarded_common)
        if (problem.empty()) problem = link_problem(place.common_directory + "/" + guarded.name);
    for (const char* name : shared_by_worktrees)
        if (problem.empty() && place.is_linked_worktree())
            problem = link_problem(place.common_directory + "/" + name);
    if (problem.empty()) return {};
    return base::Error(base::ErrorCode::failed, problem);
}

// Binds .git over itself, so that neither it nor what is bound below it can be renamed.
void add_git(Mounts& mounts, const std::string& workspace) {
    const GitPlace place = find_git(workspace);
    if (!place.is_there()) return;
    const std::string dot_git = workspace + "/.git";
    if (is_within(place.git_directory, workspace)) {
        mounts.keep_in_place(dot_git);
        return guard(mounts, dot_git, *place.git, guarded_common);
    }
    mounts.make_read_only(dot_git);
    if (place.is_linked_worktree()) return add_linked_worktree(mounts, place);
    mounts.bind_writable(place.git_directory, *place.git);
    guard(mounts, place.git_directory, *place.git, guarded_common);
}

bool is_mount_point(int directory, std::string_view name) {
    return std::any_of(guarded_common.begin(), guarded_common.end(), [&](const Guarded& guarded) {
        return !guarded.directory && guarded.name == name && is_own(directory, guarded);
    });
}

namespace {

// Mount points of killed commands. Most repositories have none, which a look for the lock files
// shows.
std::unique_ptr<MountPoints> points_left(const std::string& workspace) {
    const std::string git = workspace + "/.git";
    const auto is_regular = [&](const char* rest) {
        const auto status = link_status(git + rest);
        return status && S_ISREG(status->st_mode);
    };
    if (!is_regular("/config.lock") && !is_regular("/config.worktree.lock") && !is_regular(""))
        return {};
    const GitPlace place = find_git(workspace);
    if (!place.is_there() || faccessat(place.git->get(), ".", R_OK | W_OK, 0) != 0) return {};
    auto points = std::make_unique<MountPoints>(place.git_directory, *place.git);
    for (const Guarded& guarded : guarded_common) points->take_over(guarded);
    return points;
}

}  // namespace

void remove_mount_points(const std::string& workspace) {
    points_left(workspace);
}

std::vector<std::string> find_mount_points(const std::string& workspace) {
    const auto points = points_left(workspace);
    return points ? points->spare() : std::vector<std::string>();
}

}  // namespace chorus::sys
