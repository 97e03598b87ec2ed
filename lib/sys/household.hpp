// The children of this process; for this room's own use.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "sys/process.hpp"
#include "sys/status.hpp"

namespace chorus::sys {

// A process that SIGKILL does not end hangs in the kernel; nobody waits for it longer than this.
constexpr int kill_patience_ms = 2'000;

// The children of this process while commands run. Being a subreaper belongs to the process, so its
// commands share this: orphans come back as children of ours, and stand beside the children that
// are meant to be there.
class Household {
  public:
    pid_t admit(const Command& command, const Streams& streams);

    // `main` is not reaped yet: its number still names its group and its session, and no other.
    // Kills and reaps it and what it left.
    void dismiss(pid_t main);

    Identity settle(const Command& command, const Streams& streams);

  private:
    void open();

    void close();

    // One round; true while there was something to kill. What it kills hands its children to us.
    bool sweep(pid_t main);

    bool is_left_by(pid_t main, pid_t pid, const Status& status) const;

    std::mutex mutex_;
    std::vector<pid_t> commands_;    // at work now, each the leader of its session
    std::vector<Identity> settled_;  // from start()
    std::vector<Identity> older_;    // there before the first of commands_
    int was_subreaper_ = 0;
};

Household& household();

}  // namespace chorus::sys
