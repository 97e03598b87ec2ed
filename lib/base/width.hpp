// The width of text on a terminal with fixed columns; a wide character takes two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chorus::base {

// `text` is one line of visible()'s output. Where terminals differ (mostly emoji), returns the
// larger width, so that a line that fits by it fits everywhere.
std::size_t display_width(std::string_view text);
// Cuts text to at most `columns` columns; "…" replaces what is cut.
std::string cut_to_width(std::string_view text, std::size_t columns);

}  // namespace chorus::base
