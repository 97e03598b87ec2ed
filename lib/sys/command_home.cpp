#include "sys/command_home.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_settings_bytes = 1U << 20;
constexpr std::string_view home_prefix = "home-";

void remove_left_homes(const std::string& parent) {
    for (const std::string& name : list_directory(parent)) {
        if (!name.starts_with(home_prefix)) continue;
        const std::string path = parent + "/" + name;
        const Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        const auto status = fd ? opened_status(fd) : std::nullopt;
        if (!status) continue;
        const bool is_being_made = time(nullptr) - status->st_ctim.tv_sec < 60;
        if (!is_being_made && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) try_remove_tree(path);
    }
}

std::string beside(const std::string& home) {
    return home.substr(0, home.rfind('/') + 1);
}

// A new directory with links in it, locked while this process uses it: an unlocked one was left by
// a killed process. The destructor removes it.
class HomeOutside {
  public:
    // `links`: paths below the directory, and their targets.
    HomeOutside(const std::string& parent,
                const std::vector<std::pair<std::string, std::string>>& links)
        : path_(parent + "/home-XXXXXX") {
        if (mkdtemp(path_.data()) == nullptr) throw base::system_error(path_);
        fd_ = Fd(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!fd_ || flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) throw base::system_error(path_);
        directories_.push_back(path_);
        for (const auto& [name, target] : links) {
            const std::string link = path_ + "/" + name;
            const std::string directory = link.substr(0, link.rfind('/'));
            if (directories_.back() != directory) {
                make_directory(directory);
                directories_.push_back(directory);
            }
            if (symlink(target.c_str(), link.c_str()) != 0) throw base::system_error(link);
        }
        make_directory(home());
        directories_.push_back(home());
        if (!list(made_)) throw base::system_error(path_);
    }
    ~HomeOutside() { try_remove_tree(path_); }
    HomeOutside(const HomeOutside&) = delete;
    HomeOutside& operator=(const HomeOutside&) = delete;

    // The home itself, which is made empty.
    std::string home() const { return path_ + "/home"; }
    bool is_as_made() const {
        std::vector<std::string> left;
        return list(left) && left == made_;
    }

  private:
    // Lists all entries and the targets of links; the inode shows whether a directory was replaced.
    // Returns false where they cannot be read.
    bool list(std::vector<std::string>& all) const {
        for (const std::string& directory : directories_) {
            const DirectoryStream stream = stream_of(
                Fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
            const auto status = stream ? opened_status(dirfd(stream.get())) : std::nullopt;
            if (!status) return false;
            all.push_back(directory + " " + std::to_string(status->st_ino) + " " +
                          std::to_string(status->st_uid) + " " + std::to_string(status->st_mode));
            while (const dirent* entry = next_entry(stream.get()))
                all.push_back(directory + "/" + entry->d_name + " " +
                              link_target(dirfd(stream.get()), entry->d_name));
            if (errno != 0) return false;
        }
        std::sort(all.begin(), all.end());
        return true;
    }

    std::string path_;
    Fd fd_;
    std::vector<std::string> directories_;
    std::vector<std::string> made_;
};

std::unique_ptr<HomeOutside> make_home(const Sandbox& sandbox) {
    make_directory(sandbox.belongings);
    remove_left_homes(sandbox.belongings);
    return std::make_unique<HomeOutside>(sandbox.belongings, cache_links(sandbox, ""));
}

// A variable that the agent's configuration sets is kept.
void set(ProcessCommand& command, const std::string& name, const std::string& value) {
    const auto sets_it = [&](const std::string& line) { return line.starts_with(name + "="); };
    std::vector<std::string>& all = command.environment;
    if (std::none_of(all.begin(), all.end(), sets_it)) all.push_back(name + "=" + value);
}

}  // namespace

// Keeps homes that a command left unchanged for the next one: making and removing such directories
// takes hundreds of microseconds.
class Homes {
  public:
    // Returns null where all are in use.
    std::unique_ptr<HomeOutside> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return nullptr;
        std::unique_ptr<HomeOutside> home = std::move(free_.back());
        free_.pop_back();
        return home;
    }
    void give_back(std::unique_ptr<HomeOutside> home) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(home));
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<HomeOutside>> free_;
};

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
