#include "sys/homes.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/error.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

// Returns "" where it is not a link.
std::string target_of(const std::string& path) {
    std::array<char, PATH_MAX> target;
    const ssize_t size = readlink(path.c_str(), target.data(), target.size());
    return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

HomeOutside::HomeOutside(const std::string& parent,
                         const std::vector<std::pair<std::string, std::string>>& links)
    : path_(parent + "/home-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw base::system_error(path_);
    fd_ = Fd(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd_ || flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) throw base::system_error(path_);
    directories_.push_back(path_);
    for (const auto& [name, target] : links) {
        const std::string link = path_ + "/" + name;
        const std::string directory = link.substr(0, link.rfind('/'));
        if (directories_.back() != directory) {
            make_directory(directory);
            directories_.push_back(directory);
        }
        if (symlink(target.c_str(), link.c_str()) != 0) throw base::system_error(link);
    }
    make_directory(home());
    directories_.push_back(home());
    if (!list(made_)) throw base::system_error(path_);
}

HomeOutside::~HomeOutside() {
    try_remove_tree(path_);
}

bool HomeOutside::is_as_made() const {
    std::vector<std::string> left;
    return list(left) && left == made_;
}

// The inode shows whether a directory was replaced.
bool HomeOutside::list(std::vector<std::string>& all) const {
    for (const std::string& directory : directories_) {
        const DirectoryStream stream =
            stream_of(Fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
        struct stat status {};
        if (!stream || fstat(dirfd(stream.get()), &status) != 0) return false;
        all.push_back(directory + " " + std::to_string(status.st_ino) + " " +
                      std::to_string(status.st_uid) + " " + std::to_string(status.st_mode));
        while (const dirent* entry = next_entry(stream.get())) {
            const std::string path = directory + "/" + entry->d_name;
            all.push_back(path + " " + target_of(path));
        }
        if (errno != 0) return false;
    }
    std::sort(all.begin(), all.end());
    return true;
}

std::unique_ptr<HomeOutside> Homes::take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<HomeOutside> home = std::move(free_.back());
    free_.pop_back();
    return home;
}

void Homes::give_back(std::unique_ptr<HomeOutside> home) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(home));
}

}  // namespace chorus::sys
