#include "policy/grants.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "policy/pattern.hpp"

namespace chorus::policy {
namespace {

using Names = std::set<std::string>;

// The roles of the user and of every group that the user is in.
Names roles_of(const Grants& grants, const Requester& person) {
    Names roles;
    for (const auto& [who, given] : grants.roles)
        if (who == person.user ||
            std::any_of(person.groups.begin(), person.groups.end(),
                        [&who = who](const std::string& group) { return who == "%" + group; }))
            roles.insert(given.begin(), given.end());
    return roles;
}

Names roles_that_may(const Grants& grants, std::string_view profile) {
    Names roles;
    for (const auto& [role, profiles] : grants.permission_grants)
        if (std::any_of(profiles.begin(), profiles.end(),
                        [&](const std::string& one) { return one == "*" || one == profile; }))
            roles.insert(role);
    return roles;
}

std::string listed(const Names& names) {
    return base::quoted_list({names.begin(), names.end()});
}

using Rules = std::vector<Rule>;

constexpr std::string_view command_prefix = "tool:bash:";

// Higher is stricter; a profile without a base is the strictest.
std::ptrdiff_t strictness(const Preset* base) {
    return base == nullptr ? std::ssize(presets()) : base - presets().data();
}

// The rules that are in force wherever the action runs.
Rules with_base(Rules rules, const Rules& base) {
    std::copy_if(base.begin(), base.end(), std::back_inserter(rules),
                 [](const Rule& rule) { return !rule.while_confined; });
    return rules;
}

// Whether a rule with the same pattern fits.
template <typename Fits>
bool holds(const Rules& rules, const Rule& wanted, const Fits& fits) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& one) { return one.pattern == wanted.pattern && fits(one); });
}

constexpr auto fits_always = [](const Rule& /*rule*/) { return true; };

// Whether an ask entry in place of this allow entry narrows the profile.
bool is_more_than_asking(const Rule& allow) {
    return allow.shell || matches_all_below(allow.pattern, command_prefix) ||
           !Pattern(allow.pattern).may_match_below(command_prefix);
}

}  // namespace

std::string grant_problem(const Grants& grants, const Requester& person, std::string_view profile) {
    const std::string user = "user " + base::quoted(person.user);
    const std::string may_not = " may not grant " + base::quoted(profile);
    if (grants.permission_grants.empty())
        return person.owns_home
                   ? ""
                   : user + may_not +
                         ": without permission_grants in config.json only the owner of "
                         "the home may";
    const Names own = roles_of(grants, person);
    const Names may = roles_that_may(grants, profile);
    if (std::any_of(own.begin(), own.end(), [&](const auto& role) { return may.count(role) > 0; }))
        return {};
    const std::string with = own.empty()       ? " without a role"
                             : own.size() == 1 ? " with the role " + listed(own)
                                               : " with the roles " + listed(own);
    return user + with + may_not + ", which " + (may.empty() ? "no role" : listed(may)) + " may";
}

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
