// Splitting and escaping that a reader of streams may trip over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loopback {

// Every other code point outside ASCII of a JSON text becomes \uXXXX, pairs of them over U+FFFF.
// `escape_next` carries the turn from one text to the next.
std::string with_some_escapes(std::string_view json, bool& escape_next);
// At most about `bytes` each, never inside a code point.
std::vector<std::string> pieces(std::string_view text, std::size_t bytes);
// Likewise, and cut after each backslash and inside each \uXXXX.
std::vector<std::string> argument_pieces(std::string_view json);
// Views into `body`: cut inside every character of more than one byte and inside every escape.
std::vector<std::string_view> cut_characters(std::string_view body);

}  // namespace loopback
