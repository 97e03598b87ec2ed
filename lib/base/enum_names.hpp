// The names of an enumeration's values, in the order of the enumeration.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace chorus::base {

template <typename Enum, std::size_t count>
struct EnumNames {
    std::array<std::string_view, count> names;

    constexpr std::string_view name(Enum value) const {
        return names.at(static_cast<std::size_t>(value));
    }
    std::optional<Enum> find(std::string_view name) const {
        const auto* const found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) return std::nullopt;
        return static_cast<Enum>(found - names.begin());
    }
    // Throws Error(failed) for an unknown name: "database: unknown turn state 'x'".
    Enum require(std::string_view name, std::string_view what) const {
        if (const auto found = find(name)) return *found;
        throw Error(ErrorCode::failed,
                    "database: unknown " + std::string(what) + " '" + std::string(name) + "'");
    }
};

}  // namespace chorus::base
