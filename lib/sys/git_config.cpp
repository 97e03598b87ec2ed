#include "sys/git_config.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::embedded {
extern const std::string_view git_plain_keys;
}

namespace chorus::sys {
namespace {

std::string plain_value(std::string_view value) {
    std::string plain;
    bool quoted = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '"') {
            quoted = !quoted;
            continue;
        }
        if (!quoted && (value[i] == '#' || value[i] == ';')) break;
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        plain += value[i];
    }
    return std::string(base::trim(plain));
}

std::string text_of(const Fd& file, std::size_t most) {
    struct stat status {};
    std::string text;
    const bool is_read = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         try_read_all(file.get(), most, text);
    return is_read ? text : "";
}

struct Section {
    std::string name;
    bool has_subsection = false;
};

// Returns what follows the closing quote, or nothing where there is none.
std::optional<std::string_view> after_quoted(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') return text.substr(i + 1);
        if (text[i] == '\\') ++i;
    }
    return std::nullopt;
}

// Parses `[name "rest"]` at the start of `line` and removes it from `line`.
std::optional<Section> take_section(std::string_view& line) {
    const std::size_t end = line.find_first_of(" \t\"].");
    if (end == std::string_view::npos) return std::nullopt;
    Section section{base::to_lower_ascii(line.substr(1, end - 1)), line[end] != ']'};
    std::string_view rest = line.substr(end);
    const std::size_t next = rest.find_first_of("\"]");
    if (next == std::string_view::npos) return std::nullopt;
    rest = rest.substr(next);
    if (rest.front() == '"') {
        const auto after = after_quoted(rest.substr(1));
        if (!after || !after->starts_with(']')) return std::nullopt;
        rest = *after;
    }
    line = base::trim(rest.substr(1));
    return section;
}

struct ConfigLine {
    Section section;
    std::string key;
    std::string_view rest;  // "= value", or ""
    std::string_view line;
    bool is_readable = true;
};

// Treats every line as the start of an entry, which finds at least the entries that git finds.
void each_entry(std::string_view configuration, const std::function<void(const ConfigLine&)>& use) {
    configuration = base::without_bom(configuration);
    Section section;
    for (std::string_view line : base::split_lines(configuration)) {
        line = base::trim(line);
        bool is_readable = line.find('\0') == std::string_view::npos;
        while (is_readable && line.starts_with('[')) {
            const auto next = take_section(line);
            is_readable = next.has_value();
            section = next.value_or(Section());
        }
        if (is_readable && (line.empty() || line.front() == '#' || line.front() == ';')) continue;
        const std::size_t end = std::min(line.find_first_of("= \t#;"), line.size());
        use({section, base::to_lower_ascii(line.substr(0, end)), base::trim(line.substr(end)), line,
             is_readable});
    }
}

bool is_plain(const std::string& section, const std::string& key, std::string_view value) {
    const auto is_listed = [](const std::string& name) {
        return embedded::git_plain_keys.find("\n" + name + "\n") != std::string_view::npos;
    };
    // "ext::COMMAND": the address names the program to run
    return value.find("::") == std::string_view::npos && key.find('\n') == key.npos &&
           (is_listed(section + "." + key) || is_listed(section + ".*"));
}

}  // namespace

std::string read_git_file(const std::string& path) {
    return text_of(Fd(open(path.c_str(), read_only)), base::limits::config_bytes);
}

std::string read_git_file(int directory, const std::string& path, std::size_t most) {
    return text_of(open_beneath(directory, path, read_only, Links::none), most);
}

std::vector<std::string> git_values(std::string_view configuration, std::string_view section,
                                    std::string_view key) {
    std::vector<std::string> values;
    const bool of_subsections = section.ends_with(".*");
    if (of_subsections) section.remove_suffix(2);
    each_entry(configuration, [&](const ConfigLine& entry) {
        if (!entry.is_readable || entry.section.has_subsection != of_subsections ||
            entry.section.name != section || entry.key != key)
            return;
        values.push_back(entry.rest.starts_with('=') ? plain_value(entry.rest.substr(1)) : "true");
    });
    return values;
}

// An entry that continues on the next line is never treated as plain.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration) {
    std::vector<GitEntry> found;
    each_entry(configuration, [&](const ConfigLine& entry) {
        if (!entry.is_readable)
            found.push_back({"an entry that cannot be read", std::string(entry.line)});
        else if (entry.line.ends_with('\\') || !is_plain(entry.section.name, entry.key, entry.rest))
            found.push_back({entry.section.name + "." + entry.key, std::string(entry.line)});
    });
    return found;
}

GitWords obeyed_git_words(std::string_view configuration) {
    GitWords words;
    for (const GitEntry& entry : obeyed_git_entries(configuration)) {
        std::string_view rest = entry.line;
        if (entry.key.starts_with("include") ||
            (entry.key.starts_with("alias.") && rest.find('!') == rest.npos))
            continue;
        while (!rest.empty()) {
            const std::size_t end = rest.find_first_of(" \t\"'`\\;|&()<>!=$,");
            if (end > 0) words.emplace(rest.substr(0, end), entry.key);
            rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
        }
    }
    return words;
}

}  // namespace chorus::sys
