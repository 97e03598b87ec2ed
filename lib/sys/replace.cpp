#include "sys/replace.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

constexpr int most_writers = 64;  // at once in one directory

// Whether `name` is the open file; nothing where that is unknown.
std::optional<bool> stands_for(int directory, const std::string& name, const Fd& fd) {
    struct stat named {};
    struct stat opened {};
    if (fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? std::optional(false) : std::nullopt;
    if (fstat(fd.get(), &opened) != 0) return std::nullopt;
    return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

constexpr std::string_view temporary_head = ".chorus-write-";
constexpr std::string_view temporary_tail = ".tmp";

std::string numbered(int number) {
    return std::string(temporary_head) + std::to_string(number) + std::string(temporary_tail);
}

Fd open_temporary(int directory, const std::string& name) {
    return Fd(
        openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

// A writer holds the lock of its temporary, which the kernel frees with the process: a file that
// can be locked was left by a killed process. It is locked on return.
bool is_leftover(int directory, const std::string& name, const Fd& fd) {
    struct stat status {};
    return fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
           flock(fd.get(), LOCK_EX | LOCK_NB) == 0 &&
           stands_for(directory, name, fd).value_or(false);
}

// Returns false where there is no such file.
bool remove_leftover(int directory, const std::string& name) {
    const Fd fd = open_temporary(directory, name);
    if (!fd) return errno != ENOENT;
    if (is_leftover(directory, name, fd)) unlinkat(directory, name.c_str(), 0);
    return true;
}

// Unlinks itself unless it was renamed. Its name is the first free number, so that the next write
// in a directory finds leftovers without listing it. It is not derived from the file's name, which
// may already be as long as a name can be.
class Temporary {
  public:
    explicit Temporary(int directory) : directory_(directory) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        const int kept = errno;
        if (!name_.empty()) unlinkat(directory_, name_.c_str(), 0);
        errno = kept;
    }

    int fd() const { return fd_.get(); }
    const std::string& name() const { return name_; }
    bool open_with(const Making& making) {
        return create(making.mode) && (!making.prepare || making.prepare(fd_.get()));
    }
    bool put_in_place(const std::string& name, Existing existing) {
        return fsync(fd_.get()) == 0 && rename_to(name, existing) && fsync(directory_) == 0;
    }

  private:
    bool create(unsigned mode);
    bool rename_to(const std::string& name, Existing existing) {
        const unsigned flags = existing == Existing::refuse ? RENAME_NOREPLACE : 0;
        if (renameat2(directory_, name_.c_str(), directory_, name.c_str(), flags) != 0)
            return false;
        name_.clear();
        return true;
    }
    bool take(std::string name, unsigned mode);

    int directory_;
    std::string name_;
    Fd fd_;
};

bool Temporary::take(std::string name, unsigned mode) {
    Fd fd(openat(directory_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 mode));
    if (!fd) return false;
    // Before it was locked it looked like a leftover, so another process may have removed it.
    const bool locked = flock(fd.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    const std::optional<bool> is_own = locked ? stands_for(directory_, name, fd) : false;
    if (is_own == false) {
        errno = EEXIST;
        return false;
    }
    fd_ = std::move(fd);
    name_ = std::move(name);
    return is_own.has_value();
}

bool Temporary::create(unsigned mode) {
    int number = 0;
    for (; number < most_writers && !take(numbered(number), mode); ++number) {
        if (errno != EEXIST) return false;
        remove_leftover(directory_, numbered(number));
        if (take(numbered(number), mode)) break;
        if (errno != EEXIST) return false;
    }
    // Several processes may have been killed at once.
    while (++number < most_writers && remove_leftover(directory_, numbered(number))) continue;
    errno = EEXIST;
    return static_cast<bool>(fd_);
}

}  // namespace

Making with_mode(unsigned mode) {
    return {0600, [mode](int fd) { return fchmod(fd, mode) == 0; }};
}

bool is_temporary(std::string_view name) {
    return name.starts_with(temporary_head) && name.ends_with(temporary_tail);
}

void remove_temporaries_at(int directory) {
    for (int number = 0; number < most_writers; ++number)
        remove_leftover(directory, numbered(number));
}

void remove_temporaries(const std::string& directory) {
    const Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) remove_temporaries_at(fd.get());
}

std::vector<std::string> leftover_temporaries(const std::string& directory) {
    std::vector<std::string> names;
    const Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int number = 0; fd && number < most_writers; ++number) {
        const std::string name = numbered(number);
        const Fd file = open_temporary(fd.get(), name);
        if (file && is_leftover(fd.get(), name, file)) names.push_back(name);
    }
    return names;
}

bool replace_at(int directory, const std::string& name, std::string_view content,
                const Making& making, Existing existing) {
    Temporary temporary(directory);
    return temporary.open_with(making) && try_write_all(temporary.fd(), content) &&
           temporary.put_in_place(name, existing);
}

bool fill_at(int directory, const std::string& name, const Fill& fill, const Making& making,
             Existing existing) {
    Temporary temporary(directory);
    if (!temporary.open_with(making)) return false;
    fill(temporary.name(), temporary.fd());
    return temporary.put_in_place(name, existing);
}

}  // namespace chorus::sys
