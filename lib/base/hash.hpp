#pragma once

#include <string>
#include <string_view>

namespace chorus::base {

inline constexpr std::size_t sha256_digits = 64;

// SHA-256 as lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// 64-bit FNV-1a as 16 lower-case hexadecimal digits: for texts that nobody forges.
std::string fnv1a_hex(std::string_view bytes);

}  // namespace chorus::base
