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
    std::string kind = "agent";  // or "child": a sub-agent, identified by its dir; names may repeat
    AgentId parent_id = 0;       // of a child
    std::int64_t parent_turn = 0;  // the turn whose call spawned it; 0: a person did
    std::string parent_call;
    std::string rights;       // of that turn (place/rights.hpp)
    std::string preset;       // of a child
    std::string dir;          // relative to the home
    std::string model;        // index of agent.json
    std::string permissions;  // index of agent.json: a name or "custom"
    std::string description;
    std::string channel_id;
    std::string place;  // where its turns work, a real path; "": its own workspace
    AgentStatus status = AgentStatus::creating;
    base::TimeMs created_at = 0;
    base::TimeMs destroyed_at = 0;  // 0: not destroyed
    bool files_kept = false;
    base::TimeMs last_clear_time = 0;
    std::int64_t last_clear_message = 0;
    std::int64_t turn_count = 0;
    base::TimeMs last_activity = 0;
};

// Returns the agent that is not destroyed, if any.
std::optional<Agent> find_agent(Store& store, std::string_view name);
// Like find_agent, but also works on a database of an older Chorus.
std::optional<AgentId> find_agent_id(Store& store, std::string_view name);
std::optional<Agent> find_agent(Store& store, AgentId id);
// Returns the agent that works in that directory and is not destroyed.
std::optional<Agent> find_agent_of_place(Store& store, std::string_view place);
void set_agent_place(Store& store, AgentId id, std::string_view place);
// Returns the newest destroyed generation of that name.
std::optional<Agent> find_destroyed_agent(Store& store, std::string_view name);
std::optional<Agent> find_destroyed_child(Store& store, std::string_view name);
// All agents that ever had the name, newest first; without children.
std::vector<Agent> list_generations(Store& store, std::string_view name);
// Returns the child in that directory that is not destroyed.
std::optional<Agent> find_child(Store& store, std::string_view dir);
// Returns the child that the call spawned, active or destroyed.
std::optional<Agent> find_child_of_call(Store& store, std::int64_t turn, std::string_view call);
// Returns the active children of that name: branches have copies.
std::vector<Agent> list_children_named(Store& store, std::string_view name);
// All agents that are not destroyed, by name; without children.
std::vector<Agent> list_agents(Store& store);
// All agents that ever existed, including children; by id.
std::vector<Agent> all_agents(Store& store);
// Active agents with a message after the last clear, by name; without children.
std::vector<Agent> agents_with_context(Store& store);
// The children of one parent, oldest first.
std::vector<Agent> list_children(Store& store, AgentId parent);
// Counts of an agent: its threads, its running tasks, and the prompts that can still be decided,
// also those of its sub-agents.
struct Tally {
    std::int64_t threads = 0;
    std::int64_t tasks = 0;
    std::int64_t prompts = 0;
};
Tally tally_of(Store& store, AgentId agent, base::TimeMs now);
// Inserts the agent as `creating`, with the next generation of its name and its main thread (1,
// branch main). Error(exists) if the name or the place is taken. Runs inside a transaction of the
// caller.
Agent insert_agent(Store& store, const Agent& agent);
void set_agent_status(Store& store, AgentId id, AgentStatus status);
// Sets status, destroyed_at and files_kept.
void mark_destroyed(Store& store, AgentId id, base::TimeMs now, bool files_kept);
// Deletes an agent that was never active, with the conversation that it was created with. Works in
// several transactions, so it must be called outside one. If it is interrupted, calling it again
// removes the rest.
void delete_agent(Store& store, AgentId id);
void refresh_agent_index(Store& store,
                         const Agent& agent);  // model, permissions, description, channel_id
// Moves the clear markers forward; they never go back.
void advance_clear(Store& store, AgentId id, base::TimeMs time, std::int64_t message_id);

}  // namespace chorus::store
