#include "sys/directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::sys {
namespace {

std::string_view without_trailing_slashes(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return path;
}

}  // namespace

DirectoryStream stream_of(Fd directory) {
    DirectoryStream stream(fdopendir(directory.get()));
    if (stream) directory.release();
    return stream;
}

const dirent* next_entry(DIR* stream) {
    for (;;) {
        errno = 0;
        const dirent* entry = readdir(stream);
        if (entry == nullptr) return nullptr;
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            return entry;
    }
}

unsigned entry_type(DIR* stream, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return DTTOIF(entry.d_type);
    struct stat status {};
    if (fstatat(dirfd(stream), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    return status.st_mode & S_IFMT;
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
