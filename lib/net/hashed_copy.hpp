// A copy of a bundle of certificates from which OpenSSL reads only those that it needs. For this
// room's own use.
#pragma once

#include <string>

namespace chorus::net {

// Returns the directory below `copies` with the bundle's certificates, named by the hash of their
// subject as c_rehash(1) does. It is made if there is none for this device, inode, size and time of
// change of the bundle. Returns "" if it cannot be made, or if a certificate of the bundle cannot
// be read.
std::string hashed_copy(const std::string& bundle, const std::string& copies);

}  // namespace chorus::net
