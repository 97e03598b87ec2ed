// Opens the directories of a walk through a tree, depth first; for this room's own use.
#pragma once

#include <deque>
#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

// Begins at the nearest directory above that is still open: from the top, the kernel walks the
// whole path each time, which may have two thousand parts.
class Descent {
  public:
    explicit Descent(int root) : root_(root) {}

    // `path` is relative to the root, and "" or ends in '/'. Follows no link. Returns no
    // descriptor, with errno set, where it fails. What is returned is valid until the next call.
    const Fd& open(const std::string& path);

  private:
    struct Level {
        std::string path;
        Fd fd;
    };
    int root_;
    std::deque<Level> levels_;  // each in the one before
    Fd none_;
};

}  // namespace chorus::sys
