// Numbers in text: decimal digits, with '-' for a signed type below zero; nothing else before them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace chorus::base {

// Removes the number at the beginning of `text`, if there is one that the type can hold.
template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

// Reads a text that is a number and nothing more.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    const auto value = take_number<Number>(text);
    return text.empty() ? value : std::nullopt;
}

}  // namespace chorus::base
