// A temporary regular file of this process.
#pragma once

#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

// In TMPDIR, or in /tmp where that names no directory; 0600. The destructor removes it.
class Spool {
  public:
    Spool();
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

  private:
    std::string path_;
    Fd fd_;
};

}  // namespace chorus::sys
