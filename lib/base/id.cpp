#include "base/id.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::base {
namespace {

std::array<unsigned char, 16> random_bytes() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw system_error("random numbers");
    return bytes;
}

bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string random_uuid() {
    auto bytes = random_bytes();
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x40U);
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);
    std::string text = hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    for (const std::size_t position : {8U, 13U, 18U, 23U}) text.insert(position, 1, '-');
    return text;
}

std::string random_short_id(std::size_t length) {
    static constexpr std::string_view alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
    static_assert(alphabet.size() == 32);
    std::string id;
    while (id.size() < length)
        for (const unsigned char byte : random_bytes())
            if (id.size() < length) id.push_back(alphabet[byte % alphabet.size()]);
    return id;
}

bool is_agent_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 && is_lower_or_digit(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_lower_or_digit(c) || c == '_' || c == '-'; });
}

}  // namespace chorus::base
