// What the inner program puts on itself before it becomes the command. Each call ends the process
// where it fails.
#pragma once

#include <string_view>
#include <vector>

namespace chorus::sandbox {

// Fails the whole command: nothing runs unconfined.
[[noreturn]] void fail(const char* what, int problem);
[[noreturn]] void fail(const char* what);

// What a mount was to show: bwrap goes by paths, and another command may have exchanged what lies
// there.
struct Bound {
    const char* path;
    const char* identity;  // "DEVICE:INODE"
};
void require_bound(const std::vector<Bound>& all);

// Reading and executing whatever the mounts show, writing beneath `writable` and what needs it of
// /dev, no device nodes; neither abstract sockets nor signals reach outside. Returns the kernel's
// Landlock ABI, 0 where it has none that is of use: the mounts and namespaces stand without it.
int restrict_files(const std::vector<const char*>& writable);
void restrict_calls();

// The same for chorus-git: reading what programs are loaded from and `readable`, reading and
// writing beneath `writable`, nothing else; ends the process where the kernel's Landlock cannot
// keep it so.
void restrict_files_to(const std::vector<const char*>& writable,
                       const std::vector<const char*>& readable, int program);
// In this process's own view no link beneath the directory is followed any more, where the kernel
// lets it have one.
void follow_no_link_beneath(const std::vector<const char*>& directories);
// As restrict_calls, without sockets unless for the network, and without what changes a file by its
// path and Landlock does not govern.
void restrict_calls_of_git(bool network, bool unix_sockets);

}  // namespace chorus::sandbox
