// A long text as messages of bounded length, for services that take no longer ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::context {

// A part of the text, and what makes it whole where a code block goes through a border.
struct Piece {
    std::string opening;    // "```cpp\n", or ""
    std::string_view text;  // of the whole text; together the pieces are all of it, in order
    std::string closing;    // "\n```", or ""
    std::string body() const { return opening + std::string(text) + closing; }
};

// The fewest borders at good places: between paragraphs, else between lines outside of code, else
// between lines, else between words, else between characters. No body is longer than `most`, at
// least 100 characters, counted as UTF-16 does, which is never less than in any other way. A code
// block that is left open at the end of a piece is closed there and opened again in the next; one
// that the text itself never closes stays so in the last. What looks like a fence is none with more
// than 16 characters, or in a line of 200 bytes. `text` is UTF-8 and must outlive the pieces.
std::vector<Piece> split_text(std::string_view text, std::size_t most);

}  // namespace chorus::context
