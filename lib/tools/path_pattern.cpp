#include "tools/path_pattern.hpp"

#include <algorithm>

#include "policy/shell.hpp"
#include "sys/beneath.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_alternatives = 64;

// Returns the first group that is closed and holds a comma; other braces are literal, as in a
// shell.
std::vector<std::size_t> find_group(const std::string& pattern) {
    std::vector<std::size_t> group;
    for (std::size_t open = pattern.find('{'); open != std::string::npos && group.size() < 3;
         open = pattern.find('{', open + 1))
        group = policy::brace_group(pattern, open);
    return group.size() < 3 ? std::vector<std::size_t>{} : group;
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
        const std::vector<std::size_t> group = find_group(next);
        const std::size_t choices = std::max<std::size_t>(group.size(), 1) - 1;
        if (choices == 0 || open.size() + alternatives_.size() + choices > most_alternatives) {
            alternatives_.push_back(next);
            continue;
        }
        for (std::size_t i = 0; i < choices; ++i)
            open.push_back(next.substr(0, group.front()) +
                           next.substr(group[i] + 1, group[i + 1] - group[i] - 1) +
                           next.substr(group.back() + 1));
    }
}

bool PathPattern::matches(std::string_view path) const {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const std::string& each) {
        if (each.empty()) return true;
        if (each.find('/') == std::string::npos) return sys::glob_matches(each, name);
        const std::string_view from_top = each;
        return sys::glob_matches(from_top.substr(each.front() == '/' ? 1 : 0), path);
    });
}

}  // namespace chorus::tools
