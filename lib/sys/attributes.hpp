// Owner, group, mode, ACL and extended attributes of a file; for this room's own use.
#pragma once

#include <string>

namespace chorus::sys {

// Gives `to`, the new file, the owner, group, mode, ACL and extended attributes of `from`, the file
// that it replaces. Set-id bits, capabilities and signatures are left out: they hold for one
// content only, and writing drops them too. Returns "", or what could not be kept: "its owner:
// Operation not permitted".
std::string take_attributes(int from, int to);

// Sets the mode of a file or directory that this process has just made in `directory`, with its own
// umask, to `mode` less `mask`. Does nothing where the directory has a default ACL, which has set
// the mode. Returns false with errno set on failure.
bool settle_mode(int directory, int made, unsigned mode, unsigned mask);

}  // namespace chorus::sys
