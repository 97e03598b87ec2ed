#include "sys/beneath.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/attributes.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"
#include "sys/path_status.hpp"
#include "sys/replace.hpp"

namespace chorus::sys {
namespace {

constexpr int entering = O_RDONLY | O_DIRECTORY;
constexpr std::size_t most_shown_bytes = 300;

using Names = std::vector<std::string_view>;

// Returns false where ".." leads above the start.
bool resolve_lexically(std::string_view path, Names& names) {
    for (const std::string_view name : base::split(path, '/')) {
        if (name.empty() || name == ".") continue;
        if (name != "..")
            names.push_back(name);
        else if (!names.empty())
            names.pop_back();
        else
            return false;
    }
    return true;
}

// Returns true and removes the prefix where the absolute path `names` lies in `directory`.
bool strip_prefix(std::string_view directory, Names& names) {
    Names prefix;
    resolve_lexically(directory, prefix);
    if (prefix.size() > names.size() || !std::equal(prefix.begin(), prefix.end(), names.begin()))
        return false;
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
    return true;
}

std::string joined(const Names& names) {
    if (names.empty()) return ".";
    std::string path(names.front());
    for (std::size_t i = 1; i < names.size(); ++i) path.append("/").append(names[i]);
    return path;
}

std::string message(std::string_view path, std::string_view why) {
    std::string shown =
        base::visible(base::utf8_prefix(path, most_shown_bytes), base::Newlines::escape);
    if (path.size() > most_shown_bytes) shown += "[… " + std::to_string(path.size()) + " bytes]";
    if (path.empty()) shown = ".";
    return shown.append(": ").append(why);
}

std::string reason(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return "no such file";
        case ELOOP:
            return "a symbolic link in it is not followed";
        case EISDIR:
            return "is a directory";
        case ENXIO:
        case ENODEV:
            return "not a regular file";
        case EAGAIN:
            return "changed while it was opened";
        default:
            break;
    }
    std::string text = std::strerror(error);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

OpenOutcome outcome_of(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return OpenOutcome::missing;
        case EXDEV:
            return OpenOutcome::outside;
        case ENXIO:
        case ENODEV:
            return OpenOutcome::wrong_kind;
        case ELOOP:
            return OpenOutcome::refused;
        default:
            return OpenOutcome::failed;
    }
}

bool holds_nul(std::string_view path) {
    return path.find('\0') != std::string_view::npos;
}
constexpr std::string_view nul_refused = "a path cannot hold a NUL";

// Returns why an existing entry must not be overwritten, or "".
std::string problem_of(int directory, const std::string& name, const struct stat& status) {
    if (S_ISLNK(status.st_mode)) return "is a symbolic link";
    if (S_ISDIR(status.st_mode)) return "is a directory";
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    if (status.st_nlink > 1) return "has more than one hard link";
    if (faccessat(directory, name.c_str(), W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0)
        return reason(errno);
    return {};
}

// mkdir(2) applies the umask: a later chmod(2) would clear the set-group-id bit, inherited from the
// parent, for a caller who is not in its group. A thread can have its own umask where unshare(2) is
// allowed; elsewhere settle_mode() corrects the mode.
bool make_directory_at(int directory, const char* name, unsigned mask) {
    int problem = 0;
    const auto make = [&] { problem = mkdirat(directory, name, 0777) == 0 ? 0 : errno; };
    const auto make_apart = [&] {
        if (unshare(CLONE_FS) == 0) umask(mask);
        make();
    };
    if (mask == private_umask)  // the umask of this process
        make();
    else
        std::thread(make_apart).join();
    errno = problem;
    return problem == 0;
}

// These errors do not mean that the directory is missing.
bool lacks_resources(int error) {
    return error == ENOMEM || error == EMFILE || error == ENFILE;
}

}  // namespace

Root::Root(std::string directory, std::string what, unsigned mask)
    : Root(Fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), directory,
           std::move(what), mask) {}

Root::Root(Fd fd, std::string directory, std::string what, unsigned mask)
    : path_(std::move(directory)), what_(std::move(what)), mask_(mask), fd_(std::move(fd)) {
    const int problem = errno;
    while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
    if (!path_.starts_with('/') || holds_nul(path_))
        throw base::Error(base::ErrorCode::bad_request, message(path_, "not an absolute path"));
    if (!fd_) throw base::system_error(path_, problem);
    const auto real = resolved(fd_, path_);
    if (!real) throw base::system_error(path_);
    real_ = *real;
}

std::optional<Root> Root::find(std::string directory, std::string what, unsigned mask) {
    Fd fd = open_real(directory, O_RDONLY | O_DIRECTORY);
    if (!fd && lacks_resources(errno)) throw base::system_error(directory);
    if (!fd) return std::nullopt;
    return Root(std::move(fd), std::move(directory), std::move(what), mask);
}

std::string Root::canonical(std::string_view path) const {
    Names names;
    const bool absolute = path.starts_with('/');
    // The root directory is its own parent: "/../etc" is "/etc".
    while (absolute && path.starts_with("/..") && (path.size() == 3 || path[3] == '/'))
        path.remove_prefix(3);
    if (!resolve_lexically(path, names)) return {};
    if (absolute && !strip_prefix(path_, names) && !strip_prefix(real_, names)) return {};
    return joined(names);
}

