// The person who started this process, as the kernel knows it, not as the caller claims.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "sys/environment.hpp"

namespace chorus::sys {

struct Person {
    uid_t uid = 0;
    std::string name;                 // user name; the uid in digits where there is none
    std::vector<std::string> groups;  // names, sorted; groups without one are left out
};

// The login uid where the kernel knows it; else SUDO_UID, where the real uid is the effective one
// (which owns the home, or the home is refused) and one of this process's ancestors is sudo; else
// the real uid.
uid_t invoking_uid(const Environment& environment);
// Reads the system's user database.
Person find_person(uid_t uid);
Person invoking_person(const Environment& environment);

}  // namespace chorus::sys
