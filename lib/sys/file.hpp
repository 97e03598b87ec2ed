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
bool is_link(const std::string& path);          // a symbolic one, dangling or not
// "", or why nothing can be made, renamed or removed in the directory.
std::string why_not_writable(const std::string& directory);
// A file that is only replaced, by renaming, need not be writable itself.
enum class Use { read, read_and_write };
// "" of what is not there, or why a file cannot be used so, or a directory not at all; that a file
// system may only be read is no reason.
std::string why_not_usable(const std::string& path, Use use = Use::read_and_write);
// Nothing where there is no such file; refuses what is not a regular file, and more than `most`
// bytes.
std::optional<std::string> read_file_if_there(const std::string& path, std::size_t most);
std::string read_file(const std::string& path, std::size_t most);
// The end of a regular file, and how long it is; nothing of one that is not there. No link is
// followed.
struct Tail {
    std::string text;
    std::uint64_t total_bytes = 0;
};
Tail read_tail(const std::string& path, std::size_t most);

// Promise 5 of chorus(7): a temporary in the same directory (O_EXCL|O_NOFOLLOW, `mode`), write,
// fsync, rename, fsync of the directory. A reader sees the old file or the new one.
void write_file(const std::string& path, std::string_view content, unsigned mode = 0600);
// The same for a new file: false where something of that name is there.
bool write_file_if_free(const std::string& path, std::string_view content, unsigned mode = 0600);
// The same for what cannot be held as a text: `fill` gets the path of the temporary, and a
// descriptor of it to write to. False where something of that name is there and is not to go.
bool fill_file(const std::string& path, bool replace,
               const std::function<void(const std::string& temporary, int fd)>& fill);
// Whether it is the name of a file that write_file has not put in place yet.
bool is_temporary(std::string_view name);
// What write_file of processes that were killed left in the directory; the next write there does it
// too.
void remove_temporaries(const std::string& directory);
// Their names; none where there is no such directory.
std::vector<std::string> leftover_temporaries(const std::string& directory);
// Appends with one write(2), makes the file (0600) where it is missing; not synced. After a failure
// the file is as long as it was.
void append_file(const std::string& path, std::string_view content);

void make_directory(const std::string& path, unsigned mode = 0700);   // parents too; fine if there
void rename_path(const std::string& from, const std::string& to);     // and syncs both directories
bool rename_if_free(const std::string& from, const std::string& to);  // false: `to` exists
// A symbolic link that says `target`, in one step in place of one that is there; `aside` is a free
// name beside it, taken for a moment.
void replace_link(const std::string& path, const std::string& target, const std::string& aside);
void sync_directory(const std::string& path);
void sync_filesystem(const std::string& path);  // syncfs(2)
// Never follows a link, never leaves the file system; fine if there is nothing.
void remove_tree(const std::string& path);
// The same for destructors: false where something is left.
bool try_remove_tree(const std::string& path);
// remove_tree of a path without links; throws where one was put there.
void remove_real_tree(const std::string& path);
// Regular files and directories only, and of those what `takes` says of its path below `from`, for
// their owner alone and without set-id bits. Returns the paths of what was left out: links,
// sockets, devices, and what was not taken, a directory once. Synced by the caller.
using Takes = std::function<bool(const std::string& path, bool is_directory)>;
std::vector<std::string> copy_tree(const std::string& from, const std::string& to,
                                   const Takes& takes = {});
// Takes setuid and setgid bits from what is below a directory and of this user, no link followed.
// Returns the paths.
std::vector<std::string> strip_set_ids(const std::string& tree);
// Names in the directory, sorted, without . and ..
std::vector<std::string> list_directory(const std::string& path);
// The same of an open one, which is `path` in messages.
std::vector<std::string> list_directory(Fd directory, const std::string& path);
// Lexical: joins, no file system access.
std::string join_path(std::string_view directory, std::string_view name);
// realpath(3); throws where it does not exist.
std::string real_path(const std::string& path);
struct Led {
    std::string path;                // as realpath(3)
    std::vector<std::string> links;  // that were followed: where each lies, without links
};
// Where an absolute path leads now, seen without a moment between looking and following; nothing
// where it does not exist.
std::optional<Led> follow_links(const std::string& path);
// Where this process may not write past so many bytes (RLIMIT_FSIZE), else nothing.
std::optional<std::uint64_t> file_size_limit();
// nfs, cifs, smb2, fuse and the like; the name of the file system, or nothing for a local one.
std::optional<std::string> network_filesystem(const std::string& path);

}  // namespace chorus::sys
