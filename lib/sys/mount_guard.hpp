// Detects replaced mount points. The kernel removes a mount when a process outside renames another
// file over the mount point or removes it: a running command could then write, or read, the new
// one.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

class MountGuard {
  public:
    // Called for a path before it is mounted over: absolute, without links, below `/`. Returns
    // "DEVICE:INODE", or "" where it is missing.
    std::string hold(const std::string& path);
    static std::string name_of(const struct stat& status);

    // From here on fd() is readable when something may have been replaced. It is -1 before, and
    // where inotify is not available: then call replaced() at intervals. Not for a command that
    // runs for milliseconds: the kernel takes ten to end the watch.
    void watch();
    int fd() const { return events_.get(); }
    // Returns a path that no longer leads to the same file or directory, or "".
    std::string replaced();
    // Returns the message for the user about that path.
    std::string told(const std::string& path) const;

  private:
    struct Guarded {
        std::string path;
        Fd held;  // keeps its inode from being reused, and its content readable
    };
    Fd events_;
    std::vector<Guarded> all_;
};

}  // namespace chorus::sys
