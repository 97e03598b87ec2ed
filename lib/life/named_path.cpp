#include "life/named_path.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"

namespace chorus::life {
namespace {

bool is_below(const std::string& path, const std::string& directory) {
    return path.starts_with(directory + "/");
}

}  // namespace

std::string named_path(store::Store& store, const agent::Home& home, base::ErrorCode code,
                       const std::string& what, const std::string& path) {
    const auto led = sys::follow_links(path);
    if (!led) return {};
    if (led->links.empty()) return led->path;
    std::vector<std::string> work_places = store::working_directories(store);
    work_places.push_back(sys::real_path(home.agents()));
    for (const std::string& link : led->links)
        for (const std::string& place : work_places)
            if (is_below(link, place))
                throw base::Error(code,
                                  what + ": " + base::quoted(path) + ": agents work in " + place +
                                      " and may have made the link " + link,
                                  "name its target, which is now " + led->path);
    return led->path;
}

void check_place(const agent::Home& home, const sys::Environment& environment,
                 const std::string& what, const std::string& path) {
    const std::string home_path = std::filesystem::weakly_canonical(home.path());
    const bool is_of_home =
        (home_path == path || is_below(home_path, path) || is_below(path, home_path));
    if (path == "/" || is_of_home || path == user_home(environment))
        throw base::Error(base::ErrorCode::bad_request,
                          what + ": " + base::quoted(path) + ": not a place to work in",
                          "choose a directory other than /, your home directory, and CHORUS_HOME "
                          "with its parents and contents");
    if (const std::string git = sys::git_directory_around(path); !git.empty())
        throw base::Error(
            base::ErrorCode::bad_request,
            what + ": " + base::quoted(path) +
                ": not a place to work in: commands could write the hooks and "
                "configuration of the git directory " +
                git,
            "use its work tree; for a bare repository, create one with git worktree add");
}

void refuse_shared(const std::string& path, const std::string& what) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) throw base::system_error(path);
    const bool is_own = status.st_uid == geteuid() || status.st_uid == 0;
    if (is_own && (status.st_mode & 0022U) == 0) return;
    throw base::Error(
        base::ErrorCode::bad_request,
        what + ": " + base::quoted(path) + ": writable by other users",
        is_own ? "chmod go-w " + base::shell_quoted(path) : "work in a directory that you own");
}

std::string user_home(const sys::Environment& environment) {
    const std::string home = environment.get("HOME");
    return !home.empty() && sys::exists(home) ? sys::real_path(home) : "";
}

}  // namespace chorus::life
