#include "life/named_path.hpp"

#include <filesystem>

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
                                      ", and the link " + link + " may be theirs",
                                  "name what is meant; now it is " + led->path);
    return led->path;
}

void check_place(const agent::Home& home, const sys::Environment& environment,
                 const std::string& what, const std::string& path) {
    const std::string home_path = std::filesystem::weakly_canonical(home.path());
    const std::string user_home = environment.get("HOME");
    const bool is_user_home =
        !user_home.empty() && sys::exists(user_home) && sys::real_path(user_home) == path;
    const bool is_of_home =
        (home_path == path || is_below(home_path, path) || is_below(path, home_path));
    if (path == "/" || is_of_home || is_user_home)
        throw base::Error(base::ErrorCode::bad_request,
                          what + ": " + base::quoted(path) + ": not a place to work in",
                          "not /, a home directory, or what holds or belongs to CHORUS_HOME");
    if (const std::string git = sys::git_directory_around(path); !git.empty())
        throw base::Error(base::ErrorCode::bad_request,
                          what + ": " + base::quoted(path) +
                              ": not a place to work in: commands could write the hooks and "
                              "configuration of the git directory " +
                              git,
                          "name its work tree; of a bare repository git worktree add makes one");
}

}  // namespace chorus::life
