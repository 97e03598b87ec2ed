#include "tools/path_pattern.hpp"

#include <algorithm>

#include "sys/beneath.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_alternatives = 64;

struct Braces {
    std::size_t open = std::string::npos;
    std::size_t close = std::string::npos;
    std::vector<std::string> choices;
};

// Returns the first group that is closed and holds a comma; other braces are literal, as in a
// shell.
Braces find_braces(const std::string& pattern) {
    for (std::size_t open = pattern.find('{'); open != std::string::npos;
         open = pattern.find('{', open + 1)) {
        Braces braces{open, std::string::npos, {}};
        std::size_t depth = 0;
        std::size_t start = open + 1;
        for (std::size_t i = open; i < pattern.size(); ++i) {
            if (pattern[i] == '{') ++depth;
            const bool ends = pattern[i] == '}' && --depth == 0;
            if (ends || (pattern[i] == ',' && depth == 1)) {
                braces.choices.push_back(pattern.substr(start, i - start));
                start = i + 1;
            }
            if (ends) {
                braces.close = i;
                break;
            }
        }
        if (braces.close != std::string::npos && braces.choices.size() > 1) return braces;
    }
    return {};
}

std::string without_start(std::string_view pattern) {
    while (pattern.substr(0, 2) == "./") pattern.remove_prefix(2);
    return std::string(pattern);
}

}  // namespace

PathPattern::PathPattern(std::string_view pattern) {
    std::vector<std::string> open = {without_start(pattern)};
    while (!open.empty()) {
        const std::string next = std::move(open.back());
        open.pop_back();
        const Braces braces = find_braces(next);
        const std::size_t known = open.size() + alternatives_.size() + braces.choices.size();
        if (braces.choices.empty() || known > most_alternatives) {
            alternatives_.push_back(next);
            continue;
        }
        for (const std::string& choice : braces.choices)
            open.push_back(next.substr(0, braces.open) + choice + next.substr(braces.close + 1));
    }
}

bool PathPattern::matches(std::string_view path) const {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const std::string& each) {
        if (each.empty()) return true;
        if (each.find('/') == std::string::npos) return sys::glob_matches(each, name);
        const std::string_view from_top = each;
        return sys::glob_matches(from_top.substr(each.front() == '/' ? 1 : 0), path);
    });
}

}  // namespace chorus::tools
