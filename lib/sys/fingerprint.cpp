#include "sys/fingerprint.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/hash.hpp"
#include "sys/descent.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

// Timestamps of file systems are coarse: a second change within this time can leave the same ones.
constexpr std::uint64_t young_ns = 20'000'000;
constexpr std::size_t most_hashed_bytes = 16U << 20;
// Stands for content that cannot be read; never equal to anything.
constexpr std::string_view unknown("\0", 1);

// What git and the git tools write in a git directory with nearly every command. None of it names a
// program.
constexpr std::array written_directories{"objects", "refs", "logs"};
constexpr std::array written_files{
    "HEAD",     "HEAD.lock",        "*_HEAD",  "*_EDITMSG",    "*_MSG",         "MERGE_MODE",
    "MERGE_RR", "AUTO_MERGE",       "index",   "index.lock",   "sharedindex.*", "packed-refs",
    "gc.*",     "packed-refs.lock", "shallow", "shallow.lock", "chorus.mutex"};

template <std::size_t count>
bool is_one_of(const std::array<const char*, count>& patterns, const char* name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const char* pattern) { return fnmatch(pattern, name, 0) == 0; });
}

bool is_written_by_git(const char* name, mode_t mode) {
    return (S_ISDIR(mode) && is_one_of(written_directories, name)) ||
           (S_ISREG(mode) && is_one_of(written_files, name));
}

std::uint64_t ns_of(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t now_ns() {
    const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(now.count());
}

// Returns the SHA-256 of the content, or `unknown` where it cannot be read or the path is another
// inode now.
std::string hash_of(int directory, const std::string& path, std::uint64_t inode) {
    const Fd file = open_beneath(directory, path, read_only | O_NOFOLLOW, Links::none);
    const auto status = file ? opened_status(file) : std::nullopt;
    std::string content;
    if (!status || status->st_ino != inode || !try_read_all(file.get(), most_hashed_bytes, content))
        return std::string(unknown);
    return base::sha256_hex(content);
}

void add_number(std::string& text, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) text += static_cast<char>(0x80U | (number & 0x7fU));
    text += static_cast<char>(number);
}

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}
    bool at_end() const { return text_.empty(); }
    bool failed() const { return failed_; }

    std::uint64_t number() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (text_.empty()) break;
            const auto byte = static_cast<unsigned char>(text_.front());
            text_.remove_prefix(1);
            number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80) return number;
        }
        failed_ = true;
        text_ = {};
        return 0;
    }
    std::string_view bytes() {
        const std::uint64_t size = number();
        if (size > text_.size()) {
            failed_ = true;
            text_ = {};
        }
        const std::string_view bytes = text_.substr(0, size);
        text_.remove_prefix(bytes.size());
        return bytes;
    }

  private:
    std::string_view text_;
    bool failed_ = false;
};

}  // namespace

// One walk by descriptors over the tree.
class Fingerprint::Look {
  public:
    enum class Scope { all, files };
    explicit Look(const Root& root, Scope scope = Scope::all)
        : root_(root.fd()), scope_(scope), descent_(root_) {}

    std::vector<Entry> run() {
        open_.push_back({});
        while (!open_.empty()) {
            const Open directory = std::move(open_.back());
            open_.pop_back();
            look_through(directory);
        }
        std::sort(entries_.begin(), entries_.end(),
                  [](const Entry& a, const Entry& b) { return a.path < b.path; });
        return std::move(entries_);
    }

    std::vector<Entry> run_at(const std::string& path) {
        const Fd file = open_beneath(root_, path, O_PATH | O_NOFOLLOW, Links::none);
        const auto status = file ? opened_status(file) : std::nullopt;
        if (status) add(root_, path.c_str(), path, *status);
        return std::move(entries_);
    }

  private:
    struct Open {
        std::string path = {};   // "" or ends in '/'
        bool is_in_git = false;  // below a git directory
        bool is_git = false;
    };

    void look_through(Open directory) {
        const std::string& path = directory.path;
        const Fd& fd = descent_.open(path);
        if (!fd) return cannot_look_into(path);
        directory.is_git = scope_ == Scope::all &&
                           (directory.is_in_git || path == ".git/" || path.ends_with("/.git/")) &&
                           is_git_directory(fd.get());
        directory.is_in_git |= directory.is_git;
        const bool is_read = for_each_entry(
            fd, names_, [&](const dirent64& entry) { note(fd.get(), directory, entry.d_name); });
        if (!is_read) cannot_look_into(path);
    }

    // To change a directory without read permission, its mode has to be changed first, which
    // updates its change time.
    void cannot_look_into(const std::string& directory) {
        const int error = errno;
        const Fd place = open_beneath(root_, directory.empty() ? "." : directory,
                                      O_PATH | O_DIRECTORY | O_NOFOLLOW, Links::none);
        if (error == ENOENT) return;
        const auto status = error == EACCES && place ? opened_status(place) : std::nullopt;
        if (status)
            entries_.push_back(
                {directory, status->st_mode, status->st_ino, 0, 0, ns_of(status->st_ctim)});
        else
            entries_.push_back({.path = directory, .more = std::string(unknown)});
    }

