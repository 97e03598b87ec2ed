// Finds the lines of a text that a regular expression matches, in order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

namespace re2 {
class RE2;
}

namespace chorus::tools {

struct LineMatch {
    std::size_t number = 0;  // 1-based
    std::string_view line;
    std::size_t start = 0;  // of the match in the line
};

// RE2 takes time linear in the text, but when its automaton grows too large, the time is also
// proportional to the pattern's size, and a MiB can take a minute. So the text is searched in
// pieces of whole lines, and `is_late` is called before each. In a line longer than a piece,
// matches of more than `overlap_bytes` may be missed.
class LineSearch {
  public:
    static constexpr std::size_t piece_bytes = 16U << 10;
    static constexpr std::size_t overlap_bytes = 2U << 10;

    // The pattern is multi-line and never matches a newline. All three arguments must outlive the
    // search.
    LineSearch(const re2::RE2& pattern, std::string_view text, const std::function<bool()>& is_late)
        : pattern_(pattern), text_(text), is_late_(is_late) {}

    // Returns nothing at the end, or when it is late.
    std::optional<LineMatch> next();

  private:
    std::size_t end_of_piece() const;
    LineMatch line_around(std::size_t found);

    const re2::RE2& pattern_;
    std::string_view text_;
    const std::function<bool()>& is_late_;
    std::size_t at_ = 0;
    std::size_t number_ = 1;
    std::size_t counted_to_ = 0;
};

}  // namespace chorus::tools
