#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "store/store.hpp"

namespace chorus::store {

using AgentId = std::int64_t;

enum class AgentStatus { creating, active, destroying, destroyed };
std::string_view name(AgentStatus status);

struct Agent {
    AgentId id = 0;
    std::string name;
    std::int64_t generation = 1;
    std::string kind =
        "agent";              // or "child": a sub-agent, told apart by its dir, its name may repeat
    AgentId parent_id = 0;    // of a child
    std::string preset;       // of a child
    std::string dir;          // relative to the home
    std::string model;        // index of agent.json
    std::string permissions;  // index of agent.json: a name or "custom"
    std::string description;
    std::string channel_id;
    std::string place;  // where its turns work, a real path; "": in its own workspace
    AgentStatus status = AgentStatus::creating;
    base::TimeMs created_at = 0;
    base::TimeMs destroyed_at = 0;  // 0: not
    bool files_kept = false;
    base::TimeMs last_clear_time = 0;
    std::int64_t last_clear_message = 0;
    std::int64_t turn_count = 0;
    base::TimeMs last_activity = 0;
};

// The one that is not destroyed, else nothing.
std::optional<Agent> find_agent(Store& store, std::string_view name);
// The same of a database of an older Chorus too.
std::optional<AgentId> find_agent_id(Store& store, std::string_view name);
std::optional<Agent> find_agent(Store& store, AgentId id);
// The one that works in that directory and is not destroyed.
std::optional<Agent> find_agent_of_place(Store& store, std::string_view place);
void set_agent_place(Store& store, AgentId id, std::string_view place);
// The newest generation of that name that was destroyed.
std::optional<Agent> find_destroyed_agent(Store& store, std::string_view name);
// Those that ever had the name, the newest first; without children.
std::vector<Agent> list_generations(Store& store, std::string_view name);
// The child that lives in that directory and is not destroyed.
std::optional<Agent> find_child(Store& store, std::string_view dir);
// The newest child of that name that is not destroyed.
std::optional<Agent> find_child_by_name(Store& store, std::string_view name);
// Those that are not destroyed, by name; without children.
std::vector<Agent> list_agents(Store& store);
// Active ones, by name, with a message behind the last clear; without children.
std::vector<Agent> agents_with_context(Store& store);
// Of one parent, oldest first.
std::vector<Agent> list_children(Store& store, AgentId parent);
// How much of it there is: of tasks those that run, of prompts those that may still be decided.
struct Tally {
    std::int64_t threads = 0;
    std::int64_t tasks = 0;
    std::int64_t prompts = 0;
};
Tally tally_of(Store& store, AgentId agent, base::TimeMs now);
// Inserts as `creating` with the next generation of its name; Error(exists) where the name is
// taken, or the place. Its main thread (1, branch main) is inserted with it. Inside a transaction
// of the caller.
Agent insert_agent(Store& store, const Agent& agent);
void set_agent_status(Store& store, AgentId id, AgentStatus status);
// Status, destroyed_at and files_kept at once.
void mark_destroyed(Store& store, AgentId id, base::TimeMs now, bool files_kept);
// One that was never active, with the conversation that came with it; in parts, outside a
// transaction. What is left where that is broken off is removed the same way.
void delete_agent(Store& store, AgentId id);
void refresh_agent_index(Store& store,
                         const Agent& agent);  // model, permissions, description, channel_id
// Moves the clear markers forward; they never go back.
void advance_clear(Store& store, AgentId id, base::TimeMs time, std::int64_t message_id);

}  // namespace chorus::store
