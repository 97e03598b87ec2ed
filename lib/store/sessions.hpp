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

// Inserts the session, or replaces the row of the same agent and id. Runs inside a transaction of
// the caller.
void insert_session(Store& store, Session session);
// Records that its file was moved. Runs inside a transaction of the caller.
void set_session_file(Store& store, AgentId agent, std::string_view id, std::string_view path);
// Records that its file is gone: the row stays, without a path. Runs inside a transaction of the
// caller.
void forget_session_file(Store& store, AgentId agent, std::string_view id);
// Newest first, for equal times the one made last first; sessions whose time is not believed
// (store/believed.hpp) come last. At most `most`, 0: all.
std::vector<Session> list_sessions(Store& store, AgentId agent, std::int64_t most = 0);
// The sessions of all agents, including destroyed ones.
std::vector<Session> list_sessions(Store& store);
// Sessions whose id begins with the prefix, at most two: enough to tell missing, unique and
// ambiguous apart.
std::vector<Session> find_sessions(Store& store, AgentId agent, std::string_view id_prefix);

}  // namespace chorus::store
