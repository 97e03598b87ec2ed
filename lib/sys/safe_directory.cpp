#include "sys/safe_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sys/git_config.hpp"
#include "sys/place.hpp"

namespace chorus::sys {
namespace {

std::vector<std::string> configuration_files(const Environment& environment) {
    const std::string home = environment.get("HOME");
    const std::string xdg = environment.get("XDG_CONFIG_HOME", home + "/.config");
    const std::string system = environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig");
    if (const auto global = environment.find("GIT_CONFIG_GLOBAL")) return {system, *global};
    return {system, xdg + "/git/config", home + "/.gitconfig"};
}

bool names(std::string value, const std::string& workspace, const std::string& home) {
    if (value.starts_with("~/")) value.replace(0, 1, home);
    if (value == "*") return true;
    const bool is_above = value.ends_with("/*");
    if (is_above) value.resize(value.size() - 2);
    while (value.size() > 1 && value.ends_with('/')) value.pop_back();
    const std::string place = resolved(value).value_or(value);
    return is_above ? is_within(workspace, place) && workspace != place : workspace == place;
}

}  // namespace

bool owns_repository(const std::string& workspace, const GitPlace& place,
                     const Environment& environment) {
    const std::string sudo = geteuid() == 0 ? environment.get("SUDO_UID") : "";
    const std::array<std::string, 3> paths{workspace, workspace + "/.git", place.git_directory};
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
        const auto status = link_status(path);
        return !status || status->st_uid == geteuid() || std::to_string(status->st_uid) == sudo;
    });
}

bool is_safe_directory(const std::string& workspace, const Environment& environment) {
    bool is_safe = false;
    for (const std::string& file : configuration_files(environment))
        for (const std::string& value : git_values(read_git_file(file), "safe", "directory"))
            is_safe =
                !value.empty() && (is_safe || names(value, workspace, environment.get("HOME")));
    return is_safe;
}

}  // namespace chorus::sys
