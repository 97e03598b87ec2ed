// Looking at paths, open files and directories; for this room's own use.
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/handle.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {

using FileStatus = std::optional<struct stat>;

// These return nothing with errno set on failure: fstat(2), stat(2), and lstat(2), also for a name
// in an open directory.
FileStatus opened_status(int fd);
inline FileStatus opened_status(const Fd& fd) {
    return opened_status(fd.get());
}
FileStatus followed_status(const std::string& path);
FileStatus link_status(const std::string& path);
FileStatus link_status(int directory, const std::string& name);
bool is_same_inode(const struct stat& one, const struct stat& other);
// Identifies a file and its state.
std::string mark_of(const struct stat& status);

// Throws where `path` was not opened, or is not a regular file.
struct stat require_regular(const Fd& file, const std::string& path);
// Returns the content of an open regular file of at most `most` bytes; nothing for anything else.
std::optional<std::string> read_regular(const Fd& file, std::size_t most);
// Returns where a link leads; "" where it is not a link, or its text is too long for a path.
std::string link_target(int directory, const std::string& name);

// realpath(3), or nothing where it fails.
std::optional<std::string> resolved(const std::string& path);
// The same for a path whose last parts need not exist; "" where it fails.
std::string weakly_resolved(const std::string& path);
// The same for `path` as it was opened, whatever it names now.
std::optional<std::string> resolved(const Fd& opened, const std::string& path);
// Lexical; a directory is within itself.
bool is_within(std::string_view path, std::string_view directory);

using DirectoryStream = base::Handle<DIR, closedir>;

// Takes ownership of the descriptor. Returns null with errno set where it is not a directory.
DirectoryStream stream_of(Fd directory);
// Returns the next entry, without . and ..; null at the end (errno 0), on an error, and without a
// stream (errno as it was).
const dirent* next_entry(DIR* stream);
// Returns S_IFREG, S_IFDIR, …: the type of the entry itself. Asks the file system where the entry
// does not hold it. Returns 0 with errno set where the entry is gone.
unsigned entry_type(DIR* stream, const dirent& entry);
// Visits the entries of an open directory without . and ..; returns false with errno set where they
// cannot be read. For many directories: one buffer serves all, while opendir(3) makes one for each,
// which takes twice as long for a small directory.
bool for_each_entry(const Fd& directory, Buffer& buffer,
                    const std::function<void(const dirent64& entry)>& visit);

// "a/b/" has the parent "a" and the name "b"; "b" has the parent ".", "/b" has "/".
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);
// Returns the path for a system call. Throws Error(bad_request) where it holds a NUL.
const char* c_path(const std::string& path);

}  // namespace chorus::sys
