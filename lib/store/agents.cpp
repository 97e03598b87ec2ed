#include "store/agents.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "store/agent_tree.hpp"
#include "store/columns.hpp"
#include "store/known.hpp"
#include "store/messages.hpp"
#include "store/parts.hpp"
#include "store/prompts.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<AgentStatus, 4> agent_statuses{
    {"creating", "active", "destroying", "destroyed"}};

constexpr Table agents{
    Source<Agent>{"agents"},
    read_only("id", &Agent::id),
    column("name", &Agent::name),
    column("generation", &Agent::generation),
    column("kind", &Agent::kind),
    column("parent_id", &Agent::parent_id, NullIs{0}),
    column("parent_turn", &Agent::parent_turn, NullIs{0}),
    column("parent_call", &Agent::parent_call, NullIs{""}),
    column("rights", &Agent::rights, NullIs{""}),
    column("preset", &Agent::preset),
    column("dir", &Agent::dir),
    column("model", &Agent::model),
    column("permissions", &Agent::permissions),
    column("description", &Agent::description),
    column("channel_id", &Agent::channel_id),
    column("place", &Agent::place, NullIs{""}),
    column("status", &Agent::status, ByName{agent_statuses, "agent status"}),
    column("created_at", &Agent::created_at),
    read_only("destroyed_at", &Agent::destroyed_at),
    read_only("files_kept", &Agent::files_kept),
    column("last_clear_time", &Agent::last_clear_time),
    read_only("last_clear_message", &Agent::last_clear_message),
    read_only("turn_count", &Agent::turn_count),
    column("last_activity", &Agent::last_activity),
};

void insert_main_thread(Store& store, const Agent& agent) {
    Thread main;
    main.agent_id = agent.id;
    main.branch = "main";
    main.created_at = agent.created_at;
    main.last_activity = agent.last_activity;
    insert_thread(store, main);
}

}  // namespace

std::string_view name(AgentStatus status) {
    return agent_statuses.name(status);
}

std::optional<AgentId> find_agent_id(Store& store, std::string_view name) {
    const AgentId id = query_integer(
        store, "SELECT id FROM agents WHERE name = ? AND kind = 'agent' AND status <> 'destroyed'",
        name);
    return id != 0 ? std::optional(id) : std::nullopt;
}

std::optional<Agent> find_agent(Store& store, std::string_view name) {
    // The open cursor keeps both statements on one snapshot. The SELECT with all columns is shared
    // by both functions, so it is prepared once.
    Statement statement = store.prepare(
        "SELECT id FROM agents WHERE name = ? AND kind = 'agent' AND status <> 'destroyed'");
    if (!statement.bind(name).step()) return std::nullopt;
    return find_agent(store, statement.integer(0));
}

std::optional<Agent> find_agent(Store& store, AgentId id) {
    return agents.find(store, "WHERE id = ?", id);
}

std::optional<Agent> find_agent_of_place(Store& store, std::string_view place) {
    return agents.find(store, "WHERE place = ? AND kind = 'agent' AND status <> 'destroyed'",
                       place);
}

void set_agent_place(Store& store, AgentId id, std::string_view place) {
    run(store, "UPDATE agents SET place = ? WHERE id = ?", place, id);
}

std::optional<Agent> find_destroyed_agent(Store& store, std::string_view name) {
    return agents.find(store,
                       "WHERE name = ? AND kind = 'agent' AND status = 'destroyed' ORDER BY "
                       "generation DESC LIMIT 1",
                       name);
}

std::optional<Agent> find_destroyed_child(Store& store, std::string_view name) {
    return agents.find(store,
                       "WHERE (name = ?1 OR dir = ?1) AND kind = 'child' AND status = 'destroyed' "
                       "ORDER BY id DESC LIMIT 1",
                       name);
}

std::vector<Agent> list_generations(Store& store, std::string_view name) {
    return agents.all(store, "WHERE name = ? AND kind = 'agent' ORDER BY generation DESC", name);
}

std::optional<Agent> find_child(Store& store, std::string_view dir) {
    return agents.find(store, "WHERE dir = ? AND kind = 'child' AND status <> 'destroyed'", dir);
}

std::optional<Agent> find_child_of_call(Store& store, std::int64_t turn, std::string_view call) {
    return agents.find(store, "WHERE parent_turn = ? AND parent_call = ? ORDER BY id LIMIT 1", turn,
                       call);
}

std::vector<Agent> list_children_named(Store& store, std::string_view name) {
    return agents.all(store, "WHERE name = ? AND kind = 'child' AND status = 'active' ORDER BY id",
                      name);
}

