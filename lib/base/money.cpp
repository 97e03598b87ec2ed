#include "base/money.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace chorus::base {

std::string usd_text(MicroUsd amount) {
    std::string text = fmt::format("${:.6f}", in_usd(amount));
    const std::size_t cents = text.find('.') + 3;
    const std::size_t last = text.find_last_not_of('0');
    text.resize(std::max(last + 1, cents));
    return text;
}

}  // namespace chorus::base
