// "Did you mean": names within two typing errors, names that differ only in case, and names that
// begin with the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::base {

// Returns the number of insertions, deletions, replacements and swaps of neighbours between two
// strings.
std::size_t edit_distance(std::string_view one, std::string_view other);
// Returns at most `most` candidates, nearest first.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t most);

// Returns "did you mean 'x'? " with the nearest candidate, or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace chorus::base
