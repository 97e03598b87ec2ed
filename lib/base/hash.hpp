#pragma once

#include <string>
#include <string_view>

namespace chorus::base {

inline constexpr std::size_t sha256_digits = 64;

// SHA-256 as lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace chorus::base
