// SIGINT, SIGTERM and SIGHUP become a flag and a readable descriptor; the second one ends the
// process with 130 at once, the same one within 100 ms excepted. SIGPIPE and SIGXFSZ become errors
// of write(2).
#pragma once

#include "sys/fd.hpp"

namespace chorus::sys {

class Interrupt {
  public:
    // Installs the handlers; one per process. Signals that were blocked are let through; SIGHUP
    // stays ignored where it was.
    static Interrupt& install();
    // The first signal's number, or 0.
    int signal() const;
    bool requested() const { return signal() != 0; }
    // Readable once a signal came; never read from it.
    int fd() const;
};

// For a process that ends when its work does, however often it is asked to: SIGINT, SIGTERM and
// SIGHUP wait to be looked at. SIGPIPE and SIGXFSZ become errors of write(2).
class KeptSignals {
  public:
    KeptSignals();
    bool requested() const;
    int fd() const { return fd_.get(); }  // readable once a signal came; never read from it

  private:
    Fd fd_;
};

}  // namespace chorus::sys
