#include "sys/git_files.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "sys/beneath.hpp"
#include "sys/git_config.hpp"

namespace chorus::sys {
namespace {

// Whether a rebase that continues with these steps runs a command.
bool has_exec_step(std::string_view steps) {
    for (const std::string_view line : base::split_lines(steps)) {
        const std::string_view step = base::trim(line);
        const std::string_view word = step.substr(0, step.find_first_of(" \t"));
        if (word == "exec" || word == "x") return true;
    }
    return false;
}

// For other names git runs git-merge-NAME from PATH, or from a path where NAME has a slash.
bool is_foreign_strategy(std::string_view name) {
    constexpr std::array own{"ort", "recursive", "resolve", "octopus", "ours", "subtree"};
    return std::find(own.begin(), own.end(), base::trim(name)) == own.end();
}

bool has_foreign_strategy(std::string_view options) {
    const auto names = git_values(options, "options", "strategy");
    return std::any_of(names.begin(), names.end(), is_foreign_strategy);
}

// Options of git-apply, of which --build-fake-ancestor=FILE writes anywhere. The file usually holds
// only a newline.
bool has_options(std::string_view options) {
    return !base::trim(options).empty();
}

}  // namespace

const OperationFile operation_files[4] = {
    {"rebase-merge/git-rebase-todo", "a step that runs a command", has_exec_step},
    {"rebase-merge/strategy", "a merge strategy that is a program", is_foreign_strategy},
    {"rebase-apply/apply-opt", "options of git apply", has_options},
    {"sequencer/opts", "a merge strategy that is a program", has_foreign_strategy}};

std::vector<std::string_view> rerere_paths(std::string_view conflicts) {
    std::vector<std::string_view> paths;
    for (const std::string_view line : base::split(conflicts, '\0'))
        if (!line.empty()) paths.push_back(line.substr(line.find('\t') + 1));
    return paths;
}

std::optional<std::string> odd_reference(std::string_view text) {
    constexpr std::string_view prefix = "ref:";
    if (!text.starts_with(prefix)) return std::nullopt;
    const bool is_long = text.size() >= reference_bytes;
    text = base::trim(text.substr(prefix.size(), text.find('\0') - prefix.size()));
    if (!is_long && text.starts_with("refs/") && is_plain_git_path(text)) return std::nullopt;
    return std::string(text);
}

namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::size_t stat_bytes = 40;
constexpr std::size_t length_mask = 0xfff;
constexpr std::size_t extended_flag = 0x4000;
constexpr std::size_t beyond = SIZE_MAX / 2;

class Index {
  public:
    Index(std::string_view bytes, std::size_t hash_bytes)
        : bytes_(bytes), hash_bytes_(hash_bytes), version_(number(4, 4)) {}

    bool read() {
        const std::size_t count = number(8, 4);
        return bytes_.starts_with("DIRC") && version_ >= 2 && version_ <= 4 &&
               read_entries(header_bytes, count) && read_blocks(count);
    }
    std::string odd;

  private:
    std::size_t number(std::size_t at, std::size_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) return beyond;
        std::size_t value = 0;
        for (const char c : bytes_.substr(at, size))
            value = value << 8U | static_cast<unsigned char>(c);
        return value;
    }

    bool read_entries(std::size_t at, std::size_t count) {
        std::string name;
        for (; count > 0; --count) {
            const std::size_t flags_at = at + stat_bytes + hash_bytes_;
            const std::size_t flags = number(flags_at, 2);
            if (flags == beyond) return false;
            std::size_t start = flags_at + ((flags & extended_flag) != 0 ? 4 : 2);
            const std::size_t before = start - at;
            if (!cut(name, start)) return false;
            const std::size_t end = bytes_.find('\0', start);
            if (end == std::string_view::npos) return false;
            name += bytes_.substr(start, end - start);
            const std::size_t length = flags & length_mask;
            if (length != name.size() && length != length_mask) return false;
            note(name);
            at = version_ == 4 ? end + 1 : at + ((before + name.size() + 8) & ~std::size_t{7});
        }
        return true;
    }

    // Cuts the last name to the prefix that it shares with the next one.
    bool cut(std::string& name, std::size_t& start) const {
        std::size_t removed = name.size();
        if (version_ == 4) {
            std::size_t byte = number(start++, 1);
            removed = byte & 0x7fU;
            for (; (byte & 0x80U) != 0; removed = (removed + 1) << 7U | (byte & 0x7fU))
                if ((byte = number(start++, 1)) == beyond || removed > bytes_.size()) return false;
            if (name.empty()) removed = 0;
        }
        if (removed > name.size()) return false;
        name.resize(name.size() - removed);
        return true;
    }

    // Entries of a split index may be nameless: their names are in the shared index. A directory
    // that a sparse checkout leaves out ends in a slash.
    void note(std::string_view name) {
        if (name.ends_with('/')) name.remove_suffix(1);
        if (!name.empty() && !is_plain_git_path(name)) odd.append(name).push_back('\0');
    }

    // For reading by threads (index.threads) an extension says where blocks of entries start.
    bool read_blocks(std::size_t count) {
        const std::size_t end = bytes_.size() - 2 * hash_bytes_ - header_bytes;
        if (end > bytes_.size() || bytes_.substr(end, 4) != "EOIE") return true;
        std::size_t at = number(end + 8, 4);
        while (at < end && bytes_.substr(at, 4) != "IEOT") at += 8 + number(at + 4, 4);
        const std::size_t blocks_end = at < end ? at + 8 + number(at + 4, 4) : 0;
        for (at += header_bytes; at < blocks_end; at += 8) {
            const std::size_t entries = number(at + 4, 4);
            if (entries > count || !read_entries(number(at, 4), entries)) return false;
            count -= entries;
        }
        return true;
    }

    std::string_view bytes_;
    std::size_t hash_bytes_;
    std::size_t version_;
};

}  // namespace

bool is_plain_git_path(std::string_view path) {
    for (;;) {
        const std::size_t end = path.find('/');
        const std::string_view name = path.substr(0, end);
        if (name.empty() || name == "." || name == ".." || is_git_name(name)) return false;
        if (end == path.npos) return true;
        path.remove_prefix(end + 1);
    }
}

std::optional<std::string> odd_index_names(std::string_view bytes, std::size_t hash_bytes) {
    Index index(bytes, hash_bytes);
    if (!index.read()) return std::nullopt;
    return std::move(index.odd);
}

}  // namespace chorus::sys
