// What a fuzzer asks of its target beside not to crash. A property that does not hold is told with
// the values, and ends the run as a crash does: libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds, std::string_view property, std::string_view seen = {}) {
    if (holds) return;
    const std::string shown = base::visible(seen);
    std::fprintf(stderr, "PROPERTY: %.*s\n%s\n", static_cast<int>(property.size()), property.data(),
                 shown.c_str());
    std::abort();
}

inline void require_equal(std::string_view property, std::string_view one, std::string_view other) {
    if (one != other)
        require(false, property, std::string(one) + "\n--- but\n" + std::string(other));
}

inline bool is_utf8(std::string_view text) {
    return !base::find_invalid_utf8(text);
}

// Where to split an input, the same place each time it is tried.
inline std::size_t place_in(std::string_view text) {
    std::size_t sum = 0;
    for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
    return text.empty() ? 0 : sum % text.size();
}

// The error that `act` threw, if it did. Anything else that is thrown ends the run.
template <typename Act>
std::optional<base::Error> error_of(Act act) {
    try {
        act();
        return std::nullopt;
    } catch (const base::Error& error) {
        return error;
    }
}

}  // namespace chorus::fuzz
