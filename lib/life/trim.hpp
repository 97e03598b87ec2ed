// chorus-config trim: what no window, session or command needs leaves the record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/trim.hpp"

namespace chorus::life {

struct TrimOptions {
    std::vector<store::Agent> agents;
    base::TimeMs before = 0;
    // Returns the time that all messages of the agent's window are newer than.
    std::function<base::TimeMs(const store::Agent&)> window_begin;
    bool dry_run = false;  // only count
};

struct TrimReport {
    store::Trimmed rows;
    std::int64_t checkpoints = 0;
    std::int64_t locks = 0;  // lock files of agents that were destroyed, or that nobody knows
    std::int64_t bytes = 0;  // that the database is smaller by
};
TrimReport trim(const agent::Home& home, store::Store& store, const TrimOptions& options);

}  // namespace chorus::life
