// chorus-config trim: removes records that no window, session or command needs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "agent/layout.hpp"
#include "store/trim.hpp"

namespace chorus::life {

struct TrimOptions {
    std::vector<store::Agent> agents;
    base::TimeMs before = 0;
    // Returns a time that is older than all messages of the agent's window.
    std::function<base::TimeMs(const store::Agent&)> window_begin;
    bool dry_run = false;  // only count
};

struct TrimReport {
    store::Trimmed rows;
    std::int64_t checkpoints = 0;
    std::int64_t locks = 0;  // lock files of destroyed or unknown agents
    std::int64_t bytes = 0;  // by which the database has shrunk
};
TrimReport trim(const agent::Home& home, store::Store& store, const TrimOptions& options);

}  // namespace chorus::life
