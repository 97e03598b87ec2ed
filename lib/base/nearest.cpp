#include "base/nearest.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace chorus::base {
namespace {

constexpr std::size_t farthest = 2;
constexpr std::size_t least_beginning = 3;  // shorter names are not matched as prefixes
// The table of distances is quadratic; no name worth correcting is longer than a file name.
constexpr std::size_t longest_name_bytes = 255;

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
    const std::size_t columns = other.size() + 1;
    std::vector<std::size_t> table((one.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return table[i * columns + j];
    };
    for (std::size_t i = 0; i <= one.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= other.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t replaced = at(i - 1, j - 1) + (one[i - 1] == other[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return at(one.size(), other.size());
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates,
                                 std::size_t most) {
    std::vector<std::pair<std::size_t, std::string>> near;
    const std::string lower = base::to_lower_ascii(name);
    for (const std::string& candidate : candidates) {
        if (std::max(candidate.size(), lower.size()) > longest_name_bytes) continue;
        if (lower.size() >= least_beginning && base::to_lower_ascii(candidate).starts_with(lower)) {
            near.emplace_back(0, candidate);
            continue;
        }
        const std::size_t shorter = std::min(candidate.size(), lower.size());
        if (std::max(candidate.size(), lower.size()) - shorter > farthest) continue;
        const std::size_t distance = edit_distance(lower, base::to_lower_ascii(candidate));
        // A word with as many errors as letters is a different word.
        if (distance <= farthest && distance < shorter) near.emplace_back(distance, candidate);
    }
    std::sort(near.begin(), near.end());
    near.resize(std::min(near.size(), most));
    std::vector<std::string> names;
    for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
    return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const auto near = nearest(name, candidates, 1);
    return near.empty() ? "" : "did you mean " + quoted(near.front()) + "? ";
}

}  // namespace chorus::base
