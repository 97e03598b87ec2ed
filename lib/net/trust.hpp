// Which certificates are trusted. A bundle has to be parsed whole in every process (16 ms), of a
// hashed directory only what is needed is read. For this room's own use.
#pragma once

#include <string>

#include "net/http.hpp"

namespace chorus::net {

// Exactly one of them is set.
struct Trust {
    std::string file;
    std::string directory;
};
// The file that is named, unless it is the system's bundle and the hashed directory has all of it;
// else the directory that is named; else the system's, in the form that has it whole.
Trust trust_of(const Transport& transport);

}  // namespace chorus::net
