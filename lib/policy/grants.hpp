// Tells who may grant which profile, and which changes need no grant (chorus-permissions(7),
// GRANTS). Roles guard against mistakes; they are not a security boundary.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/profile.hpp"

namespace chorus::policy {

// permission_grants and roles of config.json.
struct Grants {
    // by role: names of profiles, "custom" for a profile written out, "*" for all
    std::map<std::string, std::vector<std::string>> permission_grants;
    // by user ("bob") or group ("%ops"): roles
    std::map<std::string, std::vector<std::string>> roles;
};

struct Requester {
    std::string user;
    std::vector<std::string> groups;
    bool owns_home = false;
};

// Returns "" if this person may grant the profile, else why not: "user 'bob' with the role 'viewer'
// may not grant 'open', which 'admin' may". Without permission_grants only the owner of the home
// may grant.
std::string grant_problem(const Grants& grants, const Requester& person, std::string_view profile);

// Whether a change of profile only takes rights away, so that it needs no approval. Compares the
// lists, not what the patterns match. True for the same profile; a stricter base (open, sandboxed,
// standard, locked, none); added deny entries; removed allow and ask entries; an allow entry that
// loses `shell` or becomes an ask entry. Everything else widens. An allow entry for commands that
// becomes an ask entry widens too, unless it allowed them whole (a catch-all, or `shell`): an ask
// entry also matches a line of joined commands, which an allow entry leaves denied.
// If true, no action is decided less strictly under `to` than under `from`, wherever it runs. Both
// texts must be valid for compile; a preset is a text with a base alone.
bool narrows(const ProfileText& from, const ProfileText& to);

}  // namespace chorus::policy
