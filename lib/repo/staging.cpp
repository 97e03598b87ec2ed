#include "repo/staging.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "repo/opened.hpp"
#include "sys/fd.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t chunk_bytes = 64U << 10;

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw base::Error(base::ErrorCode::failed, "commit: " + path + " " + std::string(why));
}

std::string canonical(const std::string& workspace, const std::string& file) {
    std::string_view rest = file;
    if (rest.find('\0') != std::string_view::npos) refuse(file.c_str(), "has a NUL in its name");
    if (rest.starts_with(workspace + "/")) rest.remove_prefix(workspace.size() + 1);
    if (rest.starts_with('/')) refuse(file, "is outside the workspace");
    std::vector<std::string> kept;
    for (const std::string_view part : base::split(rest, '/')) {
        if (part.empty() || part == ".") continue;
        if (base::to_lower_ascii(part) == ".git") refuse(file, "is in .git");
        if (part != "..") {
            kept.emplace_back(part);
        } else if (!kept.empty()) {
            kept.pop_back();
        } else {
            refuse(file, "is outside the workspace");
        }
    }
    return base::join(kept, "/");
}

struct Found {
    sys::Fd directory;
    std::string name;
    struct stat status {};
};

bool is_gone(int error_number) {
    return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
}

// Walks down without following a link. Nothing where a part is missing, or is a link where a
// directory has to be: what git knows below it is gone then. Whatever else fails is no deletion.
std::optional<Found> look_at(int workspace, const std::string& path) {
    std::vector<std::string_view> parts = base::split(path, '/');
    Found found{sys::Fd(fcntl(workspace, F_DUPFD_CLOEXEC, 0)), std::string(parts.back()), {}};
    parts.pop_back();
    for (const std::string_view part : parts) {
        if (!found.directory) break;
        found.directory = sys::Fd(openat(found.directory.get(), std::string(part).c_str(),
                                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    const bool is_there = found.directory && fstatat(found.directory.get(), found.name.c_str(),
                                                     &found.status, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there) return found;
    if (!is_gone(errno)) throw base::system_error("commit: " + path);
    return std::nullopt;
}

// The path, or what it goes through, as far as that is a link: "sub" of "sub/file".
std::optional<std::pair<std::string, Found>> find_link(int workspace, const std::string& path) {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        auto found = look_at(workspace, part);
        if (!found) return std::nullopt;
        if (S_ISLNK(found->status.st_mode)) return std::pair(part, std::move(*found));
        if (end == std::string::npos) return std::nullopt;
    }
}

void copy_into(git_odb_stream* stream, int file, const std::string& path) {
    std::array<char, chunk_bytes> chunk;
    for (;;) {
        const ssize_t count = read(file, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw base::system_error("commit: " + path);
        if (count == 0) return;
        check(git().odb_stream_write(stream, chunk.data(), static_cast<std::size_t>(count)),
              "commit: " + path);
    }
}

// In pieces, so that a file's size is no matter of memory.
git_oid store_file(git_repository* repository, Found& found, const std::string& path) {
    const sys::Fd file(openat(found.directory.get(), found.name.c_str(),
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!file || fstat(file.get(), &found.status) != 0) throw base::system_error("commit: " + path);
    if (!S_ISREG(found.status.st_mode)) refuse(path, "changed while it was read");
    const auto database = make<ObjectDatabase>("commit", git().repository_odb, repository);
    const auto stream =
        make<ObjectStream>("commit", git().odb_open_wstream, database.get(),
                           static_cast<git_object_size_t>(found.status.st_size), GIT_OBJECT_BLOB);
    copy_into(stream.get(), file.get(), path);
    git_oid id;
    check(git().odb_stream_finalize_write(&id, stream.get()), "commit: " + path);
    return id;
}

git_oid store_link(git_repository* repository, const Found& found, const std::string& path) {
    std::array<char, PATH_MAX> target;
    const ssize_t size =
        readlinkat(found.directory.get(), found.name.c_str(), target.data(), target.size());
    if (size < 0) throw base::system_error("commit: " + path);
    git_oid id;
    check(git().blob_create_from_buffer(&id, repository, target.data(),
                                        static_cast<std::size_t>(size)),
          "commit: " + path);
    return id;
}

git_index_time index_time(const timespec& time) {
    return {static_cast<std::int32_t>(time.tv_sec), static_cast<std::uint32_t>(time.tv_nsec)};
}

// With the file's times and number, so that git need not read it again to see that it is unchanged.
git_index_entry entry_for(const struct stat& status, const git_oid& id, const std::string& path) {
    git_index_entry entry{};
    entry.ctime = index_time(status.st_ctim);
    entry.mtime = index_time(status.st_mtim);
    entry.dev = static_cast<std::uint32_t>(status.st_dev);
    entry.ino = static_cast<std::uint32_t>(status.st_ino);
    entry.uid = status.st_uid;
    entry.gid = status.st_gid;
    entry.file_size = static_cast<std::uint32_t>(status.st_size);
    entry.mode = S_ISLNK(status.st_mode)            ? GIT_FILEMODE_LINK
                 : (status.st_mode & S_IXUSR) != 0U ? GIT_FILEMODE_BLOB_EXECUTABLE
                                                    : GIT_FILEMODE_BLOB;
    entry.id = id;
    entry.path = path.c_str();
    return entry;
}

// Out first: adding alone would leave the sides of a conflict beside it.
void stage_path(git_repository* repository, git_index* index, int workspace,
                const std::string& path) {
    check(git().index_remove_bypath(index, path.c_str()), "commit: " + path);
    auto found = look_at(workspace, path);
    if (!found || !(S_ISREG(found->status.st_mode) || S_ISLNK(found->status.st_mode))) return;
    const git_oid id = S_ISLNK(found->status.st_mode) ? store_link(repository, *found, path)
                                                      : store_file(repository, *found, path);
    const git_index_entry entry = entry_for(found->status, id, path);
    check(git().index_add(index, &entry), "commit: " + path);
}

Diff changes(git_repository* repository, git_index* index) {
    git_diff_options options;
    check(git().diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION), "commit");
    options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS |
                    GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_IGNORE_SUBMODULES;
    options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
    return make<Diff>("commit", git().diff_index_to_workdir, repository, index, &options);
}

// A repository inside the workspace is listed as a directory; git would record no more of it than
// an id.
bool is_directory(std::string_view path) {
    return path.ends_with('/');
}

bool is_tracked(git_index* index, const std::string& path) {
    std::size_t position = 0;
    return git().index_get_bypath(index, path.c_str(), 0) != nullptr ||
           git().index_find_prefix(&position, index, (path + "/").c_str()) == 0;
}

bool is_covered(const std::vector<std::string>& paths, const std::string& selected) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
        return path == selected || path.starts_with(selected + "/");
    });
}

