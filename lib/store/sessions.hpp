#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/agents.hpp"

namespace chorus::store {

// A saved session; the file holds the messages.
struct Session {
    std::string id;
    AgentId agent_id = 0;
    std::string agent_name;
    std::string description;
    std::string summary;
    std::string trigger;
    base::TimeMs saved_at = 0;
    std::int64_t message_count = 0;
    base::TimeMs window_start = 0;
    base::TimeMs window_end = 0;
    std::string file_path;  // relative to the home
    std::string sha256;
};

// Replaces the row of the same agent and id. Inside a transaction of the caller.
void insert_session(Store& store, const Session& session);
// Newest first.
std::vector<Session> list_sessions(Store& store, AgentId agent);

}  // namespace chorus::store
