// The source of a clone. For this room's own use.
#pragma once

#include <string>
#include <vector>

#include "sys/git_place.hpp"

namespace chorus::repo {

struct Source {
    // For libgit2: a URL or an absolute path. It contains no password, and a user only for ssh,
    // because libgit2 writes it to .git/config and the reflogs, which commands can read.
    std::string address;
    std::string user;  // from the address given
    std::string password;
    std::vector<std::string> readable = {};  // local paths to read, for a local source

    bool is_ssh() const;
    bool is_local() const;  // neither https, http nor ssh
};
// Throws for an address that cannot be cloned, and for a directory that does not exist.
Source find_source(const std::string& given);
// The repository of a directory that a person named, links resolved; none if the directory does not
// exist.
sys::GitPlace git_of_source(const std::string& directory);

}  // namespace chorus::repo
