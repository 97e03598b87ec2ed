// Ends the turns of agents from another process that needs the agents for itself alone.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "store/agents.hpp"
#include "sys/process.hpp"

namespace chorus::upkeep {

class Stopping {
  public:
    // A process that has not ended within `patience_ms` from now is killed.
    Stopping(store::Store& store, std::vector<store::AgentId> agents, std::int64_t patience_ms);

    // Sends each turn at work one SIGTERM and, when the time is up, SIGKILL; also turns that have
    // just begun. To be called every few milliseconds while waiting for the agents' locks.
    void look();
    // Waits a moment for what killed processes had started, except tasks, to end, then kills it
    // too.
    void finish() const;
    std::size_t stopped() const { return asked_.size(); }

  private:
    struct Less {
        bool operator()(const sys::Identity& a, const sys::Identity& b) const {
            return a.pid != b.pid ? a.pid < b.pid : a.start < b.start;
        }
    };
    void stop(const sys::Identity& process);
    std::vector<sys::Identity> started_by(const sys::Identity& process) const;

    store::Store& store_;
    std::vector<store::AgentId> agents_;
    std::int64_t kill_at_ms_;
    std::int64_t next_look_ms_ = 0;
    std::set<sys::Identity, Less> asked_;
    std::set<sys::Identity, Less> killed_;
    std::vector<sys::Identity> orphans_;
};

}  // namespace chorus::upkeep
