// What a clone is made of. For this room's own use.
#pragma once

#include <string>
#include <vector>

namespace chorus::repo {

enum class Transport { local, http, ssh };

struct Source {
    Transport transport = Transport::local;
    std::string address;                     // as libgit2 takes it: a URL, or a path in full
    std::string origin;                      // the same without a password
    std::vector<std::string> readable = {};  // of this machine, for a local one
};
// Throws for what is no repository's address and for a directory that is not there.
Source find_source(const std::string& given);
Transport transport_of(const std::string& address);
// A name and password in an address would stay in .git/config, where every command reads them; of
// an ssh address the name is a part.
std::string without_credentials(const std::string& url);

}  // namespace chorus::repo
