#include "repo/directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "sys/file.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

// No file of ours is ever unfinished in these.
bool is_left_alone(std::string_view path) {
    constexpr std::array<std::string_view, 4> names{"hooks", "lfs", "modules", "worktrees"};
    return std::find(names.begin(), names.end(), path) != names.end();
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
    const sys::GitPlace place = sys::find_git(workspace);
    return place.is_there() ? place.git_directory : sys::join_path(workspace, ".git");
}

bool has_git_directory(const std::string& workspace) {
    return sys::find_git(workspace).is_there();
}

void remove_unfinished(const std::string& directory, const timespec& since) {
    using Walk = std::filesystem::recursive_directory_iterator;
    std::error_code ignored;
    for (Walk at(directory, ignored); at != Walk(); at.increment(ignored)) {
        const std::string path = at->path();
        struct stat found {};
        if (is_left_alone(path.substr(directory.size() + 1))) at.disable_recursion_pending();
        if (is_unfinished(at->path().filename().string()) && lstat(path.c_str(), &found) == 0 &&
            S_ISREG(found.st_mode) && is_not_older(found, since))
            unlink(path.c_str());
    }
}

}  // namespace chorus::repo
