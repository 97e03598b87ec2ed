#include "sys/directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::sys {
namespace {

std::string_view without_trailing_slashes(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return path;
}

FileStatus status_by(int directory, const char* name, int flags) {
    struct stat status {};
    if (fstatat(directory, name, &status, flags) != 0) return std::nullopt;
    return status;
}

bool is_dots(const char* name) {
    return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

}  // namespace

FileStatus opened_status(int fd) {
    struct stat status {};
    if (fstat(fd, &status) != 0) return std::nullopt;
    return status;
}
FileStatus followed_status(const std::string& path) {
    return status_by(AT_FDCWD, c_path(path), 0);
}
FileStatus link_status(const std::string& path) {
    return link_status(AT_FDCWD, path);
}
FileStatus link_status(int directory, const std::string& name) {
    return status_by(directory, name.c_str(), AT_SYMLINK_NOFOLLOW);
}

bool is_same_inode(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

std::string mark_of(const struct stat& status) {
    return std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) + ":" +
           std::to_string(status.st_ctim.tv_sec) + "." + std::to_string(status.st_ctim.tv_nsec);
}

struct stat require_regular(const Fd& file, const std::string& path) {
    const auto status = file ? opened_status(file) : std::nullopt;
    if (!status) throw base::system_error(path);
    if (!S_ISREG(status->st_mode))
        throw base::Error(base::ErrorCode::failed, path + ": not a regular file");
    return *status;
}

std::optional<std::string> read_regular(const Fd& file, std::size_t most) {
    const auto status = file ? opened_status(file) : std::nullopt;
    if (!status || !S_ISREG(status->st_mode)) return std::nullopt;
    std::string text;
    text.reserve(std::min(static_cast<std::size_t>(status->st_size), most) + 1);
    if (!try_read_all(file.get(), most, text)) return std::nullopt;
    return text;
}

std::string link_target(int directory, const std::string& name) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
    target.resize(size <= 0 || size == PATH_MAX ? 0 : static_cast<std::size_t>(size));
    return target;
}

std::optional<std::string> resolved(const std::string& path) {
    const Fd opened(open(path.c_str(), O_PATH | O_CLOEXEC));
    return opened ? resolved(opened, path) : std::nullopt;
}

// Bisects: a path may have two thousand parts, and each look walks them.
std::string weakly_resolved(const std::string& path) {
    const auto is_missing = [] { return errno == ENOENT || errno == ENOTDIR; };
    if (auto real = resolved(path)) return *real;
    if (!path.starts_with('/') || !is_missing()) return "";
    std::vector<std::size_t> ends;
    for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
        ends.push_back(at);
    std::string real = "/";
    std::size_t there = 0;
    std::size_t missing = ends.size() + 1;
    // the first `there` parts exist, the first `missing` do not
    while (missing - there > 1) {
        const std::size_t middle = there + (missing - there) / 2;
        if (auto found = resolved(path.substr(0, ends[middle - 1]))) {
            real = std::move(*found);
            there = middle;
        } else if (is_missing()) {
            missing = middle;
        } else {
            return "";
        }
    }
    return std::filesystem::path(real + (there == 0 ? path : path.substr(ends[there - 1])))
        .lexically_normal();
}

// Avoids realpath(3), which looks at each directory of the path.
std::optional<std::string> resolved(const Fd& opened, const std::string& path) {
    std::string named = path_of(opened.get());
    if (named.starts_with('/') && !named.ends_with(" (deleted)")) return named;
    const base::Handle<char, std::free> real(realpath(path.c_str(), nullptr));
    if (!real) return std::nullopt;
    return std::string(real.get());
}

bool is_within(std::string_view path, std::string_view directory) {
    if (directory == "/") return path.starts_with('/');
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

DirectoryStream stream_of(Fd directory) {
    DirectoryStream stream(fdopendir(directory.get()));
    if (stream) directory.release();
    return stream;
}

const dirent* next_entry(DIR* stream) {
    if (stream == nullptr) return nullptr;
    const dirent* entry = nullptr;
    do {
        errno = 0;
        entry = readdir(stream);
    } while (entry != nullptr && is_dots(entry->d_name));
    return entry;
}

unsigned entry_type(DIR* stream, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return DTTOIF(entry.d_type);
    const auto status = link_status(dirfd(stream), entry.d_name);
    return status ? status->st_mode & S_IFMT : 0;
}

bool for_each_entry(const Fd& directory, Buffer& buffer,
                    const std::function<void(const dirent64& entry)>& visit) {
    ssize_t count = 0;
    while ((count = getdents64(directory.get(), buffer.data(), Buffer::size())) > 0)
        for (ssize_t at = 0; at < count;) {
            const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
            at += entry->d_reclen;
            if (!is_dots(entry->d_name)) visit(*entry);
        }
    return count == 0;
}

std::string parent_of(const std::string& path) {
    const std::string_view plain = without_trailing_slashes(path);
    const std::size_t slash = plain.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return std::string(without_trailing_slashes(plain.substr(0, slash + 1)));
}

std::string name_of(const std::string& path) {
    const std::string_view plain = without_trailing_slashes(path);
    return std::string(plain.substr(plain.rfind('/') + 1));
}

const char* c_path(const std::string& path) {
    if (path.find('\0') == std::string::npos) return path.c_str();
    throw base::Error(base::ErrorCode::bad_request,
                      base::visible(path, base::Newlines::escape) + ": a path cannot hold a NUL");
}

}  // namespace chorus::sys
