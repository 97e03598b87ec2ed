// The kernel takes a mount away when somebody outside renames another file over what it lies on, or
// removes that: a command that runs meanwhile could then write, or read, the new one.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

class MountGuard {
  public:
    // Of what is to be mounted over, before it is: an absolute path without links, below `/`.
    // Returns "DEVICE:INODE", "" where nothing is there.
    std::string hold(const std::string& path);
    static std::string name_of(const struct stat& status);

    // From here on fd() is readable when something may have been replaced; -1 before that, and
    // where it cannot be had: then that is to be asked about now and then. Not for a command of
    // milliseconds: the kernel takes ten to end it.
    void watch();
    int fd() const { return events_.get(); }
    // The path of one that is not the file or directory that it was, or "".
    std::string replaced();
    // What a person is told about that one.
    std::string told(const std::string& path) const;

  private:
    struct Guarded {
        std::string path;
        Fd held;  // keeps its inode from being another file's, and its content readable
    };
    Fd events_;
    std::vector<Guarded> all_;
};

}  // namespace chorus::sys
