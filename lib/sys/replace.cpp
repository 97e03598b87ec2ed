#include "sys/replace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/id.hpp"
#include "sys/directory.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

constexpr int most_tries = 16;

std::string beginning_of_temporaries(std::int64_t pid) {
    return pid == 0 ? ".chorus-" : ".chorus-" + std::to_string(pid) + "-";
}

// Unlinks itself unless it was renamed.
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

    bool create(unsigned mode);
    int fd() const { return fd_.get(); }
    bool rename_to(const std::string& name) {
        if (renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

  private:
    int directory_;
    std::string name_;
    Fd fd_;
};

bool Temporary::create(unsigned mode) {
    for (int tries = 0; tries < most_tries && !fd_; ++tries) {
        // Not made of the file's name, which may already be as long as a name can be.
        std::string name = beginning_of_temporaries(getpid()) + base::random_short_id(10);
        fd_ = Fd(openat(directory_, name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
        if (fd_) name_ = std::move(name);
        if (!fd_ && errno != EEXIST) return false;
    }
    return static_cast<bool>(fd_);
}

bool keep_owner(int fd, const struct stat& file, unsigned& mode) {
    struct stat made {};
    if (fstat(fd, &made) != 0) return false;
    if (file.st_uid == made.st_uid && file.st_gid == made.st_gid) return true;
    // A group that cannot be kept must not lend its permissions to ours.
    if (fchown(fd, file.st_uid, file.st_gid) != 0 && file.st_gid != made.st_gid) mode &= ~0070U;
    return true;
}

bool set_permissions(int fd, const Permissions& permissions) {
    if (permissions.from == Permissions::From::umask) return true;
    if (permissions.from == Permissions::From::mode) return fchmod(fd, permissions.mode) == 0;
    unsigned mode = permissions.file.st_mode & 0777U;
    return keep_owner(fd, permissions.file, mode) && fchmod(fd, mode) == 0;
}

}  // namespace

void remove_temporaries_at(Fd directory, std::int64_t pid) {
    const std::string beginning = beginning_of_temporaries(pid);
    const DirectoryStream stream = stream_of(std::move(directory));
    while (const dirent* entry = stream ? next_entry(stream.get()) : nullptr)
        if (std::string_view(entry->d_name).starts_with(beginning))
            unlinkat(dirfd(stream.get()), entry->d_name, 0);
}

void remove_temporaries(const std::string& directory, std::int64_t pid) {
    remove_temporaries_at(Fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), pid);
}

bool replace_at(int directory, const std::string& name, std::string_view content,
                const Permissions& permissions) {
    Temporary temporary(directory);
    const unsigned made_with = permissions.from == Permissions::From::umask ? 0666 : 0600;
    return temporary.create(made_with) && set_permissions(temporary.fd(), permissions) &&
           try_write_all(temporary.fd(), content) && fsync(temporary.fd()) == 0 &&
           temporary.rename_to(name) && fsync(directory) == 0;
}

}  // namespace chorus::sys
