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
#include "sys/place.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_settings_bytes = 1U << 20;
constexpr std::string_view home_prefix = "home-";

// Locked as long as its command is there: one that a killed process left is known by that.
class HomeOutside {
  public:
    explicit HomeOutside(const std::string& parent) : path_(parent + "/home-XXXXXX") {
        if (mkdtemp(path_.data()) == nullptr) throw base::system_error(path_);
        fd_ = Fd(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!fd_ || flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) throw base::system_error(path_);
    }
    ~HomeOutside() { try_remove_tree(path_); }
    HomeOutside(const HomeOutside&) = delete;
    HomeOutside& operator=(const HomeOutside&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    Fd fd_;
};

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

bool has(const Command& command, std::string_view name) {
    return std::any_of(command.environment.begin(), command.environment.end(),
                       [&](const std::string& line) {
                           return line.starts_with(name) && line.substr(name.size(), 1) == "=";
                       });
}

std::string tools_beside(const std::string& home) {
    return home.substr(0, home.rfind('/')) + "/tools/";
}

// One that the agent's configuration names stays.
void set(Command& command, const char* name, const std::string& value) {
    if (!has(command, name)) command.environment.push_back(std::string(name) + "=" + value);
}

}  // namespace

// Not in a workspace, whatever that is.
std::string home_inside(const Sandbox& sandbox) {
    const std::string place = "/tmp/chorus";
    const std::string& workspace = sandbox.workspace;
    const bool is_apart =
        workspace.empty() || (!is_within(place, workspace) && !is_within(workspace, place));
    return (is_apart ? place : "/dev/shm/chorus") + "/home";
}

std::string home_outside(const Sandbox& sandbox, Command& command) {
    if (sandbox.belongings.empty()) return {};
    make_directory(sandbox.belongings);
    remove_left_homes(sandbox.belongings);
    const auto home = std::make_shared<const HomeOutside>(sandbox.belongings);
    command.held.push_back(home);
    const std::string path = home->path() + "/home";
    make_directory(path);
    for (const auto& [link, kept] : cache_links(sandbox, path)) {
        make_directory(link.substr(0, link.rfind('/')));
        if (symlink(kept.c_str(), link.c_str()) != 0) throw base::system_error(link);
    }
    return path;
}

std::string cache_of(const Sandbox& sandbox) {
    return sandbox.belongings + "/cache";
}

std::vector<std::pair<std::string, std::string>> cache_links(const Sandbox& sandbox,
                                                             const std::string& home) {
    std::vector<std::pair<std::string, std::string>> links;
    for (std::string path : {"cargo/git", "cargo/registry", "gradle/caches", "gradle/wrapper"}) {
        if (sandbox.belongings.empty()) break;
        const std::string link = tools_beside(home) + path;
        std::replace(path.begin(), path.end(), '/', '-');
        links.emplace_back(link, cache_of(sandbox) + "/" + path);
    }
    return links;
}

std::string git_configuration_of(const Sandbox& sandbox) {
    return sandbox.belongings + "/gitconfig";
}

void furnish(const Sandbox& sandbox, const std::string& home, Command& command) {
    if (!home.empty()) command.environment.push_back("HOME=" + home);
    if (sandbox.belongings.empty()) return;
    const std::string cache = cache_of(sandbox);
    make_directory(cache);
    set(command, "XDG_CACHE_HOME", cache);
    // these do not look at it
    set(command, "GOMODCACHE", cache + "/go-mod");
    set(command, "npm_config_cache", cache + "/npm");
    // beside their caches these have settings that start programs
    set(command, "CARGO_HOME", tools_beside(home) + "cargo");
    set(command, "GRADLE_USER_HOME", tools_beside(home) + "gradle");
    // right in the cache: below it a command may have put a link in the way
    for (const auto& [link, kept] : cache_links(sandbox, home))
        if (mkdir(kept.c_str(), 0700) != 0 && errno != EEXIST) throw base::system_error(kept);

    const std::string git = git_configuration_of(sandbox);
    if (read_file_if_there(git, most_settings_bytes) != sandbox.git_settings)
        write_file(git, sandbox.git_settings, 0400);
    set(command, "GIT_CONFIG_GLOBAL", git);
    set(command, "GIT_CONFIG_SYSTEM", "/dev/null");
}

}  // namespace chorus::sys
