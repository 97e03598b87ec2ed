#include "policy/narrowing.hpp"

#include <algorithm>

#include "policy/beginnings.hpp"
#include "policy/presets.hpp"

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

bool holds(const Rules& rules, const Rule& wanted) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& one) { return one.pattern == wanted.pattern; });
}

bool allows_as_much(const Rules& allow, const Rule& wanted) {
    return std::any_of(allow.begin(), allow.end(), [&](const Rule& one) {
        return one.pattern == wanted.pattern && (one.shell || !wanted.shell);
    });
}

// An ask entry in the place of this allow entry takes away.
bool is_more_than_asking(const Rule& allow) {
    return allow.shell || matches_all_below(allow.pattern, commands) ||
           !Beginnings(allow.pattern).may_match_below(commands);
}

bool may_be_asked(const Rules& allow, const Rule& wanted) {
    return std::any_of(allow.begin(), allow.end(), [&](const Rule& one) {
        return one.pattern == wanted.pattern && is_more_than_asking(one);
    });
}

}  // namespace

bool narrows(const ProfileText& from, const ProfileText& to) {
    const Preset* base = find_preset(from.base);
    if (strictness(find_preset(to.base)) < strictness(base)) return false;
    const Rules allow = base == nullptr ? from.allow : with_base(from.allow, base->allow);
    const Rules ask = base == nullptr ? from.ask : with_base(from.ask, base->ask);
    return std::all_of(from.deny.begin(), from.deny.end(),
                       [&](const Rule& one) { return holds(to.deny, one); }) &&
           std::all_of(to.allow.begin(), to.allow.end(),
                       [&](const Rule& one) { return allows_as_much(allow, one); }) &&
           std::all_of(to.ask.begin(), to.ask.end(), [&](const Rule& one) {
               return holds(ask, one) || may_be_asked(allow, one);
           });
}

}  // namespace chorus::policy
