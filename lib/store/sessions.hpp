#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
// Its file was moved. Inside a transaction of the caller.
void set_session_file(Store& store, AgentId agent, std::string_view id, std::string_view path);
// Its file is gone: the row stays, without a path. Inside a transaction of the caller.
void forget_session_file(Store& store, AgentId agent, std::string_view id);
// Newest first, the one made last before others of the same time, those behind whose time is not
// believed (store/believed.hpp); at most so many, 0: all.
std::vector<Session> list_sessions(Store& store, AgentId agent, std::int64_t most = 0);
// Of all agents that there ever were.
std::vector<Session> list_sessions(Store& store);
// Those whose id begins so, two at most: it is none, this one, or ambiguous.
std::vector<Session> find_sessions(Store& store, AgentId agent, std::string_view id_prefix);

}  // namespace chorus::store
