// Reading a directory by descriptor; for this room's own use.
#pragma once

#include <dirent.h>

#include <string>

#include "base/handle.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {

using DirectoryStream = base::Handle<DIR, closedir>;

// Takes the descriptor over; null with errno set where it is no directory.
DirectoryStream stream_of(Fd directory);
// The next entry but . and ..; null at the end (errno 0) and on an error.
const dirent* next_entry(DIR* stream);
// S_IFREG, S_IFDIR, …: the type of the entry itself, asking the file system where the
// entry does not say. 0 with errno set where the entry is gone.
unsigned entry_type(DIR* stream, const dirent& entry);

// "a/b/" has the parent "a" and the name "b"; "b" has the parent ".", "/b" has "/".
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);
// The path for a system call; throws Error(bad_request) where a NUL would cut it.
const char* c_path(const std::string& path);

}  // namespace chorus::sys
