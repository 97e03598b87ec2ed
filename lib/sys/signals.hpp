// SIGINT, SIGTERM and SIGHUP become a flag and a readable descriptor. A second SIGINT or SIGTERM
// ends the process with 130 at once, except the same one within 100 ms and a request of
// ask_to_end().
#pragma once

#include <csignal>

#include "sys/fd.hpp"

namespace chorus::sys {

// A SIGTERM that has no further effect when it is sent again, by any process. ask_to_end() of
// sys/process.hpp sends it.
siginfo_t end_request();

class Interrupt {
  public:
    // Installs the handlers; one per process. Unblocks the signals; SIGHUP stays ignored where it
    // was.
    static Interrupt& install();
    // The first signal's number, or 0.
    int signal() const;
    bool requested() const { return signal() != 0; }
    // The same; false where no handlers are installed.
    static bool has_come();
    // Readable once a signal came; never read from it.
    int fd() const;
};

// As nohup(1) and shells without job control leave a signal for the program they start.
bool is_ignored(int signal);

// For a process that ends only when its work is done, however often it is asked to: SIGINT, SIGTERM
// and SIGHUP are blocked and can be looked at.
class KeptSignals {
  public:
    KeptSignals();
    bool requested() const;
    int fd() const { return fd_.get(); }  // readable once a signal came; never read from it

  private:
    Fd fd_;
};

}  // namespace chorus::sys
