// Finds and replaces text in text, without files, for str_replace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::tools {

// Returns where `part` occurs in `text`, first to last, not overlapping. `part` is not empty.
std::vector<std::size_t> find_all(std::string_view text, std::string_view part);
// The 1-based line that `offset` lies in.
std::size_t line_of(std::string_view text, std::size_t offset);
// Returns the lines where `part` would occur if every run of blanks and newlines counted as one and
// those at its ends did not count; at most `most`.
std::vector<std::size_t> lines_but_for_blanks(std::string_view text, std::string_view part,
                                              std::size_t most);

struct Replaced {
    std::string text;
    struct Lines {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    std::vector<Lines> changed;  // 1-based, in the new text
};
Replaced replace_at(std::string_view text, const std::vector<std::size_t>& places,
                    std::size_t old_bytes, std::string_view replacement);

// Whether every newline is CRLF and there is at least one.
bool has_crlf_only(std::string_view text);
std::string with_crlf(std::string text);

// Returns the lines with `around` more on each side, numbered as view numbers them, gaps shown as
// "...".
std::string numbered_around(std::string_view text, const std::vector<Replaced::Lines>& lines,
                            std::size_t around);

}  // namespace chorus::tools
