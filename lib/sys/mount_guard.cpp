#include "sys/mount_guard.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/hash.hpp"
#include "sys/open_beneath.hpp"
#include "sys/path_status.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_compared_bytes = 1U << 20;

std::string hash_of(const Fd& file) {
    struct stat status {};
    std::string content;
    const bool is_read = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         try_read_all(file.get(), most_compared_bytes, content);
    return is_read ? base::sha256_hex(content) : "";
}

}  // namespace

std::string MountGuard::hold(const std::string& path) {
    Fd held = open_real(path, O_PATH | O_NOFOLLOW);
    struct stat status {};
    if (!held || fstat(held.get(), &status) != 0) return {};
    all_.push_back({path, std::move(held)});
    return name_of(status);
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
        struct stat then {};
        if (!now || fstat(guarded.held.get(), &then) != 0 || now->st_dev != then.st_dev ||
            now->st_ino != then.st_ino)
            return guarded.path;
    }
    return {};
}

std::string MountGuard::told(const std::string& path) const {
    const auto guarded = std::find_if(all_.begin(), all_.end(),
                                      [&](const Guarded& one) { return one.path == path; });
    const std::string held = "/proc/self/fd/" + std::to_string(guarded->held.get());
    const bool is_alike =
        hash_of(Fd(open(held.c_str(), read_only))) == hash_of(open_real(path, read_only));
    const char* now = !link_status(path) ? "it was removed"
                      : is_alike         ? "its content is unchanged"
                                         : "its content has changed";
    return path +
           " was replaced from outside while the sandbox protected it; the command was ended; " +
           now;
}

}  // namespace chorus::sys
