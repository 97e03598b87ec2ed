// Splits a long text into messages of bounded length, for services that limit it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::context {

// A part of the text, and the fences that close and reopen a code block cut by a border.
struct Piece {
    std::string opening;    // "```cpp\n", or ""
    std::string_view text;  // of the whole text; together the pieces are all of it, in order
    std::string closing;    // "\n```", or ""
    std::string body() const { return opening + std::string(text) + closing; }
};

// Splits at few and good places: between paragraphs, else between lines outside of code, else
// between lines, else between words, else between characters. No body is longer than `most`, which
// is at least 100; length is counted in UTF-16 units, which are never fewer than characters. A code
// block left open at the end of a piece is closed there and opened again in the next; one that the
// text never closes stays open in the last. A fence of more than 16 characters, or in a line of 200
// bytes or more, is not recognised. `text` is UTF-8 and must outlive the pieces.
std::vector<Piece> split_text(std::string_view text, std::size_t most);

}  // namespace chorus::context
