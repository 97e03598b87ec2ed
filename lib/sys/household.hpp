// The children of this process; for this room's own use.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "sys/proc_status.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// A process that SIGKILL does not end hangs in the kernel. Nothing waits for it longer than this.
constexpr int kill_patience_ms = 2'000;

// The children of this process while commands run. Being a subreaper is a property of the process,
// so its commands share this object: orphans become children of this process, beside the children
// that it started itself.
class Household {
  public:
    pid_t admit(const ProcessCommand& command, const Streams& streams);

    // Kills and reaps `main` and what it left. `main` must not be reaped before, so that its number
    // still names its group and its session and no other.
    void dismiss(pid_t main);

    Identity settle(const ProcessCommand& command, const Streams& streams);

  private:
    void open();

    void close();

    // One round; returns true where there was something to kill. The children of a killed process
    // become children of this one.
    bool sweep(pid_t main);

    bool is_left_by(pid_t main, pid_t pid, const Status& status) const;

    std::mutex mutex_;
    std::vector<pid_t> commands_;    // running, each the leader of its session
    std::vector<Identity> settled_;  // from start()
    std::vector<Identity> older_;    // started before the first of commands_
    int was_subreaper_ = 0;
};

Household& household();

}  // namespace chorus::sys
