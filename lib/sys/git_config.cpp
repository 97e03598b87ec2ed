#include "sys/git_config.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>
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
        if (value[i] != '\\' || i + 1 == value.size()) {
            plain += value[i];
            continue;
        }
        const char c = value[++i];
        plain += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
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
    std::string rest;  // "= value" with the lines that continue it, or ""
    std::string_view line;
    bool is_readable = true;
};

// Returns the text with the lines after lines[at] that continue it; nothing if it is more than
// `most`, which it is taken from.
std::optional<std::string> continued(std::string_view text,
                                     const std::vector<std::string_view>& lines, std::size_t at,
                                     std::size_t& most) {
    const auto continues = [](std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t last = line.find_last_not_of('\\');
        return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 == 1;
    };
    std::string all(text);
    for (; at + 1 < lines.size() && continues(lines[at]); ++at) {
        if (lines[at + 1].size() >= most) return std::nullopt;
        most -= lines[at + 1].size() + 1;
        all.resize(std::min(all.find_last_of('\\'), all.size()));
        all += lines[at + 1];
    }
    return all;
}

// Treats every line as the start of an entry, which finds at least the entries that git finds.
void each_entry(std::string_view configuration, const std::function<void(const ConfigLine&)>& use) {
    configuration = base::without_bom(configuration);
    Section section;
    const auto lines = base::split_lines(configuration);
    std::size_t most = 4 * base::limits::config_bytes;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        std::string_view line = base::trim(lines[at]);
        bool is_readable = line.find('\0') == std::string_view::npos;
        while (is_readable && line.starts_with('[')) {
            const auto next = take_section(line);
            is_readable = next.has_value();
            section = next.value_or(Section());
        }
        if (is_readable && (line.empty() || line.front() == '#' || line.front() == ';')) continue;
        const std::size_t end = std::min(line.find_first_of("= \t#;"), line.size());
        const auto rest = continued(base::trim(line.substr(end)), lines, at, most);
        use({section, base::to_lower_ascii(line.substr(0, end)), rest.value_or(""), line,
             is_readable && rest});
    }
}

bool is_plain(const std::string& section, const std::string& key, std::string_view value) {
    static const auto listed = [] {
        const auto lines = base::split_lines(embedded::git_plain_keys);
        return std::unordered_set<std::string_view>(lines.begin(), lines.end());
    }();
    const auto is_listed = [](const std::string& name) { return listed.count(name) != 0; };
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

std::map<std::string, std::vector<std::string>, std::less<>> git_section(
    std::string_view configuration, std::string_view section) {
    std::map<std::string, std::vector<std::string>, std::less<>> keys;
    const bool of_subsections = section.ends_with(".*");
    if (of_subsections) section.remove_suffix(2);
    each_entry(configuration, [&](const ConfigLine& entry) {
        if (!entry.is_readable || entry.section.has_subsection != of_subsections ||
            entry.section.name != section)
            return;
        keys[entry.key].push_back(entry.rest.starts_with('=') ? plain_value(entry.rest.substr(1))
                                                              : "true");
    });
    return keys;
}

std::vector<std::string> git_values(std::string_view configuration, std::string_view section,
                                    std::string_view key) {
    const auto keys = git_section(configuration, section);
    const auto found = keys.find(key);
    return found == keys.end() ? std::vector<std::string>() : found->second;
}

// An entry that continues on the next line is never treated as plain.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration) {
    std::vector<GitEntry> found;
    each_entry(configuration, [&](const ConfigLine& entry) {
        if (!entry.is_readable)
            found.push_back({"an entry that cannot be read", std::string(entry.line)});
        else if (const bool continues = entry.line.ends_with('\\');
                 continues || !is_plain(entry.section.name, entry.key, entry.rest))
            found.push_back({entry.section.name + "." + entry.key,
                             continues ? entry.key + " " + entry.rest : std::string(entry.line)});
    });
    return found;
}

namespace {

// Returns the words of a command with their quotes removed.
std::vector<std::string> shell_words(std::string_view command) {
    std::vector<std::string> words(1);
    char quote = '\0';
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (c == '\\' && quote != '\'' && i + 1 < command.size())
            words.back() += command[++i];
        else if (c == quote)
            quote = '\0';
        else if (quote == '\0' && (c == '"' || c == '\''))
            quote = c;
        else if (quote == '\0' && base::is_one_of(c, " \t\n;&|()<>!"))
            words.emplace_back();
        else
            words.back() += c;
    }
    std::erase(words, "");
    return words;
}

}  // namespace

namespace {

// git runs programs in the top directory of the tree.
std::string with_known_variables(std::string line) {
    constexpr std::array<std::array<std::string_view, 2>, 5> known{
        {{"${HOME}", "~"},
         {"$HOME", "~"},
         {"${PWD}", "."},
         {"$PWD", "."},
         {"$(git rev-parse --show-toplevel)", "."}}};
    for (const auto& [name, value] : known)
        for (std::size_t at = 0; (at = line.find(name, at)) != line.npos; at += value.size())
            line.replace(at, name.size(), value);
    return line;
}

}  // namespace

GitWords obeyed_git_words(std::string_view configuration) {
    GitWords words;
    for (GitEntry& entry : obeyed_git_entries(configuration)) {
        entry.line = with_known_variables(std::move(entry.line));
        std::string_view rest = entry.line;
        if (entry.key.starts_with("include") ||
            (entry.key.starts_with("alias.") && rest.find('!') == rest.npos))
            continue;
        while (!rest.empty()) {
            const std::size_t end = rest.find_first_of(" \t\"'`\\;|&()<>!=$,");
            if (end > 0) words.emplace(rest.substr(0, end), entry.key);
            rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
        }
        const std::size_t equals = entry.line.find('=');
        if (equals != entry.line.npos)
            for (std::string& word : shell_words(plain_value(entry.line.substr(equals + 1))))
                words.emplace(std::move(word), entry.key);
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
