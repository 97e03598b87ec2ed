#pragma once

#include <csignal>

namespace chorus::net {

// Blocks SIGPIPE for this thread while it exists: OpenSSL writes to sockets without MSG_NOSIGNAL,
// and the signal's disposition belongs to the program.
class QuietPipe {
  public:
    QuietPipe();
    ~QuietPipe();
    QuietPipe(const QuietPipe&) = delete;
    QuietPipe& operator=(const QuietPipe&) = delete;

  private:
    sigset_t before_;
    bool was_pending_ = false;
};

}  // namespace chorus::net
