// The watcher of a command that runs without a sandbox.
#pragma once

namespace chorus::sandbox {

// Runs the command as a child in a process group of its own and ends as it ended, after giving what
// it left behind 200 ms. Everything it started, wherever it went, ends with it; and at once when
// `owner`, a pidfd, ends, or on SIGTERM. Only what kills this process itself gets round that.
[[noreturn]] void watch(int owner, const char* program, char* const* arguments);

}  // namespace chorus::sandbox
