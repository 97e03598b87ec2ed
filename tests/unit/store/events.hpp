// All events of an agent, for tests that look at few.
#pragma once

#include <vector>

#include "store/records.hpp"

namespace chorus::store {

inline std::vector<EventRow> load_events(Store& store, AgentId agent) {
    std::vector<EventRow> rows;
    for_each_event(store, {.agent = agent}, [&](const EventRow& row) {
        rows.push_back(row);
        return true;
    });
    return rows;
}

}  // namespace chorus::store
