#include "cli/text_stream.hpp"

#include <unistd.h>

#include <iostream>

#include "base/text.hpp"

namespace chorus::cli {
namespace {

// Bytes at the end that begin a character and do not finish it.
std::size_t unfinished(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xc0U) == 0x80U) continue;
        const std::size_t wanted = byte >= 0xf0U ? 4 : byte >= 0xe0U ? 3 : byte >= 0xc0U ? 2 : 1;
        return wanted > back ? back : 0;
    }
    return 0;
}

}  // namespace

TextStream::TextStream() : to_terminal_(isatty(STDOUT_FILENO) == 1) {}

void TextStream::print(std::string_view piece) {
    if (!to_terminal_) {
        std::cout << piece;
        return;
    }
    rest_ += piece;
    const std::size_t whole = rest_.size() - unfinished(rest_);
    std::cout << base::visible(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
}

void TextStream::finish() {
    if (!rest_.empty()) std::cout << base::visible(rest_);
    rest_.clear();
}

}  // namespace chorus::cli