std::vector<Agent> list_agents(Store& store) {
    return agents.all(store, "WHERE kind = 'agent' AND status <> 'destroyed' ORDER BY name");
}

std::vector<Agent> all_agents(Store& store) {
    return agents.all(store, "ORDER BY id");
}

std::vector<Agent> agents_with_context(Store& store) {
    // one index lookup per thread, however many messages it has
    return agents.all(
        store,
        "WHERE kind = 'agent' AND status = 'active' AND EXISTS (SELECT 1 FROM threads WHERE "
        "threads.agent_id = agents.id AND EXISTS (SELECT 1" +
            known_messages() +
            "message.agent_id = threads.agent_id AND message.thread_id = threads.thread_id AND "
            "message.id > agents.last_clear_message)) ORDER BY name");
}

std::vector<Agent> list_children(Store& store, AgentId parent) {
    return agents.all(store, "WHERE parent_id = ? AND status <> 'destroyed' ORDER BY id", parent);
}

Tally tally_of(Store& store, AgentId agent, base::TimeMs now) {
    Statement statement = store.prepare(
        "SELECT (SELECT count(*) FROM threads WHERE agent_id = ?1 AND NOT is_importing AND "
        "thread_id < ?3), (SELECT count(*) FROM tasks WHERE agent_id = ?1 AND ended_at IS NULL), "
        "(SELECT count(*) FROM prompts WHERE agent_id IN " +
        agent_tree("SELECT ?1") + " AND state = 'pending' AND coalesce(expires_at, ?2 + 1) > ?2)");
    statement.bind(agent, now, first_ephemeral_thread).step();
    return {statement.integer(0), statement.integer(1), statement.integer(2)};
}

Agent insert_agent(Store& store, const Agent& agent) {
    if (agent.kind == "agent" &&
        (find_agent(store, agent.name) || !list_children_named(store, agent.name).empty()))
        throw base::Error(base::ErrorCode::exists, agent.name + ": an agent with this name exists");
    if (const auto present = find_agent_of_place(store, agent.place);
        present && agent.kind == "agent")
        throw base::Error(base::ErrorCode::exists,
                          agent.place + ": agent '" + present->name + "' works there");
    Agent inserted = agent;
    inserted.generation = query_integer(
        store, "SELECT coalesce(max(generation), 0) + 1 FROM agents WHERE name = ?", agent.name);
    inserted.status = AgentStatus::creating;
    agents.insert(store, inserted);
    inserted.id = store.last_insert_id();
    insert_main_thread(store, inserted);
    return inserted;
}

void set_agent_status(Store& store, AgentId id, AgentStatus status) {
    run(store, "UPDATE agents SET status = ? WHERE id = ?", name(status), id);
}

void mark_destroyed(Store& store, AgentId id, base::TimeMs now, bool files_kept) {
    run(store, "DELETE FROM attachments WHERE agent_id = ?", id);
    run(store,
        "UPDATE agents SET status = 'destroyed', destroyed_at = ?, files_kept = ? WHERE id = ?",
        now, files_kept, id);
    run(store,
        "UPDATE prompts SET files = '' WHERE agent_id = ? AND consumed_at IS NULL AND state IN "
        "('pending', 'approved')",
        id);
    drop_used_fingerprints(store);
}

void delete_agent(Store& store, AgentId id) {
    const auto agent = find_agent(store, id);
    if (!agent || agent->status != AgentStatus::creating) return;
    delete_in_parts(store, id, "agent_id = ?", "agent_id = ?");
    Transaction transaction(store);
    for (const char* sql :
         {"DELETE FROM sessions WHERE agent_id = ?", "DELETE FROM checkpoints WHERE agent_id = ?",
          "DELETE FROM settings WHERE scope = 'agent/' || ?",
          "DELETE FROM attachments WHERE agent_id = ?", "DELETE FROM artifacts WHERE agent_id = ?",
          "DELETE FROM agents WHERE id = ?"})
        run(store, sql, id);
    transaction.commit();
}

void refresh_agent_index(Store& store, const Agent& agent) {
    run(store,
        "UPDATE agents SET model = ?, permissions = ?, description = ?, channel_id = ? WHERE id = "
        "?",
        agent.model, agent.permissions, agent.description, agent.channel_id, agent.id);
}

void advance_clear(Store& store, AgentId id, base::TimeMs time, std::int64_t message_id) {
    run(store,
        "UPDATE agents SET last_clear_time = max(last_clear_time, ?), last_clear_message = "
        "max(last_clear_message, ?) WHERE id = ?",
        std::min(time, sys::now_ms()), message_id, id);
}

}  // namespace chorus::store