    // Skips mount points of running commands and the directories around them, which come and go.
    void note(int fd, const Open& directory, const char* name) {
        const std::string_view shown = name;
        if (scope_ == Scope::files &&
            (is_temporary(shown) || (directory.path.empty() && is_git_name(shown))))
            return;
        struct stat status {};
        if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
        if (directory.is_git && is_written_by_git(name, status.st_mode)) return;
        if (directory.is_in_git && is_mount_point(fd, name)) return;
        std::string path = directory.path + name;
        if (S_ISDIR(status.st_mode)) {
            open_.push_back({path + "/", directory.is_in_git});
            if (directory.is_in_git || (scope_ == Scope::all && shown == ".git")) return;
        }
        add(fd, name, std::move(path), status);
    }

    void add(int fd, const char* name, std::string path, const struct stat& status) {
        const bool has_times = !S_ISDIR(status.st_mode);
        Entry entry{std::move(path),
                    status.st_mode,
                    status.st_ino,
                    has_times ? static_cast<std::uint64_t>(status.st_size) : 0,
                    has_times ? ns_of(status.st_mtim) : 0,
                    has_times ? ns_of(status.st_ctim) : 0};
        if (S_ISLNK(status.st_mode)) entry.more = link_target(fd, name);
        if (S_ISLNK(status.st_mode) && entry.more.empty()) entry.more = unknown;
        if (S_ISREG(status.st_mode) && std::max(entry.modified_ns, entry.changed_ns) > settled_)
            entry.more = hash_of(fd, name, entry.inode);
        entries_.push_back(std::move(entry));
    }

    int root_;
    Scope scope_;
    Descent descent_;
    std::uint64_t settled_ = now_ns() - young_ns;
    Buffer names_;
    std::vector<Open> open_;
    std::vector<Entry> entries_;
};

Fingerprint Fingerprint::of(const Root& root) {
    return Fingerprint(Look(root).run(), root.path());
}

Fingerprint Fingerprint::of_files(const Root& root) {
    return Fingerprint(Look(root, Look::Scope::files).run(), root.path());
}

Fingerprint Fingerprint::of_file(const Root& root, std::string_view path) {
    const std::string canonical = root.canonical(path);
    return Fingerprint(canonical.empty() ? std::vector<Entry>() : Look(root).run_at(canonical),
                       root.path());
}

bool Fingerprint::is_same(const Entry& before, const Entry& now, int root, Copies copies) {
    if (before.more == unknown || now.more == unknown) return false;
    if (before.mode != now.mode || before.size_bytes != now.size_bytes ||
        before.modified_ns != now.modified_ns)
        return false;
    const bool is_same_file = before.inode == now.inode && before.changed_ns == now.changed_ns;
    const bool is_copy = copies == Copies::are_the_same && before.inode != now.inode;
    if (!is_same_file && !is_copy) return false;
    if (S_ISLNK(now.mode)) return before.more == now.more;
    if (before.more.empty()) return true;
    return before.more == (now.more.empty() ? hash_of(root, now.path, now.inode) : now.more);
}

std::vector<Fingerprint::Change> Fingerprint::all_changes_since(const Fingerprint& before,
                                                                Copies copies) const {
    const Fd root(open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    std::vector<Change> changes;
    auto old = before.entries_.begin();
    for (const Entry& now : entries_) {
        for (; old != before.entries_.end() && old->path < now.path; ++old)
            changes.push_back({old->path, " (gone)"});
        if (old == before.entries_.end() || old->path != now.path)
            changes.push_back({now.path, " (new)"});
        else if (!is_same(*old++, now, root.get(), copies))
            changes.push_back({now.path, ""});
    }
    for (; old != before.entries_.end(); ++old) changes.push_back({old->path, " (gone)"});
    return changes;
}

std::vector<std::string> Fingerprint::changes_since(const Fingerprint& before) const {
    std::vector<std::string> told;
    for (const Change& change : all_changes_since(before))
        told.push_back(change.path + std::string(change.how));
    return told;
}

// Each path is written without the prefix that it shares with the one before.
std::string Fingerprint::text() const {
    std::string text;
    text.reserve(entries_.size() * 48);
    std::string_view last;
    for (const Entry& entry : entries_) {
        const auto shared = static_cast<std::size_t>(
            std::mismatch(last.begin(), last.end(), entry.path.begin(), entry.path.end()).first -
            last.begin());
        add_number(text, shared);
        add_number(text, entry.path.size() - shared);
        text.append(entry.path, shared);
        for (const std::uint64_t number :
             {entry.mode, entry.inode, entry.size_bytes, entry.modified_ns, entry.changed_ns})
            add_number(text, number);
        add_number(text, entry.more.size());
        text += entry.more;
        last = entry.path;
    }
    return text;
}

std::optional<Fingerprint> Fingerprint::parse(std::string_view text) {
    Fingerprint read;
    std::string last;
    for (Reader reader(text); !reader.at_end();) {
        const std::uint64_t shared = reader.number();
        if (shared > last.size()) return std::nullopt;
        last = last.substr(0, shared).append(reader.bytes());
        Entry entry{last};
        for (std::uint64_t* number :
             {&entry.mode, &entry.inode, &entry.size_bytes, &entry.modified_ns, &entry.changed_ns})
            *number = reader.number();
        entry.more = reader.bytes();
        if (reader.failed()) return std::nullopt;
        read.entries_.push_back(std::move(entry));
    }
    return read;
}

}  // namespace chorus::sys
