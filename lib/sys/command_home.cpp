#include "sys/command_home.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "sys/file.hpp"
#include "sys/homes.hpp"
#include "sys/path_status.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_settings_bytes = 1U << 20;
constexpr std::string_view home_prefix = "home-";

void remove_left_homes(const std::string& parent) {
    for (const std::string& name : list_directory(parent)) {
        if (!name.starts_with(home_prefix)) continue;
        const std::string path = parent + "/" + name;
        const Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!fd || fstat(fd.get(), &status) != 0) continue;
        const bool is_being_made = time(nullptr) - status.st_ctim.tv_sec < 60;
        if (!is_being_made && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) try_remove_tree(path);
    }
}

bool has(const ProcessCommand& command, std::string_view name) {
    return std::any_of(command.environment.begin(), command.environment.end(),
                       [&](const std::string& line) {
                           return line.starts_with(name) && line.substr(name.size(), 1) == "=";
                       });
}

std::string beside(const std::string& home) {
    return home.substr(0, home.rfind('/') + 1);
}

std::unique_ptr<HomeOutside> make_home(const Sandbox& sandbox) {
    make_directory(sandbox.belongings);
    remove_left_homes(sandbox.belongings);
    return std::make_unique<HomeOutside>(sandbox.belongings, cache_links(sandbox, ""));
}

// A variable that the agent's configuration sets is kept.
void set(ProcessCommand& command, const char* name, const std::string& value) {
    if (!has(command, name)) command.environment.push_back(std::string(name) + "=" + value);
}

}  // namespace

// Chosen so that it neither contains the workspace nor lies in it.
std::string home_inside(const Sandbox& sandbox) {
    const std::string place = "/tmp/chorus";
    const std::string& workspace = sandbox.workspace;
    const bool is_apart =
        workspace.empty() || (!is_within(place, workspace) && !is_within(workspace, place));
    return (is_apart ? place : "/dev/shm/chorus") + "/home";
}

std::string home_outside(const Sandbox& sandbox, ProcessCommand& command) {
    if (sandbox.belongings.empty()) return {};
    std::unique_ptr<HomeOutside> home = sandbox.homes ? sandbox.homes->take() : nullptr;
    if (!home) home = make_home(sandbox);
    const std::string path = home->home();
    const auto leave = [homes = sandbox.homes](HomeOutside* used) {
        std::unique_ptr<HomeOutside> left(used);
        if (homes && left->is_as_made()) homes->give_back(std::move(left));
    };
    command.held.push_back(std::shared_ptr<HomeOutside>(home.release(), leave));
    return path;
}

std::shared_ptr<Homes> keep_homes() {
    return std::make_shared<Homes>();
}

std::string cache_of(const Sandbox& sandbox) {
    return sandbox.belongings + "/cache";
}

std::vector<std::pair<std::string, std::string>> cache_links(const Sandbox& sandbox,
                                                             const std::string& home) {
    std::vector<std::pair<std::string, std::string>> links;
    for (std::string path : {"cargo/git", "cargo/registry", "gradle/caches", "gradle/wrapper"}) {
        if (sandbox.belongings.empty()) break;
        const std::string link = beside(home) + path;
        std::replace(path.begin(), path.end(), '/', '-');
        links.emplace_back(link, cache_of(sandbox) + "/" + path);
    }
    return links;
}

std::string git_configuration_of(const Sandbox& sandbox) {
    return sandbox.belongings + "/gitconfig";
}

void furnish(const Sandbox& sandbox, const std::string& home, ProcessCommand& command) {
    if (!home.empty()) command.environment.push_back("HOME=" + home);
    if (sandbox.belongings.empty()) return;
    const std::string cache = cache_of(sandbox);
    make_directory(cache);
    set(command, "XDG_CACHE_HOME", cache);
    // these programs ignore XDG_CACHE_HOME
    set(command, "GOMODCACHE", cache + "/go-mod");
    set(command, "npm_config_cache", cache + "/npm");
    // these directories also hold settings that start programs, so only their caches are kept
    set(command, "CARGO_HOME", beside(home) + "cargo");
    set(command, "GRADLE_USER_HOME", beside(home) + "gradle");
    // directly in the cache directory: below it a command may have made a link
    for (const auto& [link, kept] : cache_links(sandbox, home))
        if (!link_status(kept) && mkdir(kept.c_str(), 0700) != 0 && errno != EEXIST)
            throw base::system_error(kept);

    const std::string git = git_configuration_of(sandbox);
    if (read_file_if_there(git, most_settings_bytes) != sandbox.git_settings)
        write_file(git, sandbox.git_settings, 0400);
    set(command, "GIT_CONFIG_GLOBAL", git);
    set(command, "GIT_CONFIG_SYSTEM", "/dev/null");
}

}  // namespace chorus::sys
