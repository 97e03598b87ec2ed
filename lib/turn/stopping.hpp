// The turns of an agent that is to be had alone are brought to their end from outside.
#pragma once

#include <csignal>
#include <cstdint>
#include <set>
#include <vector>

#include "store/agents.hpp"
#include "sys/process.hpp"

namespace chorus::turn {

class Stopping {
  public:
    // After `patience_ms` from now on, who has not ended is killed.
    Stopping(store::Store& store, std::vector<store::AgentId> agents, std::int64_t patience_ms);

    // Each turn at work, also one that began in the last moment, gets one SIGTERM, when it is its
    // time SIGKILL. For who waits for the agents' locks: asked every few milliseconds.
    void look();
    // What those that were killed had started is given a moment to end and is then killed too.
    void finish() const;
    std::size_t stopped() const { return asked_.size(); }

  private:
    struct Less {
        bool operator()(const sys::Identity& a, const sys::Identity& b) const {
            return a.pid != b.pid ? a.pid < b.pid : a.start < b.start;
        }
    };
    void stop(const sys::Identity& process);

    store::Store& store_;
    std::vector<store::AgentId> agents_;
    std::int64_t kill_at_ms_;
    std::int64_t next_look_ms_ = 0;
    std::set<sys::Identity, Less> asked_;
    std::set<sys::Identity, Less> killed_;
    std::vector<sys::Identity> orphans_;
};

}  // namespace chorus::turn
