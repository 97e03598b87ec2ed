#include "ground.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace escape {
namespace {

constexpr int deepest = 6;
constexpr int no_link = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

}  // namespace

Fd::~Fd() {
    if (fd_ >= 0) close(fd_);
}

Fd& Fd::operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

bool Spot::look(struct stat& status) const {
    return fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Spot::is_there() const {
    struct stat status {};
    return look(status);
}

bool Ground::stand() {
    struct stat status {};
    if (root_ && fstat(root_.get(), &status) == 0 && status.st_nlink > 0) return true;
    root_ = Fd(open(path_.c_str(), O_PATH | no_link));
    return static_cast<bool>(root_);
}

Fd Ground::open_directory(const std::string& path) const {
    Fd directory(openat(root_.get(), ".", O_PATH | no_link));
    for (std::size_t at = 0; at < path.size() && directory;) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string name = path.substr(at, end - at);
        if (name == "..") return Fd();
        directory = Fd(openat(directory.get(), name.c_str(), O_PATH | no_link));
        at = end + 1;
    }
    return directory;
}

Spot Ground::spot(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
    return {open_directory(parent), path, path.substr(parent.empty() ? 0 : slash + 1)};
}

std::string Ground::any_entry(const std::string& top, Random& random) const {
    std::string path = top;
    for (int depth = 0; depth < deepest; ++depth) {
        const Fd directory = open_directory(path);
        const auto names = directory ? names_in(directory.get()) : std::vector<std::string>();
        if (names.empty()) break;
        path = joined(path, names[random() % names.size()]);
        if (random() % 3 == 0) break;
    }
    return path == top ? "" : path;
}

void Ground::make_directory(const std::string& path) const {
    for (std::size_t at = path.find('/');; at = path.find('/', at + 1)) {
        const Spot spot = this->spot(path.substr(0, at));
        if (!spot.directory) return;
        mkdirat(spot.directory.get(), spot.name.c_str(), 0755);
        if (at == std::string::npos) return;
    }
}

std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    const int fd = openat(directory, ".", O_RDONLY | no_link);
    DIR* stream = fd >= 0 ? fdopendir(fd) : nullptr;
    while (const dirent* entry = stream != nullptr ? readdir(stream) : nullptr) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    if (stream != nullptr)
        closedir(stream);
    else if (fd >= 0)
        close(fd);
    return names;
}

void remove_entry(int directory, const std::string& name) {
    if (unlinkat(directory, name.c_str(), 0) == 0) return;
    const Fd inner(openat(directory, name.c_str(), O_PATH | no_link));
    if (!inner) return;
    for (const std::string& each : names_in(inner.get())) remove_entry(inner.get(), each);
    unlinkat(directory, name.c_str(), AT_REMOVEDIR);
}

void release(int directory, const std::string& name) {
    const Fd fifo(openat(directory, name.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!fifo || fstat(fifo.get(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
    static_cast<void>(write(fifo.get(), "x\n", 2) != 2);
}

std::string joined(const std::string& directory, const std::string& name) {
    return directory.empty() ? name : directory + "/" + name;
}

}  // namespace escape
