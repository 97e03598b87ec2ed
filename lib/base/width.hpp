// How much room text takes on a terminal: of fixed columns, two for a wide character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chorus::base {

// In columns; `text` is one line of what visible() gives. Where terminals differ (emoji above all)
// it is the larger of what they take, so that a line that fits by it fits.
std::size_t display_width(std::string_view text);
// The beginning of it in at most `columns`, "…" standing for what is cut off.
std::string cut_to_width(std::string_view text, std::size_t columns);

}  // namespace chorus::base
