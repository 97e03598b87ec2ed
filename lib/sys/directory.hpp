// Reading a directory by descriptor; for this room's own use.
#pragma once

#include <dirent.h>

#include <string>

#include "base/handle.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {

using DirectoryStream = base::Handle<DIR, closedir>;

// Takes ownership of the descriptor. Returns null with errno set where it is not a directory.
DirectoryStream stream_of(Fd directory);
// Returns the next entry, without . and ..; null at the end (errno 0) and on an error.
const dirent* next_entry(DIR* stream);
// Returns S_IFREG, S_IFDIR, …: the type of the entry itself. Asks the file system where the entry
// does not hold it. Returns 0 with errno set where the entry is gone.
unsigned entry_type(DIR* stream, const dirent& entry);

// "a/b/" has the parent "a" and the name "b"; "b" has the parent ".", "/b" has "/".
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);
// Returns the path for a system call. Throws Error(bad_request) where it holds a NUL.
const char* c_path(const std::string& path);

}  // namespace chorus::sys
