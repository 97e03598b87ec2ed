#include "tools/gitignore.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "sys/beneath.hpp"

namespace chorus::tools {
namespace {

// "name\ " keeps its blank.
std::string_view without_trailing_blanks(std::string_view line) {
    while (!line.empty() && line.back() == ' ') {
        std::size_t backslashes = 0;
        while (backslashes + 1 < line.size() && line[line.size() - 2 - backslashes] == '\\')
            ++backslashes;
        if (backslashes % 2 == 1) break;
        line.remove_suffix(1);
    }
    return line;
}

// gitignore(5): two asterisks that are not a whole component are regular ones.
std::string with_plain_stars(std::string_view pattern) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size();) {
        const std::size_t start = i;
        i += pattern[i] == '\\' && i + 1 < pattern.size() ? 2 : 1;
        if (pattern[start] != '*') {
            out += pattern.substr(start, i - start);
            continue;
        }
        i = std::min(pattern.find_first_not_of('*', start), pattern.size());
        const bool is_component =
            (start == 0 || pattern[start - 1] == '/') && (i == pattern.size() || pattern[i] == '/');
        out += is_component && i - start > 1 ? "**" : "*";
    }
    return out;
}

// Returns the offset after the class that begins at `start`, or npos if nothing closes it.
std::size_t end_of_class(std::string_view pattern, std::size_t start) {
    std::size_t at = start + 1;
    if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
    for (bool is_first = true; at < pattern.size(); is_first = false) {
        if (pattern[at] == ']' && !is_first) return at + 1;
        const std::size_t name_end =
            pattern.substr(at, 2) == "[:" ? pattern.find(":]", at) : std::string_view::npos;
        if (name_end != std::string_view::npos)
            at = name_end + 2;
        else
            at += pattern[at] == '\\' ? 2 : 1;
    }
    return std::string_view::npos;
}

// A class without an end and a backslash at the end match nothing.
bool can_match(std::string_view pattern) {
    std::size_t at = 0;
    while (at < pattern.size()) {
        if (pattern[at] == '[')
            at = end_of_class(pattern, at);
        else
            at += pattern[at] == '\\' ? 2 : 1;
    }
    return at == pattern.size();
}

}  // namespace

bool Gitignore::parse_rule(std::string_view line, Rule& rule) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    line = without_trailing_blanks(line);
    if (line.empty() || line.front() == '#') return false;
    rule.is_exception = line.front() == '!';
    if (rule.is_exception) line.remove_prefix(1);
    rule.is_for_directories = !line.empty() && line.back() == '/';
    if (rule.is_for_directories) line.remove_suffix(1);
    rule.is_anchored = line.find('/') != std::string_view::npos;
    if (!line.empty() && line.front() == '/') line.remove_prefix(1);
    rule.pattern = with_plain_stars(line);
    rule.is_literal = line.find_first_of("*?[\\") == std::string_view::npos;
    return !line.empty() && can_match(line);
}

void Gitignore::enter(std::string_view directory, std::string_view text) {
    Level level{directory.size(), {}};
    for (const std::string_view line : base::split_lines(base::without_bom(text))) {
        Rule rule;
        if (parse_rule(line, rule)) level.rules.push_back(std::move(rule));
    }
    levels_.push_back(std::move(level));
}

bool Gitignore::matches(const Rule& rule, std::string_view path, std::string_view name) {
    const std::string_view subject = rule.is_anchored ? path : name;
    return rule.is_literal ? rule.pattern == subject : sys::glob_matches(rule.pattern, subject);
}

bool Gitignore::ignores(std::string_view path, bool is_directory) const {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
        const std::string_view below = path.substr(level->directory_bytes);
        const auto decides =
            std::find_if(level->rules.rbegin(), level->rules.rend(), [&](const Rule& rule) {
                return (is_directory || !rule.is_for_directories) && matches(rule, below, name);
            });
        if (decides != level->rules.rend()) return !decides->is_exception;
    }
    return false;
}

}  // namespace chorus::tools
