// "Did you mean": names that differ by at most two typing errors, or by case only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::base {

// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
std::size_t edit_distance(std::string_view one, std::string_view other);
// The nearest first, at most `most` of them.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t most);

}  // namespace chorus::base