std::string Root::leads_out(std::string_view path) const {
    return message(path, "leads out of " + what_);
}

Opened Root::refusal(std::string_view path, int error) const {
    Opened refused;
    refused.outcome = outcome_of(error);
    refused.message = error == EXDEV ? leads_out(path) : message(path, reason(error));
    return refused;
}

Opened Root::open_to_read(std::string_view path) const {
    Opened opened;
    if (holds_nul(path)) {
        opened.outcome = OpenOutcome::refused;
        opened.message = message(path, nul_refused);
        return opened;
    }
    const std::string inside = canonical(path);
    if (inside.empty()) return refusal(path, EXDEV);
    opened.fd = open_beneath(fd_.get(), inside, read_only, Links::inside);
    struct stat status {};
    if (!opened.fd || fstat(opened.fd.get(), &status) != 0) return refusal(path, errno);
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return refusal(path, ENODEV);
    opened.outcome = OpenOutcome::opened;
    opened.kind = S_ISDIR(status.st_mode) ? Kind::directory : Kind::file;
    opened.size_bytes = static_cast<std::uint64_t>(status.st_size);
    opened.mode = status.st_mode & 07777U;
    return opened;
}

bool Root::read_file(std::string_view path, std::size_t most, std::string& content,
                     std::string& error) const {
    const Opened opened = open_to_read(path);
    error = opened.message;
    if (opened.outcome != OpenOutcome::opened) return false;
    if (opened.kind == Kind::directory) {
        error = message(path, "is a directory");
        return false;
    }
    if (try_read_all(opened.fd.get(), most, content)) return true;
    error = message(
        path, errno == EFBIG ? "larger than " + std::to_string(most) + " bytes" : reason(errno));
    return false;
}

std::string Root::location(const Opened& opened) const {
    const std::string path = path_of(opened.fd.get());
    Names names;
    resolve_lexically(path, names);
    return strip_prefix(real_, names) ? joined(names) : std::string();
}

// Sets the components of the path to write. Returns "", or why it may not be written.
std::string Root::prepare_write(std::string_view path, std::vector<std::string>& names) const {
    if (holds_nul(path)) return message(path, nul_refused);
    const std::string inside = canonical(path);
    if (inside.empty()) return leads_out(path);
    if (inside == "." || path.ends_with('/')) return message(path, "is a directory");
    for (const std::string_view name : base::split(inside, '/')) {
        if (is_git_name(name)) return message(path, "git's own files cannot be written");
        names.emplace_back(name);
    }
    return {};
}

Fd Root::make_parents(const std::vector<std::string>& names) const {
    Fd directory = open_beneath(fd_.get(), ".", entering, Links::none);
    for (std::size_t i = 0; i + 1 < names.size() && directory; ++i) {
        Fd below = open_beneath(directory.get(), names[i], entering, Links::none);
        if (!below && errno == ENOENT) {
            const bool made = make_directory_at(directory.get(), names[i].c_str(), mask_);
            if ((!made && errno != EEXIST) || fsync(directory.get()) != 0) return Fd();
            below = open_beneath(directory.get(), names[i], entering, Links::none);
            if (below && made && !settle_mode(directory.get(), below.get(), 0777, mask_))
                return Fd();
        }
        directory = std::move(below);
    }
    return directory;
}

std::string Root::write_file(std::string_view path, std::string_view content) const {
    std::vector<std::string> names;
    const std::string refused = prepare_write(path, names);
    if (!refused.empty()) return refused;
    const Fd directory = make_parents(names);
    if (!directory && errno == ENOTDIR) return message(path, "a parent is not a directory");
    if (!directory) return refusal(path, errno).message;

    Fd old;
    struct stat status {};
    if (fstatat(directory.get(), names.back().c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        const std::string problem = problem_of(directory.get(), names.back(), status);
        if (!problem.empty()) return message(path, problem);
        old = open_beneath(directory.get(), names.back(), read_only, Links::none);
        if (!old) return refusal(path, errno).message;
    } else if (errno != ENOENT) {
        return refusal(path, errno).message;
    }
    std::string lost;
    const auto prepare = [&](int fd) {
        if (!old) return settle_mode(directory.get(), fd, 0666, mask_);
        lost = take_attributes(old.get(), fd);
        return lost.empty();
    };
    if (replace_at(directory.get(), names.back(), content, {old ? 0600U : 0666U, prepare}))
        return {};
    if (lost.empty()) return refusal(path, errno).message;
    return message(path, "not written, as it would lose " + lost);
}

void Root::remove_temporaries(std::string_view path) const {
    std::vector<std::string> names;
    if (!prepare_write(path, names).empty()) return;
    const Fd parent =
        open_beneath(fd_.get(), parent_of(canonical(path)), O_RDONLY | O_DIRECTORY, Links::none);
    if (!parent && lacks_resources(errno)) throw base::system_error(path_);
    if (parent) remove_temporaries_at(parent.get());
}

}  // namespace chorus::sys
