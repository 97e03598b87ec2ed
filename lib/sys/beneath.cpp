#include "sys/beneath.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"
#include "sys/replace.hpp"

namespace chorus::sys {
namespace {

constexpr int entering = O_RDONLY | O_DIRECTORY;
constexpr std::size_t most_shown_bytes = 300;

// Returns a normal path relative to `root`, "." for the root itself; "" where it leads out.
std::string path_below(const std::filesystem::path& path, const std::filesystem::path& root) {
    std::string inside = path.lexically_relative(root.lexically_normal()).string();
    while (inside.ends_with('/')) inside.pop_back();
    return inside == ".." || inside.starts_with("../") ? "" : inside;
}

std::string message(std::string_view path, std::string_view why) {
    std::string shown =
        base::visible(base::utf8_prefix(path, most_shown_bytes), base::Newlines::escape);
    if (path.size() > most_shown_bytes) shown += "[… " + std::to_string(path.size()) + " bytes]";
    if (path.empty()) shown = ".";
    return shown.append(": ").append(why);
}

struct Refusal {
    int error;
    OpenOutcome outcome;
    const char* why;  // null: as strerror(3) has it
};
constexpr std::array refusals{
    Refusal{ENOENT, OpenOutcome::missing, "no such file"},
    Refusal{ENOTDIR, OpenOutcome::missing, "no such file"},
    Refusal{EXDEV, OpenOutcome::outside, nullptr},
    Refusal{ENXIO, OpenOutcome::wrong_kind, "not a regular file"},
    Refusal{ENODEV, OpenOutcome::wrong_kind, "not a regular file"},
    Refusal{ELOOP, OpenOutcome::refused, "a symbolic link in it is not followed"},
    Refusal{EISDIR, OpenOutcome::failed, "is a directory"},
    Refusal{EAGAIN, OpenOutcome::failed, "changed while it was opened"}};

Refusal refusal_of(int error) {
    const auto* const found = std::find_if(refusals.begin(), refusals.end(),
                                           [&](const Refusal& one) { return one.error == error; });
    return found != refusals.end() ? *found : Refusal{error, OpenOutcome::failed, nullptr};
}

std::string reason(int error) {
    if (const char* why = refusal_of(error).why) return why;
    std::string text = std::strerror(error);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
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
    // The root directory is its own parent: "/../etc" is "/etc".
    const auto normal = std::filesystem::path(path).lexically_normal();
    if (!normal.is_absolute()) return path_below(normal, ".");
    const std::string inside = path_below(normal, path_);
    return inside.empty() ? path_below(normal, real_) : inside;
}

std::string Root::leads_out(std::string_view path) const {
    return message(path, "leads out of " + what_);
}

Opened Root::refusal(std::string_view path, int error) const {
    return {.outcome = refusal_of(error).outcome,
            .message = error == EXDEV ? leads_out(path) : message(path, reason(error))};
}

// Whether it is a directory is not known yet.
std::string Root::why_not_opened(const std::string& path) const {
    for (const PathRules& rules : rules_)
        if (std::string why = rules.why_not_read(path);
            !why.empty() && !rules.why_not_listed(path).empty())
            return why;
    return {};
}

std::vector<std::string> Root::hidden_files() const {
    std::vector<std::string> globs;
    for (const PathRules& rules : rules_)
        if (rules.only_denies()) globs.insert(globs.end(), rules.deny.begin(), rules.deny.end());
    return globs;
}

bool Root::shows(std::string_view path, Kind kind) const {
    return std::all_of(rules_.begin(), rules_.end(), [&](const PathRules& rules) {
        return (kind == Kind::directory ? rules.why_not_listed(path) : rules.why_not_read(path))
            .empty();
    });
}

Opened Root::open_to_read(std::string_view path) const {
    if (holds_nul(path))
        return {.outcome = OpenOutcome::refused, .message = message(path, nul_refused)};
    const std::string inside = canonical(path);
    if (inside.empty()) return refusal(path, EXDEV);
    if (const std::string why = why_not_opened(inside); !why.empty())
        return {.outcome = OpenOutcome::refused, .message = message(path, why)};
    Fd fd = open_beneath(fd_.get(), inside, read_only, Links::inside);
    const auto status = fd ? opened_status(fd) : std::nullopt;
    if (!status) return refusal(path, errno);
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode)) return refusal(path, ENODEV);
    Opened opened{.outcome = OpenOutcome::opened,
                  .fd = std::move(fd),
                  .kind = S_ISDIR(status->st_mode) ? Kind::directory : Kind::file,
                  .size_bytes = static_cast<std::uint64_t>(status->st_size),
                  .mode = status->st_mode & 07777U};
    if (!rules_.empty() && !shows(location(opened), opened.kind))
        return {.outcome = OpenOutcome::refused,
                .message = message(path, "it, or where a link in it leads, is not in paths.read")};
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
    return path_below(path_of(opened.fd.get()), real_);
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
    for (const PathRules& rules : rules_)
        if (const std::string why = rules.why_not_written(inside); !why.empty())
            return message(path, why);
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
    if (const auto status = link_status(directory.get(), names.back())) {
        const std::string problem = problem_of(directory.get(), names.back(), *status);
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
    if (fill_at(directory.get(), names.back(), content_of(content), {old ? 0600U : 0666U, prepare}))
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

namespace {

// An entry, or the contents of a directory, which sort as "name/" among other names, since "a-b"
// comes before "a/x" and after "a".
struct Item {
    std::string key;
    Kind kind = Kind::file;
    std::uint64_t size_bytes = 0;
    bool contents = false;
};

bool by_key(const Item& left, const Item& right) {
    return left.key < right.key;
}

Kind kind_of(unsigned mode) {
    if (S_ISREG(mode)) return Kind::file;
    if (S_ISDIR(mode)) return Kind::directory;
    return S_ISLNK(mode) ? Kind::link : Kind::other;
}

// Limits the memory for a large directory: only the first `most` names can become entries.
void keep_first(std::vector<Item>& items, std::size_t most) {
    if (items.size() <= most) return;
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(),
                     by_key);
    items.resize(most);
}

std::vector<Item> read_items(Fd directory, std::size_t most) {
    std::vector<Item> items;
    const DirectoryStream stream = stream_of(std::move(directory));
    while (const dirent* entry = next_entry(stream.get())) {
        const std::string name = entry->d_name;
        const auto status = link_status(dirfd(stream.get()), name);
        if (name == ".git" || !status) continue;
        items.push_back(
            {name, kind_of(status->st_mode), static_cast<std::uint64_t>(status->st_size), false});
        if (items.size() / 2 > most) keep_first(items, most);
    }
    keep_first(items, most);
    for (std::size_t i = items.size(); i-- > 0;)
        if (items[i].kind == Kind::directory)
            items.push_back({items[i].key + "/", Kind::directory, 0, true});
    std::sort(items.begin(), items.end(), by_key);
    std::reverse(items.begin(), items.end());  // taken from the end
    return items;
}

// Depth first without recursion, as a command can nest directories deeper than the stack allows.
class Walk {
  public:
    Walk(int start, std::string shown, std::size_t most)
        : start_(start), shown_(std::move(shown)), most_(most) {}

    std::vector<Entry> run() {
        enter("");
        while (!levels_.empty() && entries_.size() < most_) step();
        return std::move(entries_);
    }

  private:
    struct Level {
        std::string prefix;  // relative to the start, ending in '/' unless empty
        std::vector<Item> items;
    };

    void enter(const std::string& prefix) {
        constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
        Fd directory = open_beneath(start_, prefix.empty() ? "." : prefix, flags, Links::none);
        if (!directory) return;
        levels_.push_back({prefix, read_items(std::move(directory), most_ - entries_.size())});
    }

    void step() {
        Level& level = levels_.back();
        if (level.items.empty()) {
            levels_.pop_back();
            return;
        }
        const Item item = std::move(level.items.back());
        level.items.pop_back();
        const std::string path = level.prefix + item.key;
        if (item.contents)
            enter(path);
        else
            entries_.push_back({shown_ + path, item.kind, item.size_bytes});
    }

    int start_;
    std::string shown_;
    std::size_t most_;
    std::vector<Level> levels_;
    std::vector<Entry> entries_;
};

}  // namespace

std::vector<Entry> Root::walk(std::string_view path, std::size_t most, std::string& error) const {
    const Opened start = open_to_read(path);
    error = start.message;
    if (start.outcome != OpenOutcome::opened || most == 0) return {};
    const std::string shown = canonical(path);
    if (start.kind == Kind::file) return {{shown, Kind::file, start.size_bytes}};
    std::vector<Entry> entries = Walk(start.fd.get(), shown == "." ? "" : shown + "/", most).run();
    std::erase_if(entries, [&](const Entry& entry) { return !shows(entry.path, entry.kind); });
    return entries;
}

}  // namespace chorus::sys
