#include "sys/mounts.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "sys/command_home.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/git_guard.hpp"
#include "sys/open_beneath.hpp"
#include "sys/plants.hpp"
#include "sys/scoped_mounts.hpp"
#include "sys/system_places.hpp"

namespace chorus::sys {

void Mounts::bind(const std::string& path) {
    if (const auto real = resolved(path)) visible_[path] = *real;
    arguments_[path] = {"--ro-bind", path, path};
}

void Mounts::bind(const std::string& path, const std::string& real) {
    const Fd place = open_real(real, O_PATH);
    if (!place && errno == ENOENT) return;
    const auto status = place ? opened_status(place) : std::nullopt;
    if (!status) throw not_opened_real(real);
    visible_[path] = real;
    arguments_[path] = {"--ro-bind", real, path};
    leave_inside("--bound", path, MountGuard::name_of(*status));
}

void Mounts::bind_writable(const std::string& path) {
    bind_writable(path, open_real(path, O_PATH | O_DIRECTORY));
}

void Mounts::bind_writable(const std::string& path, const Fd& directory) {
    const auto status = directory ? opened_status(directory) : std::nullopt;
    if (!status) throw not_opened_real(path);
    bind(path);
    arguments_[path].front() = "--bind";
    writable_.push_back(path);
    leave_inside("--bound", path, MountGuard::name_of(*status));
}

std::string Mounts::source_of(const std::string& path) const {
    std::string real = path;
    for (const auto& [place, source] : visible_)  // the longest comes last
        if (is_within(path, place)) real = source + path.substr(place.size());
    return real;
}

void Mounts::mount_inside(const char* how, const std::string& path) {
    const std::string identity = guard_->hold(source_of(path));
    if (identity.empty())
        throw base::Error(base::ErrorCode::failed,
                          path + ": it was removed or replaced while the sandbox was set up");
    leave_inside(how, path, identity);
}

// A bind of "/" shows the links of paths too, so the resolved path is used.
void Mounts::leave_inside(const char* how, const std::string& path, const std::string& identity) {
    inside_.insert(inside_.end(), {how, has("/") ? source_of(path) : path, identity});
}

void Mounts::put(const std::string& path, std::vector<std::string> arguments) {
    visible_.erase(path);
    arguments_[path] = std::move(arguments);
}

void Mounts::mask(const std::string& path) {
    const auto real = resolved(path);
    if (!real) return;
    std::set<std::string> paths;
    for (const auto& [place, source] : visible_) {
        if (!is_within(*real, source)) continue;
        const std::string rest = real->substr(source == "/" ? 0 : source.size());
        paths.insert(place == "/" ? rest : place + rest);
    }
    for (const std::string& inside : paths) hide(inside, *real);
}

// What bwrap mounts below the path must stay visible, so bwrap itself hides the rest.
void Mounts::hide(const std::string& path, const std::string& real) {
    const auto below = arguments_.lower_bound(path + "/");
    const bool holds_more = below != arguments_.end() && is_within(below->first, path);
    if (!holds_more && !has(path)) return mount_inside("--hidden", path);
    guard_->hold(real);
    if (is_directory(real))
        arguments_[path] = {"--tmpfs", path};
    else
        arguments_[path] = {"--ro-bind", "/dev/null", path};
}

bool Mounts::shows(const std::string& path) const {
    for (const auto& [place, source] : visible_)
        if (is_within(path, place)) return true;
    return false;
}

void Mounts::append_to(std::vector<std::string>& all) const {
    for (const auto& [path, arguments] : arguments_)
        all.insert(all.end(), arguments.begin(), arguments.end());
}

namespace {

void add_readable(Mounts& mounts, const Sandbox& sandbox) {
    for (const auto& [path, real] : sandbox.readable) {
        const bool in_workspace = !sandbox.workspace.empty() && is_within(path, sandbox.workspace);
        if (path.starts_with('/') && !in_workspace && !real.empty()) mounts.bind(path, real);
    }
}

void add_system(Mounts& mounts) {
    // Read-only even where Landlock is missing: /proc/sys belongs to the host, and root may write
    // it.
    mounts.put("/proc", {"--proc", "/proc", "--remount-ro", "/proc"});
    mounts.put("/dev", {"--dev", "/dev"});
    mounts.put("/tmp", {"--tmpfs", "/tmp"});
    if (mounts.has("/")) return;
    for (const std::string path : system_directories) {
        const auto status = link_status(path);
        if (!status) continue;
        if (S_ISLNK(status->st_mode)) {
            const std::string target = link_target(AT_FDCWD, path);
            if (!target.empty()) mounts.put(path, {"--symlink", target, path});
        } else {
            mounts.bind(path);
        }
    }
}

// resolv.conf is often a link to what a service writes under /run.
void add_resolver(Mounts& mounts) {
    const auto target = resolved("/etc/resolv.conf");
    if (target && !mounts.shows(*target)) mounts.bind(*target);
}

void add_workspace(Mounts& mounts, const Sandbox& sandbox) {
    const std::string& workspace = sandbox.workspace;
    if (workspace.empty()) return;
    if (!sandbox.rules.empty()) return add_scoped(mounts, workspace, sandbox.rules);
    mounts.bind_writable(workspace);
    // Absent files are not protected: that takes a mount point, and the programs that read these
    // files fail on an empty one. Nor are files in a subdirectory, which a command can replace.
    for (const std::string_view name : Plants::settings_files()) {
        if (name.find('/') != name.npos) continue;
        const std::string path = join_path(workspace, name);
        const auto status = link_status(path);
        if (status && S_ISREG(status->st_mode)) mounts.make_read_only(path);
    }
    add_git(mounts, workspace);
}

void mask_secrets(Mounts& mounts, const std::vector<std::string>& masked) {
    for (const std::string& path : system_secrets()) mounts.mask(path);
    for (const std::string& path : masked) mounts.mask(path);
}

}  // namespace

Mounts mounts_of(const Sandbox& sandbox) {
    Mounts mounts;
    add_readable(mounts, sandbox);
    add_system(mounts);
    const std::string home = home_inside(sandbox);
    mounts.put(home, {"--perms", "0700", "--dir", home});
    for (const auto& [link, kept] : cache_links(sandbox, home))
        mounts.put(link, {"--symlink", kept, link});
    if (!sandbox.belongings.empty()) {
        const std::string cache = cache_of(sandbox);
        mounts.bind_writable(cache, open_real(real_path(cache), O_PATH | O_DIRECTORY));
        mounts.bind(git_configuration_of(sandbox));
    }
    add_workspace(mounts, sandbox);
    if (sandbox.mode == SandboxMode::workspace_net) add_resolver(mounts);
    mask_secrets(mounts, sandbox.masked);
    return mounts;
}

std::string MountGuard::hold(const std::string& path) {
    Fd held = open_real(path, O_PATH | O_NOFOLLOW);
    const auto status = held ? opened_status(held) : std::nullopt;
    if (!status) return {};
    all_.push_back({path, std::move(held)});
    return name_of(*status);
}

std::string MountGuard::name_of(const struct stat& status) {
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

void MountGuard::watch() {
    events_ = Fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    std::set<std::string> watched;
    for (const Guarded& guarded : all_) {
        const std::string parent = guarded.path.substr(0, guarded.path.rfind('/') + 1);
        if (events_ && watched.insert(parent).second &&
            inotify_add_watch(events_.get(), parent.c_str(),
                              IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) < 0)
            events_.reset();
    }
}

std::string MountGuard::replaced() {
    std::array<char, 4096> events{};
    while (events_ && read(events_.get(), events.data(), events.size()) > 0) continue;
    for (const Guarded& guarded : all_) {
        const auto now = link_status(guarded.path);
        const auto then = opened_status(guarded.held);
        if (!now || !then || !is_same_inode(*now, *then)) return guarded.path;
    }
    return {};
}

std::string MountGuard::told(const std::string& path) const {
    constexpr std::size_t most_compared_bytes = 1U << 20;
    const auto guarded = std::find_if(all_.begin(), all_.end(),
                                      [&](const Guarded& one) { return one.path == path; });
    const Fd held(open(proc_path(guarded->held.get()).c_str(), read_only));
    const bool is_alike = read_regular(held, most_compared_bytes) ==
                          read_regular(open_real(path, read_only), most_compared_bytes);
    const char* now = !link_status(path) ? "it was removed"
                      : is_alike         ? "its content is unchanged"
                                         : "its content has changed";
    return path +
           " was replaced from outside while the sandbox protected it; the command was ended; " +
           now;
}

}  // namespace chorus::sys
