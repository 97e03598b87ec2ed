#include "sys/put_back.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/open_beneath.hpp"
#include "sys/replace.hpp"

namespace chorus::sys {
namespace {

std::string told(const std::string& path, int error) {
    return base::visible(path, base::Newlines::escape) + ": " + std::strerror(error);
}

// Opens the directory that holds `path`; sets errno on failure.
Fd parent_in(const Root& root, const std::string& path) {
    if (is_git_name(path.substr(0, path.find('/')))) {
        errno = EPERM;
        return Fd();
    }
    return open_beneath(root.fd(), parent_of(path), O_RDONLY | O_DIRECTORY, Links::none);
}

}  // namespace

std::string put_file(const Root& root, const std::string& path, unsigned mode,
                     const std::function<void(int fd)>& fill) {
    const Fd parent = parent_in(root, path);
    if (!parent) return told(path, errno);
    const Fd old = open_beneath(parent.get(), name_of(path), read_only | O_NOFOLLOW, Links::none);
    const auto status = old ? opened_status(old) : std::nullopt;
    const auto prepare = [&](int fd) {
        if (status && S_ISREG(status->st_mode)) (void)take_attributes(old.get(), fd);
        return true;
    };
    const auto fill_and_close = [&](const std::string&, int fd) {
        fill(fd);
        if (fchmod(fd, mode) != 0) throw base::system_error(path);
        return true;
    };
    return fill_at(parent.get(), name_of(path), fill_and_close, {0600, prepare})
               ? ""
               : told(path, errno);
}

std::string put_link(const Root& root, const std::string& path, const std::string& target) {
    const Fd parent = parent_in(root, path);
    const std::string name = name_of(path);
    if (!parent || (unlinkat(parent.get(), name.c_str(), 0) != 0 && errno != ENOENT) ||
        symlinkat(target.c_str(), parent.get(), name.c_str()) != 0)
        return told(path, errno);
    return {};
}

std::string put_directory(const Root& root, const std::string& path) {
    const Fd parent = parent_in(root, path);
    const std::string name = name_of(path);
    if (!parent) return told(path, errno);
    if (const auto status = link_status(parent.get(), name)) {
        if (S_ISDIR(status->st_mode)) return {};
        if (unlinkat(parent.get(), name.c_str(), 0) != 0) return told(path, errno);
    }
    return mkdirat(parent.get(), name.c_str(), 0700) == 0 ? "" : told(path, errno);
}

std::string put_mode(const Root& root, const std::string& path, unsigned mode) {
    const Fd place = open_beneath(root.fd(), path, O_PATH | O_DIRECTORY | O_NOFOLLOW, Links::none);
    // changes the open directory, whatever its path names now
    return place && chmod(proc_path(place.get()).c_str(), mode) == 0 ? "" : told(path, errno);
}

std::string take_away(const Root& root, const std::string& path, bool is_directory) {
    const Fd parent = parent_in(root, path);
    const std::string name = name_of(path);
    const auto remove = [&] {
        return unlinkat(parent.get(), name.c_str(), is_directory ? AT_REMOVEDIR : 0) == 0 ||
               errno == ENOENT;
    };
    if (!parent) return errno == ENOENT ? "" : told(path, errno);
    if (remove()) return {};
    if (!is_directory || (errno != ENOTEMPTY && errno != EEXIST)) return told(path, errno);
    const Fd directory = open_beneath(parent.get(), name, O_RDONLY | O_DIRECTORY, Links::none);
    if (directory) remove_temporaries_at(directory.get());
    return remove() || errno == ENOTEMPTY || errno == EEXIST ? "" : told(path, errno);
}

}  // namespace chorus::sys
