#include "repo/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

using Stream = base::Handle<DIR, closedir>;

struct Entry {
    std::string path;  // relative to the root of the walk
    std::string_view name;
    unsigned char type = DT_UNKNOWN;
};

// Null where the directory is gone, or closed to us as it is to libgit2.
Stream open_stream(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    Stream stream(fd >= 0 ? fdopendir(fd) : nullptr);
    const bool is_out_of_reach = errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
                                 errno == EACCES || errno == ENAMETOOLONG;
    if (!stream && !is_out_of_reach) throw base::system_error(path);
    return stream;
}

unsigned char type_of(DIR* stream, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type;
    struct stat found {};
    if (fstatat(dirfd(stream), entry.d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return static_cast<unsigned char>(IFTODT(found.st_mode));
}

// One descriptor at a time, however deep the tree. `visit` says whether to go into a directory.
// What cannot be opened is left out: libgit2 cannot open it either.
void walk(const std::string& root, const std::function<bool(const Entry&)>& visit) {
    std::vector<std::string> open_directories{""};
    while (!open_directories.empty()) {
        const std::string directory = std::move(open_directories.back());
        open_directories.pop_back();
        const Stream stream = open_stream(root + "/" + directory);
        while (const dirent* found = stream ? readdir(stream.get()) : nullptr) {
            const std::string_view name = found->d_name;
            if (name == "." || name == "..") continue;
            const Entry entry{directory + found->d_name, name, type_of(stream.get(), *found)};
            if (visit(entry) && entry.type == DT_DIR) open_directories.push_back(entry.path + "/");
        }
    }
}

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw base::Error(base::ErrorCode::failed, "git: " + path + " " + std::string(why),
                      "git tools keep to the workspace; look at " + path + " and remove it");
}

// A socket (git's own fsmonitor) cannot be opened, so it does not block.
bool may_mislead(unsigned char type) {
    return type == DT_LNK || type == DT_FIFO || type == DT_CHR || type == DT_BLK;
}

// libgit2 reads none of these, and they may hold a person's links.
bool is_left_alone(std::string_view path) {
    constexpr std::array<std::string_view, 4> names{"hooks", "lfs", "modules", "worktrees"};
    return std::find(names.begin(), names.end(), path) != names.end();
}

// The sandbox puts a commondir there that names the repository itself, so that no other can be.
bool names_itself(const std::string& file) {
    const auto text = sys::read_file_if_there(file, base::limits::config_bytes);
    return text && base::trim(*text) == "./";
}

bool leads_out(const std::string& git, std::string_view path) {
    if (path == "commondir") return !names_itself(sys::join_path(git, path));
    return path == "objects/info/alternates";
}

bool includes_another(const std::string& text) {
    const std::string lower = base::to_lower_ascii(text);
    for (std::string_view line : base::split_lines(lower)) {
        line = base::trim(line);
        if (line.starts_with('#') || line.starts_with(';')) continue;
        for (auto at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1))
            if (base::trim(line.substr(at + 1)).starts_with("include")) return true;
    }
    return false;
}

// An included file can be a FIFO, or one that only the person may read.
void inspect_configuration(const std::string& workspace, const std::string& name) {
    const auto text = sys::read_file_if_there(workspace + "/" + name, base::limits::config_bytes);
    if (text && includes_another(*text)) refuse(name, "includes another file");
}

bool is_read_from_the_work_tree(std::string_view name) {
    return name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules";
}

bool is_not_older(const struct stat& file, const timespec& since) {
    return file.st_mtim.tv_sec > since.tv_sec ||
           (file.st_mtim.tv_sec == since.tv_sec && file.st_mtim.tv_nsec >= since.tv_nsec);
}

bool is_unfinished(std::string_view name) {
    return name.ends_with(".lock") || name.find("_git2_") != std::string_view::npos;
}

}  // namespace

std::string git_directory(const std::string& workspace) {
    return sys::join_path(workspace, ".git");
}

bool has_git_directory(const std::string& workspace) {
    struct stat found {};
    return lstat(git_directory(workspace).c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

void inspect_git_directory(const std::string& workspace) {
    const std::string git = git_directory(workspace);
    walk(git, [&git](const Entry& entry) {
        if (is_left_alone(entry.path)) return false;
        if (may_mislead(entry.type)) refuse(".git/" + entry.path, "is no regular file");
        if (leads_out(git, entry.path)) refuse(".git/" + entry.path, "leads out of the workspace");
        return true;
    });
    inspect_configuration(workspace, ".git/config");
}

void inspect_work_tree(const std::string& workspace) {
    walk(workspace, [](const Entry& entry) {
        if (may_mislead(entry.type) && is_read_from_the_work_tree(entry.name))
            refuse(entry.path, "is no regular file");
        return entry.name != ".git";
    });
    inspect_configuration(workspace, ".gitmodules");
}

void remove_unfinished(const std::string& directory, const timespec& since) {
    walk(directory, [&](const Entry& entry) {
        const std::string path = directory + "/" + entry.path;
        struct stat found {};
        const bool stale = entry.type == DT_REG && is_unfinished(entry.name) &&
                           lstat(path.c_str(), &found) == 0 && is_not_older(found, since);
        if (stale) unlink(path.c_str());
        return !is_left_alone(entry.path);
    });
}

}  // namespace chorus::repo
