// Base64 of RFC 4648, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chorus::base {

std::string base64_encode(std::string_view bytes);
// Returns nothing if the text is not base64. Blanks in it are ignored.
std::optional<std::string> base64_decode(const std::string& text);

}  // namespace chorus::base
