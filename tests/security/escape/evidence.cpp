#include "security/escape/evidence.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/hash.hpp"
#include "fault/command.hpp"
#include "security/escape/place.hpp"

namespace escape {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_read = 256U << 20;
constexpr std::size_t tar_block = 512;

// "" for what is no regular file: nothing else is opened.
std::string contents(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    std::string text;
    struct stat status {};
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        text.resize(std::min(static_cast<std::size_t>(status.st_size), most_read));
        const ssize_t size = read(fd, text.data(), text.size());
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    if (fd >= 0) close(fd);
    return text;
}

std::string time_of(const timespec& time) {
    return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

std::string attributes_of(const std::string& path) {
    std::array<char, 4096> names{};
    const ssize_t size = llistxattr(path.c_str(), names.data(), names.size());
    std::string text;
    for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(std::strlen(&names[at])) + 1) {
        std::array<char, 4096> value{};
        const ssize_t length = lgetxattr(path.c_str(), &names[at], value.data(), value.size());
        text += std::string(&names[at]) + "=" +
                std::string(value.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))) +
                ",";
    }
    return text;
}

std::string description_of(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return "is not there";
    std::array<char, 16> mode{};
    std::snprintf(mode.data(), mode.size(), "%o", status.st_mode);
    std::string text = "mode " + std::string(mode.data()) + " owner " +
                       std::to_string(status.st_uid) + ":" + std::to_string(status.st_gid) +
                       " inode " + std::to_string(status.st_ino) + " links " +
                       std::to_string(status.st_nlink) + " size " + std::to_string(status.st_size) +
                       " mtime " + time_of(status.st_mtim) + " ctime " + time_of(status.st_ctim);
    if (S_ISREG(status.st_mode)) text += " sha256 " + chorus::base::sha256_hex(contents(path));
    if (S_ISLNK(status.st_mode)) text += " to " + fs::read_symlink(path).string();
    return text + " xattr " + attributes_of(path);
}

// Entries at and below, links not followed; what cannot be read is left out.
void each_entry(const std::string& path, const std::function<bool(const std::string&)>& use) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0 || !use(path) || !S_ISDIR(status.st_mode)) return;
    std::error_code error;
    std::vector<std::string> inner;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
        inner.push_back(at->path().string());
    for (const std::string& each : inner) each_entry(each, use);
}

// What a zlib stream at the beginning of `text` unfolds to, or "".
std::string inflated(std::string_view text) {
    z_stream stream{};
    if (text.size() < 2 || text[0] != 0x78 || inflateInit(&stream) != Z_OK) return {};
    std::string out(1U << 20, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    inflate(&stream, Z_SYNC_FLUSH);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

std::string names_of(std::uint32_t mask) {
    constexpr std::array<std::pair<std::uint32_t, const char*>, 10> names{{
        {IN_ACCESS, "read"},
        {IN_MODIFY, "modified"},
        {IN_ATTRIB, "attributes changed"},
        {IN_OPEN, "opened"},
        {IN_MOVED_FROM, "moved away"},
        {IN_MOVED_TO, "moved here"},
        {IN_CREATE, "made"},
        {IN_DELETE, "deleted"},
        {IN_DELETE_SELF, "deleted"},
        {IN_MOVE_SELF, "moved"},
    }};
    std::string text;
    for (const auto& [bit, name] : names)
        if ((mask & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

}  // namespace

Record record_of(const std::vector<std::string>& paths) {
    Record record;
    for (const std::string& path : paths)
        each_entry(path, [&](const std::string& each) {
            record[each] = description_of(each);
            return true;
        });
    return record;
}

std::vector<std::string> differences(const Record& before, const Record& after) {
    std::vector<std::string> found;
    for (const auto& [path, description] : before) {
        const auto now = after.find(path);
        if (now == after.end())
            found.push_back(path + ": is gone");
        else if (now->second != description)
            found.push_back(path + ": was " + description + ", is " + now->second);
    }
    for (const auto& [path, description] : after)
        if (!before.contains(path)) found.push_back(path + ": is new: " + description);
    return found;
}

std::set<std::string> names_below(const std::string& top,
                                  const std::function<bool(const std::string&)>& is_left_out) {
    std::set<std::string> names;
    each_entry(top, [&](const std::string& path) {
        names.insert(path);
        return !is_left_out(path);
    });
    return names;
}

bool has_secret(const std::string& text) {
    return std::any_of(secrets.begin(), secrets.end(), [&](const std::string& secret) {
        return text.find(secret) != std::string::npos;
    });
}

bool has_secret_archived(const std::string& text) {
    if (has_secret(text)) return true;
    for (std::size_t at = 0; at < text.size(); at += tar_block)
        if (text[at] == 0x78 && has_secret(inflated(std::string_view(text).substr(at))))
            return true;
    return false;
}

std::vector<std::string> secrets_below(const std::string& path,
                                       const std::function<bool(const std::string&)>& is_left_out) {
    std::vector<std::string> found;
    each_entry(path, [&](const std::string& each) {
        if (is_left_out(each)) return false;
        const std::string text = contents(each);
        if (has_secret(fs::path(each).filename().string()) || has_secret(text) ||
            has_secret(inflated(text)))
            found.push_back(each + ": holds what is written outside");
        return true;
    });
    return found;
}

std::vector<std::string> risen_below(const std::string& path) {
    std::vector<std::string> found;
    each_entry(path, [&](const std::string& each) {
        struct stat status {};
        std::array<char, 64> capability{};
        if (lstat(each.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return true;
        if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
            found.push_back(each + ": has a setuid or setgid bit");
        if (lgetxattr(each.c_str(), "security.capability", capability.data(), capability.size()) >
            0)
            found.push_back(each + ": has capabilities");
        return true;
    });
    return found;
}

Watch::Watch(const std::string& top) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    each_entry(top, [&](const std::string& path) {
        if (!fs::is_directory(fs::symlink_status(path))) return true;
        const int watch = inotify_add_watch(fd_, path.c_str(), IN_ALL_EVENTS);
        if (watch < 0) fault::give_up(path + ": cannot be watched");
        directories_[watch] = path;
        return true;
    });
    seen();  // this very walk
}

Watch::~Watch() {
    close(fd_);
}

std::vector<std::string> Watch::seen() {
    std::map<std::string, std::uint32_t> masks;
    alignas(inotify_event) std::array<char, 65536> buffer{};
    for (ssize_t size = 0; (size = read(fd_, buffer.data(), buffer.size())) > 0;) {
        for (ssize_t at = 0; at < size;) {
            const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
            at += static_cast<ssize_t>(sizeof *event + event->len);
            const std::string name = event->len > 0 ? std::string("/") + event->name : "";
            masks[directories_[event->wd] + name] |= event->mask;
        }
    }
    std::vector<std::string> all;
    for (const auto& [path, mask] : masks)
        if (const std::string names = names_of(mask); !names.empty())
            all.push_back(path + ": " + names);
    return all;
}

}  // namespace escape
