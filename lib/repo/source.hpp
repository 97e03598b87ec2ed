// What a clone is made of. For this room's own use.
#pragma once

#include <string>
#include <vector>

#include "sys/git_place.hpp"

namespace chorus::repo {

enum class Transport { local, http, ssh };

struct Source {
    Transport transport = Transport::local;
    // As libgit2 takes it: a URL, or a path in full. No password is in it, and no user either
    // unless it is ssh: libgit2 writes it to .git/config and the reflogs, which commands read.
    std::string address;
    std::string user;  // those that the address given had
    std::string password;
    std::vector<std::string> readable = {};  // of this machine, for a local one
};
// Throws for what is no repository's address and for a directory that is not there.
Source find_source(const std::string& given);
Transport transport_of(const std::string& address);
// The repository of a directory as a person names it, links and all; none where nothing is there.
sys::GitPlace git_of_source(const std::string& directory);

}  // namespace chorus::repo
