#include "cli/conflicts.hpp"

#include <algorithm>

namespace chorus::embedded {
extern const std::string_view cli_conflicts;
}

namespace chorus::cli {
namespace {

// Removes and returns the part of `text` before `separator`, or all of it if there is none. The
// separator is removed too.
std::string_view take_part(std::string_view& text, std::string_view separator) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
    return part;
}

bool has(std::string_view names, const Option& option) {
    while (!names.empty())
        if (option.has_name(take_part(names, " "))) return true;
    return false;
}

}  // namespace

Conflicts::Conflicts(const Command& command) {
    for (std::string_view table = embedded::cli_conflicts; !table.empty();) {
        std::string_view line = take_part(table, "\n");
        if (take_part(line, " : ") != command.path()) continue;
        const std::string_view left = take_part(line, " | ");
        lines_.emplace_back(left, line.empty() ? left : line);
    }
}

bool Conflicts::exclude(const Option& one, const Option& other) const {
    return &one != &other && std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
        const auto& [left, right] = line;
        return (has(left, one) && has(right, other)) || (has(left, other) && has(right, one));
    });
}

}  // namespace chorus::cli
