// What the inner program puts on itself before it becomes the command. Each call ends the process
// where it fails.
#pragma once

#include <string_view>
#include <vector>

namespace chorus::sandbox {

// Fails the whole command: nothing runs unconfined.
[[noreturn]] void fail(const char* what, int problem);
[[noreturn]] void fail(const char* what);

// Reading and executing whatever the mounts show, writing beneath `writable` and what needs it of
// /dev, no device nodes; neither abstract sockets nor signals reach outside. Returns the kernel's
// Landlock ABI, 0 where it has none that is of use: the mounts and namespaces stand without it.
int restrict_files(const std::vector<const char*>& writable);
void restrict_calls();

}  // namespace chorus::sandbox
