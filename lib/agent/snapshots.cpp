#include "agent/snapshots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::agent {
namespace {

using Entry = sys::Fingerprint::Entry;

// Incomplete files are written under this name by the process that holds the lock; the next one
// overwrites it.
constexpr const char* incoming_name = "/incoming";
constexpr const char* targets_name = "/targets";
constexpr std::size_t most_tree_bytes = 1U << 30;
constexpr std::size_t number_width = 20;  // with the newline
constexpr std::size_t folder_digits = 2;
// Up to this many new files are synced one by one; with more, the whole file system is synced.
constexpr std::size_t few = 32;
constexpr std::uint64_t least_room = 4096;  // disk space that a file takes

bool has_same_times(const Entry& one, const Entry& other) {
    return one.mode == other.mode && one.inode == other.inode &&
           one.size_bytes == other.size_bytes && one.modified_ns == other.modified_ns &&
           one.changed_ns == other.changed_ns;
}

bool is_hash(std::string_view name) {
    return name.size() == base::sha256_digits &&
           name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Returns the files that are left out: the largest ones, so that the others fit.
std::set<std::string_view> too_large(const Tree& tree, std::int64_t most_bytes) {
    std::vector<const Entry*> files;
    for (const Entry& entry : tree)
        if (S_ISREG(entry.mode)) files.push_back(&entry);
    std::stable_sort(files.begin(), files.end(),
                     [](const Entry* a, const Entry* b) { return a->size_bytes < b->size_bytes; });
    std::set<std::string_view> left_out;
    auto room = static_cast<std::uint64_t>(std::max<std::int64_t>(most_bytes, 0));
    for (const Entry* file : files) {
        const std::uint64_t needed = std::max(file->size_bytes, least_room);
        if (needed > room) left_out.insert(file->path);
        room -= std::min(needed, room);
    }
    return left_out;
}

std::vector<std::string> without_content(const Tree& tree) {
    std::vector<std::string> paths;
    for (const Entry& entry : tree)
        if (S_ISREG(entry.mode) && entry.more.empty()) paths.push_back(entry.path);
    return paths;
}

sys::Fd open_incoming(const std::string& path) {
    sys::Fd file(open(path.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) throw base::system_error(path);
    return file;
}

// Returns no descriptor for what is not a regular file.
sys::Fd open_stored(const std::string& path, int flags) {
    sys::Fd file(open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    const bool is_file = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
    return is_file ? std::move(file) : sys::Fd();
}

std::string hash_of_rest(int fd) {
    base::Sha256 hash;
    sys::Buffer buffer;
    for (;;) {
        const ssize_t size = read(fd, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return {};
        if (size == 0) return hash.hex();
        hash.add({buffer.data(), static_cast<std::size_t>(size)});
    }
}

}  // namespace

// One checkpoint being made.
class Checkpoints::Keeping {
  public:
    Keeping(const Checkpoints& store, const sys::Root& root, const Bounds& bounds)
        : store_(store), root_(root), bounds_(bounds), incoming_(store.directory_ + incoming_name) {
        for (const char* part : {"/contents", "/trees"})
            sys::make_directory(store_.directory_ + part);
    }

    Kept run(Tree tree, const Tree& before, const std::string& name_before) {
        const std::set<std::string_view> left_out = too_large(tree, bounds_.most_bytes);
        auto old = before.begin();
        for (Entry& entry : tree) {
            if (!S_ISREG(entry.mode)) continue;
            if (bounds_.stop && bounds_.stop())
                throw base::Error(base::ErrorCode::canceled, "the turn is being ended");
            while (old != before.end() && old->path < entry.path) ++old;
            const bool is_old = old != before.end() && old->path == entry.path;
            // changed so recently that its times would not show another change
            const bool is_young = !entry.more.empty();
            if (left_out.contains(entry.path))
                entry.more.clear();
            else if (is_old && !is_young && !old->more.empty() && has_same_times(*old, entry))
                entry.more = old->more;
            else
                entry.more = take_in(entry);
            if (is_young) entry.changed_ns = 0;
        }
        return finish(std::move(tree), before, name_before);
    }

  private:
    // Leaves space on a nearly full disk to the turn itself.
    bool has_room_for(std::uint64_t bytes) const {
        struct statvfs space {};
        return statvfs(store_.directory_.c_str(), &space) != 0 ||
               bytes < std::uint64_t{space.f_bavail} * space.f_frsize / 2;
    }

    // Returns the content's hash; "" if the file cannot be read or was replaced meanwhile.
    std::string take_in(const Entry& entry) {
        const sys::Fd file =
            sys::open_beneath(root_.fd(), entry.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                              sys::Links::none);
        struct stat status {};
        if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
            status.st_ino != entry.inode)
            return {};
        if (!has_room_for(entry.size_bytes)) {
            no_room_ = true;
            return {};
        }
        const sys::Fd copy = open_incoming(incoming_);
        base::Sha256 hash;
        std::uint64_t total = 0;
        sys::Buffer buffer;
        for (ssize_t size = 0; (size = read(file.get(), buffer.data(), buffer.size())) != 0;) {
            if (size < 0 && errno == EINTR) continue;
            total += static_cast<std::uint64_t>(std::max<ssize_t>(size, 0));
            if (size < 0 || total > std::max(entry.size_bytes, least_room)) return {};  // it grows
            hash.add({buffer.data(), static_cast<std::size_t>(size)});
            sys::write_all(copy.get(), {buffer.data(), static_cast<std::size_t>(size)}, incoming_);
        }
        return put(hash.hex(), total, copy.get());
    }

    std::string put(std::string hash, std::uint64_t size, int copy) {
        const std::string path = store_.content_path(hash);
        if (sys::exists(path)) return hash;
        const std::string folder = path.substr(0, path.rfind('/'));
        sys::make_directory(folder);
        if (++new_contents_ <= few && fsync(copy) != 0) throw base::system_error(incoming_);
        if (rename(incoming_.c_str(), path.c_str()) != 0) throw base::system_error(path);
        touched_.insert(folder);
        new_bytes_ += static_cast<std::int64_t>(size);
        return hash;
    }

    Kept finish(Tree tree, const Tree& before, const std::string& name_before) {
        if (new_contents_ > few) {
            sys::sync_filesystem(store_.directory_);
        } else if (new_contents_ > 0) {
            touched_.insert(store_.directory_ + "/contents");
            for (const std::string& folder : touched_) sys::sync_directory(folder);
        }
        unlink(incoming_.c_str());
        Kept kept;
        kept.left_out = without_content(tree);
        kept.no_room = no_room_;
        kept.is_news = kept.left_out != without_content(before);
        if (!before.empty() && tree == before) {
            kept.tree = name_before;
            return kept;
        }
        const std::string text = sys::Fingerprint(std::move(tree)).text();
        kept.tree = base::sha256_hex(text);
        if (sys::write_file_if_free(store_.directory_ + "/trees/" + kept.tree, text))
            new_bytes_ += static_cast<std::int64_t>(text.size());
        kept.new_bytes = new_bytes_;
        return kept;
    }

    const Checkpoints& store_;
    const sys::Root& root_;
    const Bounds& bounds_;
    std::string incoming_;
    std::size_t new_contents_ = 0;
    std::int64_t new_bytes_ = 0;
    bool no_room_ = false;
    std::set<std::string> touched_;
};

std::string Checkpoints::content_path(const std::string& hash) const {
    return directory_ + "/contents/" + hash.substr(0, folder_digits) + "/" + hash;
}

Checkpoints::Kept Checkpoints::keep(const sys::Root& root, const sys::Fingerprint& now,
                                    const std::string& previous, const Bounds& bounds) const {
    const Tree before = find(previous).value_or(Tree{});
    return Keeping(*this, root, bounds).run(now.entries(), before, previous);
}

std::optional<Tree> Checkpoints::find(const std::string& tree) const {
    if (!is_hash(tree)) return std::nullopt;
    const sys::Fd fd = open_stored(directory_ + "/trees/" + tree, O_RDONLY);
    std::string text;
    if (!fd || !sys::try_read_all(fd.get(), most_tree_bytes, text) ||
        base::sha256_hex(text) != tree)
        return std::nullopt;
    auto read = sys::Fingerprint::parse(text);
    if (!read) return std::nullopt;
    return std::move(*read).take_entries();
}

sys::Fd Checkpoints::open_content(const std::string& hash) const {
    if (!is_hash(hash)) return {};
    sys::Fd fd = open_stored(content_path(hash), O_RDONLY);
    if (!fd || hash_of_rest(fd.get()) != hash || lseek(fd.get(), 0, SEEK_SET) != 0) return {};
    return fd;
}

// The number has a fixed width: if the files have not changed, only the number is overwritten in
// place. A power failure that loses it looks like a killed turn.
void Checkpoints::write_end(const End& end) const {
    sys::make_directory(directory_);
    const std::string path = directory_ + "/end";
    std::string number = std::to_string(end.newest) + "\n";
    number.insert(0, number_width - std::min(number.size(), number_width), '0');
    const std::string files = end.files.text();
    const sys::Fd old = open_stored(path, O_RDWR);
    std::string text;
    if (old && sys::try_read_all(old.get(), most_tree_bytes, text) &&
        text.find('\n') + 1 == number.size() &&
        std::string_view(text).substr(number.size()) == files &&
        pwrite(old.get(), number.data(), number.size(), 0) == static_cast<ssize_t>(number.size()))
        return;
    // not through a temporary of write_file(): no one cleans those up after the end of a turn
    const std::string incoming = directory_ + incoming_name;
    const sys::Fd file = open_incoming(incoming);
    sys::write_all(file.get(), number + files, incoming);
    if (fsync(file.get()) != 0 || rename(incoming.c_str(), path.c_str()) != 0)
        throw base::system_error(incoming);
}

std::optional<Checkpoints::End> Checkpoints::find_end() const {
    const sys::Fd fd = open_stored(directory_ + "/end", O_RDONLY);
    std::string text;
    if (!fd || !sys::try_read_all(fd.get(), most_tree_bytes, text)) return std::nullopt;
    End end;
    std::string_view rest = text;
    const auto newest = base::take_number<decltype(end.newest)>(rest);
    if (!newest || !rest.starts_with('\n')) return std::nullopt;
    end.newest = *newest;
    auto files = sys::Fingerprint::parse(rest.substr(1));
    if (!files) return std::nullopt;
    end.files = std::move(*files);
    return end;
}

void Checkpoints::note_end(const End& end) const {
    write_end(end);
    unlink((directory_ + targets_name).c_str());
}

void Checkpoints::note_target(const std::string& tree) const {
    const std::string path = directory_ + targets_name;
    const sys::Fd file(open(
        path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) throw base::system_error(path);
    sys::write_all(file.get(), tree + "\n", path);
    if (fsync(file.get()) != 0) throw base::system_error(path);
}

std::vector<Tree> Checkpoints::find_targets() const {
    const sys::Fd file = open_stored(directory_ + targets_name, O_RDONLY);
    std::string text;
    std::vector<Tree> trees;
    if (!file || !sys::try_read_all(file.get(), most_tree_bytes, text)) return trees;
    for (const std::string_view name : base::split_lines(text))
        if (auto tree = find(std::string(name))) trees.push_back(std::move(*tree));
    return trees;
}

std::int64_t Checkpoints::sweep(const std::set<std::string>& trees) const {
    std::set<std::string> used;
    for (const std::string& tree : trees)
        for (const Entry& entry : find(tree).value_or(Tree{}))
            if (S_ISREG(entry.mode)) used.insert(entry.more);
    std::int64_t bytes = 0;
    const auto sweep_in = [&](const std::string& folder, const std::set<std::string>& kept) {
        for (const std::string& name : sys::list_directory(folder)) {
            const std::string path = folder + "/" + name;
            struct stat status {};
            if (!kept.contains(name))
                sys::remove_tree(path);
            else if (lstat(path.c_str(), &status) == 0)
                bytes += status.st_size;
        }
    };
    if (!sys::is_directory(directory_ + "/contents")) return 0;
    sweep_in(directory_ + "/trees", trees);
    for (const std::string& folder : sys::list_directory(directory_ + "/contents"))
        sweep_in(directory_ + "/contents/" + folder, used);
    return bytes;
}

}  // namespace chorus::agent
