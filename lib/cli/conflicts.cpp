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

// Most options are in no line, and one search is cheaper than reading every line.
bool is_mentioned(const Option& option) {
    const std::vector<std::string_view> names = option.names();
    return std::any_of(names.begin(), names.end(), [](std::string_view name) {
        return embedded::cli_conflicts.find(name) != std::string_view::npos;
    });
}

bool has(std::string_view names, const Option& option) {
    while (!names.empty())
        if (option.has_name(take_part(names, " "))) return true;
    return false;
}

}  // namespace

bool exclude_each_other(const Command& command, const Option& one, const Option& other) {
    if (&one == &other || !is_mentioned(one) || !is_mentioned(other)) return false;
    for (std::string_view table = embedded::cli_conflicts; !table.empty();) {
        std::string_view line = take_part(table, "\n");
        if (take_part(line, " : ") != command.path()) continue;
        const std::string_view left = take_part(line, " | ");
        // without a right side no two options of the line may be given together
        const std::string_view right = line.empty() ? left : line;
        if ((has(left, one) && has(right, other)) || (has(left, other) && has(right, one)))
            return true;
    }
    return false;
}

}  // namespace chorus::cli
