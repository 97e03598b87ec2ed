#include "sys/git_config.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/open_beneath.hpp"
#include "sys/process.hpp"

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
    return read_regular(Fd(open(path.c_str(), read_only)), base::limits::config_bytes).value_or("");
}

std::string read_git_file(int directory, const std::string& path, std::size_t most) {
    return read_regular(open_beneath(directory, path, read_only, Links::none), most).value_or("");
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

namespace {

bool names(std::string value, const std::string& directory) {
    if (value == "*") return true;
    const bool is_above = value.ends_with("/*");
    if (is_above) value.resize(value.size() - 2);
    while (value.size() > 1 && value.ends_with('/')) value.pop_back();
    const std::string place = resolved(value).value_or(value);
    return is_above ? is_within(directory, place) && directory != place : directory == place;
}

bool owns(const std::string& directory, const GitPlace& place, const Environment& environment) {
    const std::string sudo = geteuid() == 0 ? environment.get("SUDO_UID") : "";
    const std::array<std::string, 3> paths{directory, directory + "/.git", place.git_directory};
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
        const auto status = link_status(path);
        return !status || status->st_uid == geteuid() || std::to_string(status->st_uid) == sudo;
    });
}

}  // namespace

void check_owner(const std::string& what, const std::string& directory, const GitPlace& place) {
    const auto environment = Environment::of_process();
    if (owns(directory, place, environment)) return;
    for (const std::string& value : safe_directories(environment))
        if (names(value, directory)) return;
    throw base::Error(base::ErrorCode::failed, what + ": the repository belongs to another user",
                      "git config --global --add safe.directory " + base::shell_quoted(directory));
}

std::vector<std::string> safe_directories(const Environment& environment) {
    const std::string home = environment.get("HOME");
    std::vector<std::string> files{environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")};
    if (environment.has("GIT_CONFIG_GLOBAL")) {
        files.push_back(environment.get("GIT_CONFIG_GLOBAL"));
    } else if (!home.empty()) {
        files.push_back(environment.get("XDG_CONFIG_HOME", home + "/.config") + "/git/config");
        files.push_back(home + "/.gitconfig");
    }
    std::vector<std::string> all;
    for (const std::string& file : files)
        for (std::string& value : git_values(read_git_file(file), "safe", "directory")) {
            if (value.starts_with("~/")) value.replace(0, 1, home);
            if (value.empty())
                all.clear();
            else
                all.push_back(std::move(value));
        }
    return all;
}

namespace {

std::string quoted_value(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

}  // namespace

std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment) {
    std::string text = "[user]\n\tname = " + quoted_value(name) +
                       "\n\temail = " + quoted_value(email) +
                       "\n[safe]\n\tbareRepository = explicit\n";
    for (const std::string& directory : safe_directories(environment))
        text += "\tdirectory = " + quoted_value(directory) + "\n";
    std::string program;
    if (find_program("git-lfs", program) == 0)
        text +=
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n"
            "\tprocess = git-lfs filter-process\n\trequired = true\n";
    return text;
}

}  // namespace chorus::sys
