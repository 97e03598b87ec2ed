// Roles: who may grant which profile (chorus(7), PERMISSIONS). They guard against mistakes; they
// are no boundary.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

// permission_grants and roles of config.json.
struct Grants {
    // by role: names of profiles, "custom" for one that is written out, "*" for all
    std::map<std::string, std::vector<std::string>> permission_grants;
    // by user, "bob", or group, "%ops": roles
    std::map<std::string, std::vector<std::string>> roles;
};

struct Person {
    std::string user;
    std::vector<std::string> groups;
    bool owns_home = false;
};

// "" where this person may grant the profile, as the owner of the home alone may without
// permission_grants; else why not: "user 'bob' with the role 'viewer' may not grant 'open', which
// 'admin' may".
std::string grant_problem(const Grants& grants, const Person& person, std::string_view profile);

}  // namespace chorus::policy
