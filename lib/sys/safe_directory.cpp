#include "sys/safe_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "sys/git_config.hpp"
#include "sys/path_status.hpp"

namespace chorus::sys {
namespace {

bool names(std::string value, const std::string& directory) {
    if (value == "*") return true;
    const bool is_above = value.ends_with("/*");
    if (is_above) value.resize(value.size() - 2);
    while (value.size() > 1 && value.ends_with('/')) value.pop_back();
    const std::string place = resolved(value).value_or(value);
    return is_above ? is_within(directory, place) && directory != place : directory == place;
}

bool owns(const std::string& directory, const GitPlace& place, const Environment& environment) {
    const std::string sudo = geteuid() == 0 ? environment.get("SUDO_UID") : "";
    const std::array<std::string, 3> paths{directory, directory + "/.git", place.git_directory};
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
        const auto status = link_status(path);
        return !status || status->st_uid == geteuid() || std::to_string(status->st_uid) == sudo;
    });
}

}  // namespace

void check_owner(const std::string& what, const std::string& directory, const GitPlace& place) {
    const auto environment = Environment::of_process();
    if (owns(directory, place, environment)) return;
    for (const std::string& value : safe_directories(environment))
        if (names(value, directory)) return;
    throw base::Error(base::ErrorCode::failed, what + ": the repository belongs to another user",
                      "git config --global --add safe.directory " + base::shell_quoted(directory));
}

std::vector<std::string> safe_directories(const Environment& environment) {
    const std::string home = environment.get("HOME");
    std::vector<std::string> files{environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")};
    if (environment.has("GIT_CONFIG_GLOBAL")) {
        files.push_back(environment.get("GIT_CONFIG_GLOBAL"));
    } else if (!home.empty()) {
        files.push_back(environment.get("XDG_CONFIG_HOME", home + "/.config") + "/git/config");
        files.push_back(home + "/.gitconfig");
    }
    std::vector<std::string> all;
    for (const std::string& file : files)
        for (std::string& value : git_values(read_git_file(file), "safe", "directory")) {
            if (value.starts_with("~/")) value.replace(0, 1, home);
            if (value.empty())
                all.clear();
            else
                all.push_back(std::move(value));
        }
    return all;
}

}  // namespace chorus::sys
