// What a file has besides its content and its name; for this room's own use.
#pragma once

#include <string>

namespace chorus::sys {

// What `from` has, owner, group, mode, ACL and extended attributes, for the file that takes its
// place. Left out is what holds for one content only, as writing drops it too: set-id bits,
// capabilities, signatures. "", or what could not be kept: "its owner: Operation not permitted".
std::string take_attributes(int from, int to);

// A new file or directory that this process has just made in `directory`, with its own umask, gets
// `mode` less `mask`; where the directory has a default ACL, that has decided. False with errno.
bool settle_mode(int directory, int made, unsigned mode, unsigned mask);

}  // namespace chorus::sys