std::vector<std::string> changed_paths(git_repository* repository, git_index* index) {
    std::vector<std::string> paths;
    const Diff diff = changes(repository, index);
    for (std::size_t i = 0; i < git().diff_num_deltas(diff.get()); ++i) {
        const std::string path = git().diff_get_delta(diff.get(), i)->new_file.path;
        if (!is_directory(path) && !is_left_out(index, path.c_str())) paths.push_back(path);
    }
    return paths;
}

sys::Fd open_work_tree(git_repository* repository) {
    const char* path = git().repository_workdir(repository);
    sys::Fd directory(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) throw base::system_error(path);
    return directory;
}

// A git without nanoseconds (Debian's) takes a file for unchanged when its size and the second of
// its time are those of the index, unless the index is as young as that. Where we write the index
// anew, a size of 0 makes it look again. Whether there was need for that.
bool distrust(git_index* index, int workspace, const std::string& path) {
    const git_index_entry* entry = git().index_get_bypath(index, path.c_str(), 0);
    const auto found = look_at(workspace, path);
    const bool looks_the_same =
        entry != nullptr && found &&
        entry->mtime.seconds == index_time(found->status.st_mtim).seconds &&
        entry->file_size == static_cast<std::uint32_t>(found->status.st_size);
    if (!looks_the_same) return false;
    git_index_entry distrusted = *entry;
    distrusted.file_size = 0;
    check(git().index_add(index, &distrusted), "git: " + path);
    return true;
}

}  // namespace

Selection::Selection(const std::string& workspace, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        paths_.push_back(canonical(workspace, file));
        if (!paths_.back().empty()) continue;
        paths_.clear();  // "." is everything
        return;
    }
}

bool Selection::covers(std::string_view path) const {
    return paths_.empty() ||
           std::any_of(paths_.begin(), paths_.end(), [&](const std::string& selected) {
               return path == selected || path.starts_with(selected + "/");
           });
}

void stage(git_repository* repository, git_index* index, const Selection& selection) {
    const sys::Fd workspace = open_work_tree(repository);
    const std::vector<std::string> paths = changed_paths(repository, index);
    for (const std::string& selected : selection.paths()) {
        if (is_covered(paths, selected) || is_tracked(index, selected)) continue;
        refuse(selected, look_at(workspace.get(), selected)
                             ? "is ignored, or there is no file in it"
                             : "is not there");
    }
    for (const std::string& path : paths) {
        if (selection.covers(path)) {
            stage_path(repository, index, workspace.get(), path);
        } else {
            distrust(index, workspace.get(), path);
        }
    }
}

void stage_in_the_way(git_repository* repository, git_index* index, git_tree* tree) {
    const sys::Fd workspace = open_work_tree(repository);
    const auto diff =
        make<Diff>("commit", git().diff_tree_to_index, repository, tree, index, nullptr);
    for (std::size_t i = 0; i < git().diff_num_deltas(diff.get()); ++i) {
        const git_diff_delta* delta = git().diff_get_delta(diff.get(), i);
        if (delta->status != GIT_DELTA_DELETED) continue;
        const std::string path = delta->old_file.path;
        const auto link = find_link(workspace.get(), path);
        stage_path(repository, index, workspace.get(), link ? link->first : path);
    }
}

void remove_links(git_repository* repository, git_tree* tree) {
    const sys::Fd workspace = open_work_tree(repository);
    const auto all =
        make<Diff>("reset", git().diff_tree_to_tree, repository, nullptr, tree, nullptr);
    for (std::size_t i = 0; i < git().diff_num_deltas(all.get()); ++i) {
        const char* path = git().diff_get_delta(all.get(), i)->new_file.path;
        const auto link = find_link(workspace.get(), path);
        if (link && unlinkat(link->second.directory.get(), link->second.name.c_str(), 0) != 0)
            throw base::system_error("reset: " + link->first);
    }
}

void keep_changes_visible(git_repository* repository) {
    const sys::Fd workspace = open_work_tree(repository);
    const Index index = fresh_index(repository);
    bool distrusted = false;
    for (const std::string& path : changed_paths(repository, index.get()))
        distrusted |= distrust(index.get(), workspace.get(), path);
    if (distrusted) check(git().index_write(index.get()), "git");
}

}  // namespace chorus::repo
