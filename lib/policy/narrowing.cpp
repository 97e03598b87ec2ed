#include "policy/narrowing.hpp"

#include <algorithm>

#include "policy/pattern.hpp"

namespace chorus::policy {
namespace {

using Rules = std::vector<Rule>;

constexpr std::string_view commands = "tool:bash:";

// The higher the stricter; no base is the strictest.
std::ptrdiff_t strictness(const Preset* base) {
    return base == nullptr ? std::ssize(presets()) : base - presets().data();
}

// Those in force wherever the action runs.
Rules with_base(Rules rules, const Rules& base) {
    std::copy_if(base.begin(), base.end(), std::back_inserter(rules),
                 [](const Rule& rule) { return !rule.while_confined; });
    return rules;
}

// Whether one of them has the same pattern, and fits.
template <typename Fits>
bool holds(const Rules& rules, const Rule& wanted, const Fits& fits) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& one) { return one.pattern == wanted.pattern && fits(one); });
}

constexpr auto fits_always = [](const Rule& /*rule*/) { return true; };

// An ask entry in the place of this allow entry takes away.
bool is_more_than_asking(const Rule& allow) {
    return allow.shell || matches_all_below(allow.pattern, commands) ||
           !Beginnings(allow.pattern).may_match_below(commands);
}

}  // namespace

bool narrows(const ProfileText& from, const ProfileText& to) {
    const Preset* base = find_preset(from.base);
    if (strictness(find_preset(to.base)) < strictness(base)) return false;
    const Rules allow = base == nullptr ? from.allow : with_base(from.allow, base->allow);
    const Rules ask = base == nullptr ? from.ask : with_base(from.ask, base->ask);
    const auto allows_as_much = [&](const Rule& wanted) {
        return holds(allow, wanted, [&](const Rule& one) { return one.shell || !wanted.shell; });
    };
    return std::all_of(from.deny.begin(), from.deny.end(),
                       [&](const Rule& one) { return holds(to.deny, one, fits_always); }) &&
           std::all_of(to.allow.begin(), to.allow.end(), allows_as_much) &&
           std::all_of(to.ask.begin(), to.ask.end(), [&](const Rule& one) {
               return holds(ask, one, fits_always) || holds(allow, one, is_more_than_asking);
           });
}

}  // namespace chorus::policy
