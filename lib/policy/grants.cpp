#include "policy/grants.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace chorus::policy {
namespace {

using Names = std::set<std::string>;

// Those of the user and of every group it is in.
Names roles_of(const Grants& grants, const Person& person) {
    Names roles;
    const auto add = [&](const std::string& who) {
        const auto found = grants.roles.find(who);
        if (found != grants.roles.end()) roles.insert(found->second.begin(), found->second.end());
    };
    add(person.user);
    for (const std::string& group : person.groups) add("%" + group);
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

}  // namespace

std::string grant_problem(const Grants& grants, const Person& person, std::string_view profile) {
    const std::string user = "user " + base::quoted(person.user);
    const std::string may_not = " may not grant " + base::quoted(profile);
    if (grants.permission_grants.empty())
        return person.owns_home ? ""
                                : user + may_not +
                                      ": without permission_grants in config.json the owner of the "
                                      "home alone may";
    const Names own = roles_of(grants, person);
    const Names may = roles_that_may(grants, profile);
    if (std::any_of(own.begin(), own.end(), [&](const auto& role) { return may.count(role) > 0; }))
        return {};
    const std::string with = own.empty()       ? " without a role"
                             : own.size() == 1 ? " with the role " + listed(own)
                                               : " with the roles " + listed(own);
    return user + with + may_not + ", which " + (may.empty() ? "no role" : listed(may)) + " may";
}

}  // namespace chorus::policy
