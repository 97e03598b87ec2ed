// Amounts of money are whole micro-dollars.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace chorus::base {

using MicroUsd = std::int64_t;
constexpr MicroUsd unknown_cost = -1;
constexpr double micro_per_usd = 1e6;

// The amount must be within a billion dollars.
inline MicroUsd micro_usd(double usd) {
    return std::llround(usd * micro_per_usd);
}
inline double in_usd(MicroUsd amount) {
    return static_cast<double>(amount) / micro_per_usd;
}

// Whether an amount of dollars can be a budget.
inline bool is_budget(double usd) {
    return usd >= 1 / micro_per_usd && usd <= 1e6;
}

// "$0.50", with as many as six places if it needs them.
std::string usd_text(MicroUsd amount);

}  // namespace chorus::base
