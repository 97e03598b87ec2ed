#include "place/turn_options.hpp"

#include <array>

namespace chorus::place {

std::string_view name(OnAsk on_ask) {
    constexpr std::array<std::string_view, 3> names{"suspend", "deny", "fail"};
    return names[static_cast<std::size_t>(on_ask)];
}

std::optional<OnAsk> parse_on_ask(std::string_view text) {
    for (const OnAsk one : {OnAsk::suspend, OnAsk::deny, OnAsk::fail})
        if (name(one) == text) return one;
    return std::nullopt;
}

}  // namespace chorus::place
