#include "cli/text_stream.hpp"

#include <unistd.h>

#include <iostream>

#include "base/text.hpp"

namespace chorus::cli {
TextStream::TextStream() : to_terminal_(isatty(STDOUT_FILENO) == 1) {}

void TextStream::print(std::string_view piece) {
    if (!to_terminal_) {
        std::cout << piece;
        return;
    }
    rest_ += piece;
    const std::size_t whole = rest_.size() - base::unfinished_utf8(rest_);
    std::cout << base::visible(std::string_view(rest_).substr(0, whole));
    rest_.erase(0, whole);
}

void TextStream::finish() {
    if (!rest_.empty()) std::cout << base::visible(rest_);
    rest_.clear();
}

}  // namespace chorus::cli
