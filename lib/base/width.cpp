#include "base/width.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace chorus::base {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Combining marks (Mn and Me of the Unicode standard, without the rarest scripts), and the medial
// vowels and final consonants of Hangul syllables.
constexpr std::array zero_width{
    Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},   Range{0x5bf, 0x5bf},
    Range{0x5c1, 0x5c2},   Range{0x5c4, 0x5c5},   Range{0x610, 0x61a},   Range{0x64b, 0x65f},
    Range{0x670, 0x670},   Range{0x6d6, 0x6dc},   Range{0x6df, 0x6e4},   Range{0x6e7, 0x6e8},
    Range{0x6ea, 0x6ed},   Range{0x900, 0x902},   Range{0x93c, 0x93c},   Range{0x941, 0x948},
    Range{0x94d, 0x94d},   Range{0xe31, 0xe31},   Range{0xe34, 0xe3a},   Range{0xe47, 0xe4e},
    Range{0x1160, 0x11ff}, Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x20d0, 0x20f0},
    Range{0x3099, 0x309a}, Range{0xfe00, 0xfe0e}, Range{0xfe20, 0xfe2f}, Range{0xe0100, 0xe01ef},
};

// East Asian Wide and Fullwidth, and the emoji blocks as a whole.
constexpr std::array wide{
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x2329, 0x232a},
    Range{0x23e9, 0x23f3},   Range{0x25fd, 0x25fe},   Range{0x2600, 0x2604},
    Range{0x2614, 0x2615},   Range{0x2630, 0x2637},   Range{0x2648, 0x2653},
    Range{0x267f, 0x267f},   Range{0x268a, 0x268f},   Range{0x2693, 0x2693},
    Range{0x26a1, 0x26a1},   Range{0x26aa, 0x26ab},   Range{0x26bd, 0x26be},
    Range{0x26c4, 0x26c5},   Range{0x26ce, 0x26ce},   Range{0x26d4, 0x26d4},
    Range{0x26ea, 0x26ea},   Range{0x26f2, 0x26f3},   Range{0x26f5, 0x26f5},
    Range{0x26fa, 0x26fa},   Range{0x26fd, 0x26fd},   Range{0x2705, 0x2705},
    Range{0x270a, 0x270b},   Range{0x2728, 0x2728},   Range{0x274c, 0x274c},
    Range{0x274e, 0x274e},   Range{0x2753, 0x2755},   Range{0x2757, 0x2757},
    Range{0x2795, 0x2797},   Range{0x27b0, 0x27b0},   Range{0x27bf, 0x27bf},
    Range{0x2b1b, 0x2b1c},   Range{0x2b50, 0x2b50},   Range{0x2b55, 0x2b55},
    Range{0x2e80, 0x303e},   Range{0x3041, 0x4dbf},   Range{0x4dc0, 0xa4cf},
    Range{0xa960, 0xa97c},   Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},
    Range{0xfe10, 0xfe19},   Range{0xfe30, 0xfe6f},   Range{0xff01, 0xff60},
    Range{0xffe0, 0xffe6},   Range{0x16fe0, 0x18cff}, Range{0x1aff0, 0x1b2ff},
    Range{0x1d300, 0x1d376}, Range{0x1f004, 0x1f004}, Range{0x1f0cf, 0x1f0cf},
    Range{0x1f18e, 0x1f19a}, Range{0x1f200, 0x1f64f}, Range{0x1f680, 0x1f6ff},
    Range{0x1f7e0, 0x1f7f0}, Range{0x1f900, 0x1faff}, Range{0x20000, 0x3fffd},
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t code_point) {
    const auto* found =
        std::lower_bound(ranges.begin(), ranges.end(), code_point,
                         [](const Range& range, char32_t one) { return range.last < one; });
    return found != ranges.end() && found->first <= code_point;
}

struct Character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
};

// A byte that belongs to no valid character counts as one character.
Character first_of(std::string_view text) {
    const Decoded next = decode(text);
    if (!next.valid) return {};
    if (is_in(zero_width, next.code_point)) return {next.size, 0};
    return {next.size, is_in(wide, next.code_point) ? std::size_t{2} : std::size_t{1}};
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const Character next = first_of(text);
        columns += next.columns;
        text.remove_prefix(next.bytes);
    }
    return columns;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
    std::size_t at = 0;
    std::size_t used = 0;
    std::size_t kept = 0;  // bytes that leave a column for the ellipsis
    while (at < text.size()) {
        const Character next = first_of(text.substr(at));
        if (used + next.columns > columns)
            return columns == 0 ? std::string() : std::string(text.substr(0, kept)) + "…";
        at += next.bytes;
        used += next.columns;
        if (used + 1 <= columns) kept = at;
    }
    return std::string(text);
}

}  // namespace chorus::base
