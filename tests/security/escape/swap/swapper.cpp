#include "swapper.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>

namespace escape {
namespace {

constexpr std::int64_t bursts_between_heals = 32;
constexpr std::size_t least_ref = 8;  // bytes of a HEAD or ref that says something
constexpr int deepest_cleared = 5;
constexpr unsigned fifos_released = 64;
constexpr time_t old_seconds = 1;
constexpr std::size_t largest_cut = 1U << 20;

void spin_us(unsigned duration) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(duration);
    while (std::chrono::steady_clock::now() < until) continue;
}

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

bool is_decoy(const struct stat& status) {
    return S_ISLNK(status.st_mode) || S_ISFIFO(status.st_mode);
}

}  // namespace

void Swapper::burst() {
    if (!ground_.stand()) return rest();
    if (++counts_.bursts % bursts_between_heals == 0) heal();
    const Spot target = ground_.spot(targets_.choose(random_));
    if (!target.directory) return;
    const unsigned kind = random_() % 64;
    if (kind == 0) return change_mode(target);
    if (kind == 1) return cut(target);
    const std::string path = targets_.decoy_for(target.path, random_);
    Spot decoy = ground_.spot(path);
    if (!decoy.directory) {
        ground_.make_directory(path.substr(0, path.rfind('/')));
        decoy = ground_.spot(path);
        if (!decoy.directory) return;
    }
    remove_entry(decoy.directory.get(), decoy.name);
    struct stat made {};
    if (!decoys_.make(decoy, target, random_) || !decoy.look(made)) return;
    if (target.is_there() && random_() % 4 != 0)
        exchange(target, decoy);
    else
        move_in_and_out(target, decoy, ground_.spot(path + "-aside"));
    settle(target, decoy, made);
    rest();
}

bool Swapper::move(const Spot& from, const Spot& to, unsigned flags) {
    ++counts_.swaps;
    return renameat2(from.directory.get(), from.name.c_str(), to.directory.get(), to.name.c_str(),
                     flags) == 0;
}

void Swapper::exchange(const Spot& target, const Spot& decoy) {
    const unsigned pairs = 1 + random_() % 48;
    for (unsigned i = 0; i < pairs; ++i) {
        move(target, decoy, RENAME_EXCHANGE);
        hold();
        move(target, decoy, RENAME_EXCHANGE);
        if (random_() % 2 == 0) hold();
    }
}

void Swapper::move_in_and_out(const Spot& target, const Spot& decoy, const Spot& aside) {
    const unsigned times = 1 + random_() % 12;
    for (unsigned i = 0; i < times; ++i) {
        const bool was_there = move(target, aside, RENAME_NOREPLACE);
        move(decoy, target, RENAME_NOREPLACE);
        hold();
        move(target, decoy, RENAME_NOREPLACE);
        if (was_there) move(aside, target, RENAME_NOREPLACE);
        if (random_() % 2 == 0) hold();
    }
    remove_entry(aside.directory.get(), aside.name);
}

// Somebody else has written here meanwhile: what is not the decoy is the better target.
void Swapper::settle(const Spot& target, const Spot& decoy, const struct stat& made) {
    struct stat now {};
    if (target.look(now) && (is_same(now, made) || is_decoy(now)) &&
        !move(target, decoy, RENAME_EXCHANGE))
        move(target, decoy);
    struct stat put_aside {};
    if (!target.is_there() && decoy.look(put_aside) && !is_same(put_aside, made))
        move(decoy, target, RENAME_NOREPLACE);
    // now and then one that waits is left to wait: that is to have its bound
    if (random_() % fifos_released != 0) release(decoy.directory.get(), decoy.name);
    remove_entry(decoy.directory.get(), decoy.name);
}

void Swapper::change_mode(const Spot& target) {
    constexpr std::array<mode_t, 6> modes{0, 0111, 0444, 0600, 0755, 0777};
    const Fd file(openat(target.directory.get(), target.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) return;
    fchmod(file.get(), modes[random_() % modes.size()]);
    hold();
    fchmod(file.get(), status.st_mode & 0777U);
}

// A file that is mapped by somebody loses its pages.
void Swapper::cut(const Spot& target) {
    const std::string text = text_of(target.directory.get(), target.name);
    const Fd file(openat(target.directory.get(), target.name.c_str(),
                         O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || text.empty() || text.size() > largest_cut || fstat(file.get(), &status) != 0 ||
        !S_ISREG(status.st_mode))
        return;
    if (ftruncate(file.get(), 0) != 0) return;
    hold();
    if (pwrite(file.get(), text.data(), text.size(), 0) < 0) return;
}

// Where nothing works any more nothing is attacked: what two of these have left in the place of
// each other's targets goes, and what a repository cannot be without comes back.
void Swapper::heal() {
    clear("", 0);
    const Spot head = ground_.spot(".git/HEAD");
    if (!head.directory) return;
    for (const char* name : {"objects/info", "objects/pack", "refs/heads", "refs/tags"})
        ground_.make_directory(std::string(".git/") + name);
    if (text_of(head.directory.get(), head.name).size() < least_ref) {
        remove_entry(head.directory.get(), head.name);
        make_file(head.directory.get(), head.name, "ref: refs/heads/main\n");
    }
    const Spot main = ground_.spot(".git/refs/heads/main");
    if (!main.directory) return;
    const std::string commit = text_of(main.directory.get(), main.name);
    if (commit.size() > least_ref && first_commit_.empty()) first_commit_ = commit;
    if (commit.size() > least_ref || first_commit_.empty()) return;
    remove_entry(main.directory.get(), main.name);
    make_file(main.directory.get(), main.name, first_commit_);
}

void Swapper::clear(const std::string& path, int depth) {
    const Spot inner = ground_.spot(joined(path, "."));
    if (!inner.directory || depth > deepest_cleared) return;
    for (const std::string& name : names_in(inner.directory.get())) {
        const std::string each = joined(path, name);
        struct stat status {};
        if (!targets_.is_allowed(each) ||
            fstatat(inner.directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        const bool is_old_lock =
            name.ends_with(".lock") && status.st_mtime + old_seconds < time(nullptr);
        if (is_decoy(status) || is_old_lock || (name == "index" && status.st_size == 0)) {
            release(inner.directory.get(), name);
            remove_entry(inner.directory.get(), name);
        }
        if (S_ISDIR(status.st_mode)) clear(each, depth + 1);
    }
}

void Swapper::hold() {
    const unsigned kind = random_() % 16;
    if (kind < 8) return;
    if (kind < 14) return spin_us(1U << (random_() % 8));
    usleep(static_cast<useconds_t>(100 << (random_() % 5)));
}

void Swapper::rest() {
    usleep(static_cast<useconds_t>(200 + random_() % (random_() % 4 == 0 ? 30'000 : 4'000)));
}

}  // namespace escape
