// What a clone is made of. For this room's own use.
#pragma once

#include <string>
#include <vector>

namespace chorus::repo {

struct Source {
    std::string address;                // as libgit2 takes it: a URL, or a path in full
    std::string origin;                 // the same without a name and password
    bool is_remote = false;             // the network is needed
    std::vector<std::string> readable;  // of this machine
};
// Throws for what is no repository's address and for a directory that is not there.
Source find_source(const std::string& given);
std::string without_credentials(const std::string& url);

}  // namespace chorus::repo
