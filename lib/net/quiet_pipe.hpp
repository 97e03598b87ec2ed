#pragma once

#include <csignal>

namespace chorus::net {

// No SIGPIPE for this thread meanwhile: OpenSSL writes to sockets without MSG_NOSIGNAL, and the
// program's disposition is not this room's to change.
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
