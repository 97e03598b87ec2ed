// Follows the nesting of JSON objects and arrays in text that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chorus::chat {

class Braces {
  public:
    // Returns how many bytes of the text belong to the first one.
    std::size_t follow(std::string_view text) {
        std::size_t at = 0;
        while (at < text.size() && !closed_) follow(text[at++]);
        return at;
    }
    // The outermost brace or bracket was closed.
    bool closed() const { return closed_; }
    std::int64_t depth() const { return depth_; }

    void follow(char c) {
        if (in_string_) {
            const bool was_escaped = escaped_;
            escaped_ = !was_escaped && c == '\\';
            in_string_ = was_escaped || c != '"';
        } else if (c == '"') {
            in_string_ = true;
        } else if (c == '{' || c == '[') {
            ++depth_;
        } else if (c == '}' || c == ']') {
            closed_ = --depth_ == 0;
        }
    }

  private:
    std::int64_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
    bool closed_ = false;
};

}  // namespace chorus::chat
