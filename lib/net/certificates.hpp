// Chooses the trusted certificates. A bundle is parsed whole in every process (16 ms); from a
// hashed directory only the certificates needed are read. For this room's own use.
#pragma once

#include <string>

#include "net/http.hpp"

namespace chorus::net {

// Exactly one of them is set.
struct Trust {
    std::string file;
    std::string directory;
};
// Returns the configured file, unless it is the system's bundle and the system's hashed directory
// contains all of it; else the configured directory; else the system's certificates, from the
// directory if it is complete. Instead of a file, returns its hashed copy if it has one.
Trust trust_of(const Transport& transport);

}  // namespace chorus::net
