#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sys/beneath.hpp"
#include "sys/directory.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
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
    while (const dirent* entry = stream ? next_entry(stream.get()) : nullptr) {
        struct stat status {};
        const std::string name = entry->d_name;
        if (name == ".git") continue;
        if (fstatat(dirfd(stream.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        items.push_back(
            {name, kind_of(status.st_mode), static_cast<std::uint64_t>(status.st_size), false});
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
    return Walk(start.fd.get(), shown == "." ? "" : shown + "/", most).run();
}

}  // namespace chorus::sys
