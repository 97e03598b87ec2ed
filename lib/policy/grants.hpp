// Tells who may grant which profile, and which changes need no grant (chorus-permissions(7),
// GRANTS). Roles guard against mistakes; they are no boundary.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/profile.hpp"

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

// Whether a change of profile takes rights away, so that it needs no person. Told from the lists,
// never from what patterns match. True for the same profile; a stricter base (open, sandboxed,
// standard, locked, none); deny entries added; allow and ask entries removed; an allow entry that
// loses `shell` or becomes an ask entry. Everything else is widening, and so is that last one for a
// pattern of commands, unless it allowed them whole (a catch-all, or `shell`): an ask entry speaks
// for a line of joined commands that an allow entry leaves denied.
// Where it is true, no action is decided more mildly under `to` than under `from`, wherever it
// runs. Both texts are such that compile takes them; a preset is a text of its base alone.
bool narrows(const ProfileText& from, const ProfileText& to);

}  // namespace chorus::policy
