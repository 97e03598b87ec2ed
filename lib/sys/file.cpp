#include "sys/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/replace.hpp"

namespace chorus::sys {
namespace {

struct NetworkType {
    std::uint32_t magic;  // statfs(2), linux/magic.h and the file systems' own sources
    const char* name;
};
constexpr NetworkType network_types[] = {
    {0x6969, "nfs"},          {0x517b, "smb"},        {0xff534d42, "cifs"},
    {0xfe534d42, "smb2"},     {0x65735546, "fuse"},   {0x01021997, "9p"},
    {0x5346414f, "afs"},      {0x6b414653, "afs"},    {0x73757245, "coda"},
    {0x00c36400, "ceph"},     {0x564c, "ncp"},        {0x7461636f, "ocfs2"},
    {0x01161970, "gfs2"},     {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"},
    {0x20030528, "orangefs"}, {0x19830326, "beegfs"}, {0x786f4256, "vboxsf"},
    {0xbacbacbc, "vmhgfs"},   {0xaad7aaea, "panfs"}};

bool means_absent(int error) {
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

Fd open_directory(const std::string& path) {
    Fd fd(open(c_path(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) throw base::system_error(path);
    return fd;
}

// Returns S_IFREG, S_IFDIR, …; 0 for what `status` says is absent.
unsigned type_in(const FileStatus& status, const std::string& path, bool may_be_a_loop = false) {
    if (status) return status->st_mode & S_IFMT;
    if (!means_absent(errno) && !(may_be_a_loop && errno == ELOOP)) throw base::system_error(path);
    return 0;
}

void sync(const Fd& fd, const std::string& path) {
    if (fsync(fd.get()) != 0) throw base::system_error("fsync " + path);
}

// Returns false where the name exists and `existing` refuses.
bool put_file_at(const std::string& path, const Fill& fill, unsigned mode, Existing existing) {
    c_path(path);
    const Fd directory = open_directory(parent_of(path));
    if (fill_at(directory.get(), name_of(path), fill, with_mode(mode), existing)) return true;
    if (existing == Existing::refuse && errno == EEXIST) return false;
    throw base::system_error(path);
}

[[noreturn]] void refuse_settings(const std::string& path, const std::string& why,
                                  std::string hint = {}) {
    throw base::Error(base::ErrorCode::config_invalid, path + ": " + why, std::move(hint));
}

std::optional<std::string> read_settings(const std::string& path, std::size_t most,
                                         const std::function<void(const struct stat&)>& check) {
    const Fd fd(open(c_path(path), read_only));
    if (!fd && means_absent(errno)) {
        if (is_link(path)) refuse_settings(path, "a link that leads nowhere");
        return std::nullopt;
    }
    const FileStatus status = fd ? opened_status(fd) : std::nullopt;
    if (!status) refuse_settings(path, std::strerror(errno));
    if (!S_ISREG(status->st_mode)) refuse_settings(path, "not a regular file");
    check(*status);
    auto text = read_regular(fd, most);
    if (!text)
        refuse_settings(path,
                        "more than " + base::counted(static_cast<std::int64_t>(most), "byte"));
    return text;
}

void sync_parents(const std::string& from, const std::string& to) {
    sync_directory(parent_of(to));
    if (parent_of(from) != parent_of(to)) sync_directory(parent_of(from));
}

}  // namespace

bool exists(const std::string& path) {
    return type_in(link_status(c_path(path)), path) != 0;
}

bool is_directory(const std::string& path) {
    return type_in(followed_status(path), path, true) == S_IFDIR;
}

bool is_regular_file(const std::string& path) {
    return type_in(followed_status(path), path, true) == S_IFREG;
}

std::string why_not_writable(const std::string& directory) {
    if (faccessat(AT_FDCWD, c_path(directory), W_OK | X_OK, AT_EACCESS) == 0) return {};
    return std::strerror(errno);
}

bool is_link(const std::string& path) {
    return type_in(link_status(c_path(path)), path) == S_IFLNK;
}

std::string why_not_usable(const std::string& path, Use use) {
    const auto status = followed_status(path);
    const bool is_directory = status && S_ISDIR(status->st_mode);
    const int wanted = R_OK | (is_directory ? X_OK : 0);
    const auto is_refused = [&](int access) {
        return faccessat(AT_FDCWD, c_path(path), access, AT_EACCESS) != 0 && !means_absent(errno) &&
               errno != ELOOP && errno != EROFS;
    };
    const bool is_written = is_directory || use == Use::read_and_write;
    return is_refused(wanted) || (is_written && is_refused(wanted | W_OK)) ? std::strerror(errno)
                                                                           : "";
}

std::optional<std::string> read_file_if_there(const std::string& path, std::size_t most) {
    const Fd fd(open(c_path(path), read_only));
    if (!fd && means_absent(errno)) return std::nullopt;
    require_regular(fd, path);
    return read_all(fd.get(), most, path);
}

std::optional<std::string> try_read_file(const std::string& path, std::size_t most) {
    return read_regular(Fd(open(c_path(path), read_only)), most);
}

std::optional<std::string> read_settings_file(const std::string& path, std::size_t most) {
    return read_settings(path, most, [](const struct stat&) {});
}

std::optional<std::string> read_private_file(const std::string& path, std::size_t most) {
    return read_settings(path, most, [&](const struct stat& status) {
        if (status.st_uid != geteuid() && status.st_uid != 0)
            refuse_settings(path, "it belongs to another user",
                            "chown " + std::to_string(geteuid()) + " " + base::shell_quoted(path));
        if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            refuse_settings(path, "others may read or write it",
                            "chmod 600 " + base::shell_quoted(path));
    });
}

std::string settled_mark(const std::string& path) {
    constexpr std::int64_t settled_s = 2;
    const FileStatus status = followed_status(path);
    if (!status || time(nullptr) - status->st_ctim.tv_sec <= settled_s) return {};
    return mark_of(*status);
}

std::string read_file(const std::string& path, std::size_t most) {
    auto content = read_file_if_there(path, most);
    if (!content) throw base::system_error(path, ENOENT);
    return std::move(*content);
}

Tail read_tail(const std::string& path, std::size_t most) {
    const Fd fd(open(c_path(path), read_only | O_NOFOLLOW));
    if (!fd && means_absent(errno)) return {};
    const auto size = static_cast<std::size_t>(require_regular(fd, path).st_size);
    const std::size_t from = size > most ? size - most : 0;
    return {read_part(fd.get(), from, size - from, path), size};
}

void write_file(const std::string& path, std::string_view content, unsigned mode) {
    put_file_at(path, content_of(content), mode, Existing::replace);
}

bool write_file_if_free(const std::string& path, std::string_view content, unsigned mode) {
    return put_file_at(path, content_of(content), mode, Existing::refuse);
}

bool fill_file(const std::string& path, bool replace,
               const std::function<void(const std::string& temporary, int fd)>& fill) {
    const auto fill_in = [&](const std::string& name, int fd) {
        fill(join_path(parent_of(path), name), fd);
        return true;
    };
    return put_file_at(path, fill_in, 0600, replace ? Existing::replace : Existing::refuse);
}

void append_file(const std::string& path, std::string_view content) {
    constexpr int appending =
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const Fd fd(open(c_path(path), appending, 0600));
    const auto before = require_regular(fd, path);
    if (try_write_all(fd.get(), content)) return;
    const int problem = errno;
    [[maybe_unused]] const int cut = ftruncate(fd.get(), before.st_size);  // remove a partial write
    throw base::system_error(path, problem);
}

void make_directory(const std::string& path, unsigned mode) {
    // mkdir(2) locks the directory above exclusively, even where this one exists
    if (is_directory(path) || mkdir(c_path(path), mode) == 0) return;
    if (errno == ENOENT && parent_of(path) != path) {
        make_directory(parent_of(path), mode);
        if (mkdir(path.c_str(), mode) == 0) return;
    }
    const int why = errno;
    if (why != EEXIST || !is_directory(path)) throw base::system_error(path, why);
}

void rename_path(const std::string& from, const std::string& to) {
    if (rename(c_path(from), c_path(to)) != 0)
        throw base::system_error("rename " + from + " to " + to);
    sync_parents(from, to);
}

bool rename_if_free(const std::string& from, const std::string& to) {
    if (renameat2(AT_FDCWD, c_path(from), AT_FDCWD, c_path(to), RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST) return false;
        throw base::system_error("rename " + from + " to " + to);
    }
    sync_parents(from, to);
    return true;
}

void replace_link(const std::string& path, const std::string& target, const std::string& aside) {
    if (unlink(c_path(aside)) != 0 && errno != ENOENT) throw base::system_error(aside);
    if (symlink(c_path(target), aside.c_str()) != 0) throw base::system_error(aside);
    if (rename(aside.c_str(), c_path(path)) != 0) {
        const int why = errno;
        unlink(aside.c_str());
        throw base::system_error(path, why);
    }
    sync_directory(parent_of(path));
}

void sync_directory(const std::string& path) {
    sync(open_directory(path), path);
}

void sync_filesystem(const std::string& path) {
    const Fd fd(open(c_path(path), read_only));
    if (!fd) throw base::system_error(path);
    if (syncfs(fd.get()) != 0) throw base::system_error("syncfs " + path);
}

std::optional<std::uint64_t> file_size_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::nullopt;
    return limit.rlim_cur;
}

std::vector<std::string> list_directory(const std::string& path) {
    return list_directory(open_directory(path), path);
}

std::vector<std::string> list_directory(Fd directory, const std::string& path) {
    const DirectoryStream stream = stream_of(std::move(directory));
    std::vector<std::string> names;
    while (const dirent* entry = next_entry(stream.get())) names.emplace_back(entry->d_name);
    if (!stream || errno != 0) throw base::system_error(path);
    std::sort(names.begin(), names.end());
    return names;
}

std::string join_path(std::string_view directory, std::string_view name) {
    std::string path(directory);
    while (name.starts_with('/')) name.remove_prefix(1);
    if (!path.empty() && path.back() != '/') path += '/';
    return path.append(name);
}

std::string real_path(const std::string& path) {
    auto real = resolved(c_path(path));
    if (!real) throw base::system_error(path);
    return std::move(*real);
}

std::optional<Led> follow_links(const std::string& path) {
    constexpr std::size_t most_links = 40;  // the kernel's limit
    Led led;
    std::vector<std::string> names;
    std::vector<Fd> opened;
    std::string rest = path;
    while (!rest.empty() || opened.empty()) {
        if (opened.empty() || rest.starts_with('/')) {
            names.clear();
            opened.clear();
            opened.emplace_back(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
            rest.erase(0, rest.find_first_not_of('/'));
            continue;
        }
        const std::string name = rest.substr(0, rest.find('/'));
        rest.erase(0, rest.find_first_not_of('/', name.size()));
        if (name == ".") continue;
        if (name == "..") {
            if (!names.empty()) names.pop_back();
            if (opened.size() > 1) opened.pop_back();
            continue;
        }
        Fd next(openat(opened.back().get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        const std::string target = next ? link_target(next.get(), "") : "";
        if (!next || led.links.size() > most_links) return std::nullopt;
        names.push_back(name);
        if (target.empty()) {
            opened.push_back(std::move(next));
            continue;
        }
        led.links.push_back("/" + base::join(names, "/"));
        names.pop_back();
        rest.insert(0, target + "/");
    }
    led.path = "/" + base::join(names, "/");
    return led;
}

std::optional<std::string> network_filesystem(const std::string& path) {
    struct statfs status {};
    if (statfs(c_path(path), &status) != 0) {
        const int why = errno;
        // A missing path will be made on the file system of its parent.
        if (why == ENOENT && parent_of(path) != path) return network_filesystem(parent_of(path));
        throw base::system_error(path, why);
    }
    const auto magic = static_cast<std::uint32_t>(status.f_type);
    for (const NetworkType& type : network_types)
        if (type.magic == magic) return type.name;
    return std::nullopt;
}

}  // namespace chorus::sys
