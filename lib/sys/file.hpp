// Whole files and trees. Every function throws base::Error with the path in its message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

bool exists(const std::string& path);           // anything, a dangling link too
bool is_directory(const std::string& path);     // follows links
bool is_regular_file(const std::string& path);  // follows links
bool is_link(const std::string& path);          // a symbolic link, dangling or not
// Returns "", or why no entry can be made, renamed or removed in the directory.
std::string why_not_writable(const std::string& directory);
// `read` also suits a file that is only replaced by renaming: it need not be writable.
enum class Use { read, read_and_write };
// Returns "" for a missing path; else why the file cannot be used this way, or why the directory
// cannot be read, written and entered. A read-only file system is not a reason.
std::string why_not_usable(const std::string& path, Use use = Use::read_and_write);
// Returns nothing where there is no such file. Refuses anything but a regular file, and more than
// `most` bytes.
std::optional<std::string> read_file_if_there(const std::string& path, std::size_t most);
std::string read_file(const std::string& path, std::size_t most);
// Returns nothing for what is no regular file of at most `most` bytes, or cannot be read.
std::optional<std::string> try_read_file(const std::string& path, std::size_t most);
// Like read_file_if_there for a file that a person writes: what is not a regular file of at most
// `most` bytes, or cannot be read, is Error(config_invalid).
std::optional<std::string> read_settings_file(const std::string& path, std::size_t most);
// Like read_settings_file for a file with a secret: Error(config_invalid), with the command that
// mends it, also if others may read or write it, or another user owns it.
std::optional<std::string> read_private_file(const std::string& path, std::size_t most);
// Identifies the file and its state: another content has another mark. "" for a file that is not
// there, or was changed so recently that it may change again and keep its mark.
std::string settled_mark(const std::string& path);
// Reads the end of a regular file, and its total size; empty for a missing file. Does not follow a
// link.
struct Tail {
    std::string text;
    std::uint64_t total_bytes = 0;
};
Tail read_tail(const std::string& path, std::size_t most);

// Promise 5 of chorus(7): writes a temporary in the same directory (O_EXCL|O_NOFOLLOW, `mode`),
// then fsync, rename, fsync of the directory. A reader sees the old file or the new one.
void write_file(const std::string& path, std::string_view content, unsigned mode = 0600);
// The same for a new file. Returns false where the name exists.
bool write_file_if_free(const std::string& path, std::string_view content, unsigned mode = 0600);
// The same for content that is not held in memory: `fill` gets the path of the temporary, and a
// descriptor to write to. Returns false where the name exists and `replace` is false.
bool fill_file(const std::string& path, bool replace,
               const std::function<void(const std::string& temporary, int fd)>& fill);
// Whether this is the name of a temporary of write_file.
bool is_temporary(std::string_view name);
// Removes the temporaries that killed processes left in the directory. The next write there does so
// too.
void remove_temporaries(const std::string& directory);
// Returns their names; none where the directory is missing.
std::vector<std::string> leftover_temporaries(const std::string& directory);
// Appends with one write(2), and makes the file (0600) where it is missing; not synced. After a
// failure the file has its old length.
void append_file(const std::string& path, std::string_view content);

void make_directory(const std::string& path, unsigned mode = 0700);   // parents too; may exist
void rename_path(const std::string& from, const std::string& to);     // and syncs both directories
bool rename_if_free(const std::string& from, const std::string& to);  // false: `to` exists
// Makes a symbolic link to `target`, replacing an existing one atomically. `aside` is a free name
// in the same directory, used as a temporary.
void replace_link(const std::string& path, const std::string& target, const std::string& aside);
void sync_directory(const std::string& path);
void sync_filesystem(const std::string& path);  // syncfs(2)
// Never follows a link, never leaves the file system. A missing path is not an error.
void remove_tree(const std::string& path);
// The same for destructors: returns false where something is left.
bool try_remove_tree(const std::string& path);
// remove_tree of a path without links; throws where the path has one now.
void remove_real_tree(const std::string& path);
// Copies regular files and directories for which `takes`, given the path below `from`, returns
// true; for the owner alone and without set-id bits. Returns the paths that were left out: links,
// sockets, devices, and what `takes` refused; a directory counts once. The caller syncs.
using Takes = std::function<bool(const std::string& path, bool is_directory)>;
std::vector<std::string> copy_tree(const std::string& from, const std::string& to,
                                   const Takes& takes = {});
// Removes setuid and setgid bits from this user's files and directories below `tree`; follows no
// link. Returns their paths.
std::vector<std::string> strip_set_ids(const std::string& tree);
// Names in the directory, sorted, without . and ..
std::vector<std::string> list_directory(const std::string& path);
// The same for an open directory, which messages call `path`.
std::vector<std::string> list_directory(Fd directory, const std::string& path);
// Lexical: joins, no file system access.
std::string join_path(std::string_view directory, std::string_view name);
// realpath(3); throws where it does not exist.
std::string real_path(const std::string& path);
struct Led {
    std::string path;                // as realpath(3)
    std::vector<std::string> links;  // the links followed, each as a path without links
};
// Resolves an absolute path and lists the links on it in one pass, so that both agree. Returns
// nothing where it does not exist.
std::optional<Led> follow_links(const std::string& path);
// Returns the size in bytes past which this process may not write (RLIMIT_FSIZE), or nothing.
std::optional<std::uint64_t> file_size_limit();
// Returns the name of a network file system (nfs, cifs, smb2, fuse, …), or nothing for a local one.
std::optional<std::string> network_filesystem(const std::string& path);

}  // namespace chorus::sys
