#include "store/agents.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "store/messages.hpp"
#include "store/parts.hpp"
#include "store/sqlite.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr std::array<std::string_view, 4> status_names{"creating", "active", "destroying",
                                                       "destroyed"};

AgentStatus parse_status(std::string_view text) {
    const auto* found = std::find(status_names.begin(), status_names.end(), text);
    if (found == status_names.end())
        throw base::Error(base::ErrorCode::failed,
                          "database: unknown agent status '" + std::string(text) + "'");
    return static_cast<AgentStatus>(found - status_names.begin());
}

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, name, generation, kind, parent_id, preset, dir, model, permissions, "
               "description, "
               "channel_id, place, status, created_at, destroyed_at, files_kept, last_clear_time, "
               "last_clear_message, turn_count, last_activity FROM agents WHERE ")
        .append(condition);
}

Agent read(const Statement& statement) {
    Row row(statement);
    Agent agent;
    agent.id = row.integer();
    agent.name = row.text();
    agent.generation = row.integer();
    agent.kind = row.text();
    agent.parent_id = row.integer();
    agent.preset = row.text();
    agent.dir = row.text();
    agent.model = row.text();
    agent.permissions = row.text();
    agent.description = row.text();
    agent.channel_id = row.text();
    agent.place = row.text();
    agent.status = parse_status(row.view());
    agent.created_at = row.integer();
    agent.destroyed_at = row.integer();
    agent.files_kept = row.integer() != 0;
    agent.last_clear_time = row.integer();
    agent.last_clear_message = row.integer();
    agent.turn_count = row.integer();
    agent.last_activity = row.integer();
    return agent;
}

std::optional<Agent> read_first(Statement& statement) {
    if (!statement.step()) return std::nullopt;
    return read(statement);
}

std::vector<Agent> read_all(Statement& statement) {
    std::vector<Agent> agents;
    while (statement.step()) agents.push_back(read(statement));
    return agents;
}

std::int64_t next_generation(Store& store, std::string_view name) {
    Statement statement =
        store.prepare("SELECT coalesce(max(generation), 0) + 1 FROM agents WHERE name = ?");
    statement.bind(name).step();
    return statement.integer(0);
}

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
    return status_names.at(static_cast<std::size_t>(status));
}

std::optional<AgentId> find_agent_id(Store& store, std::string_view name) {
    Statement statement = store.prepare(
        "SELECT id FROM agents WHERE name = ? AND kind = 'agent' AND status <> 'destroyed'");
    if (!statement.bind(name).step()) return std::nullopt;
    return statement.integer(0);
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
    Statement statement = store.prepare(select("id = ?"));
    return read_first(statement.bind(id));
}

std::optional<Agent> find_agent_of_place(Store& store, std::string_view place) {
    Statement statement = store.prepare(select("place = ? AND status <> 'destroyed'"));
    return read_first(statement.bind(place));
}

void set_agent_place(Store& store, AgentId id, std::string_view place) {
    store.prepare("UPDATE agents SET place = ? WHERE id = ?").bind(place).bind(id).run();
}

std::optional<Agent> find_destroyed_agent(Store& store, std::string_view name) {
    Statement statement = store.prepare(select(
        "name = ? AND kind = 'agent' AND status = 'destroyed' ORDER BY generation DESC LIMIT 1"));
    return read_first(statement.bind(name));
}

std::vector<Agent> list_generations(Store& store, std::string_view name) {
    Statement statement =
        store.prepare(select("name = ? AND kind = 'agent' ORDER BY generation DESC"));
    return read_all(statement.bind(name));
}

std::optional<Agent> find_child(Store& store, std::string_view dir) {
    Statement statement =
        store.prepare(select("dir = ? AND kind = 'child' AND status <> 'destroyed'"));
    return read_first(statement.bind(dir));
}

std::optional<Agent> find_child_by_name(Store& store, std::string_view name) {
    Statement statement = store.prepare(select(
        "name = ? AND kind = 'child' AND status <> 'destroyed' ORDER BY generation DESC LIMIT 1"));
    return read_first(statement.bind(name));
}

std::vector<Agent> list_agents(Store& store) {
    Statement statement =
        store.prepare(select("kind = 'agent' AND status <> 'destroyed' ORDER BY name"));
    return read_all(statement);
}

std::vector<Agent> agents_with_context(Store& store) {
    // one index lookup per thread, however many messages it has
    Statement statement = store.prepare(
        select("kind = 'agent' AND status = 'active' AND EXISTS (SELECT 1 FROM threads WHERE "
               "threads.agent_id = agents.id AND EXISTS (SELECT 1 FROM known_messages AS message "
               "WHERE message.agent_id = threads.agent_id AND "
               "message.thread_id = threads.thread_id AND "
               "message.id > agents.last_clear_message)) ORDER BY name"));
    return read_all(statement);
}

std::vector<Agent> list_children(Store& store, AgentId parent) {
    Statement statement =
        store.prepare(select("parent_id = ? AND status <> 'destroyed' ORDER BY id"));
    return read_all(statement.bind(parent));
}

Tally tally_of(Store& store, AgentId agent, base::TimeMs now) {
    Statement statement = store.prepare(
        "SELECT (SELECT count(*) FROM threads WHERE agent_id = ?1 AND NOT is_importing), "
        "(SELECT count(*) FROM tasks WHERE agent_id = ?1 AND ended_at IS NULL), "
        "(SELECT count(*) FROM prompts WHERE agent_id = ?1 AND state = 'pending' AND "
        "coalesce(expires_at, ?2 + 1) > ?2)");
    statement.bind(agent).bind(now).step();
    return {statement.integer(0), statement.integer(1), statement.integer(2)};
}

Agent insert_agent(Store& store, const Agent& agent) {
    if (agent.kind == "agent" && find_agent(store, agent.name))
        throw base::Error(base::ErrorCode::exists, agent.name + ": an agent with this name exists");
    if (const auto present = find_agent_of_place(store, agent.place); present)
        throw base::Error(base::ErrorCode::exists,
                          agent.place + ": agent '" + present->name + "' works there");
    Agent inserted = agent;
    inserted.generation = next_generation(store, agent.name);
    inserted.status = AgentStatus::creating;
    store
        .prepare(
            "INSERT INTO agents (name, generation, kind, parent_id, preset, dir, model, "
            "permissions, "
            "description, channel_id, place, status, created_at, last_clear_time, last_activity) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(inserted.name)
        .bind(inserted.generation)
        .bind(inserted.kind)
        .bind_or_null(inserted.parent_id)
        .bind(inserted.preset)
        .bind(inserted.dir)
        .bind(inserted.model)
        .bind(inserted.permissions)
        .bind(inserted.description)
        .bind(inserted.channel_id)
        .bind_or_null(inserted.place)
        .bind(name(inserted.status))
        .bind(inserted.created_at)
        .bind(inserted.last_clear_time)
        .bind(inserted.last_activity)
        .run();
    inserted.id = store.last_insert_id();
    insert_main_thread(store, inserted);
    return inserted;
}

void set_agent_status(Store& store, AgentId id, AgentStatus status) {
    store.prepare("UPDATE agents SET status = ? WHERE id = ?").bind(name(status)).bind(id).run();
}

void mark_destroyed(Store& store, AgentId id, base::TimeMs now, bool files_kept) {
    store
        .prepare(
            "UPDATE agents SET status = 'destroyed', destroyed_at = ?, files_kept = ? WHERE id = ?")
        .bind(now)
        .bind(files_kept)
        .bind(id)
        .run();
}

void delete_agent(Store& store, AgentId id) {
    const auto agent = find_agent(store, id);
    if (!agent || agent->status != AgentStatus::creating) return;
    delete_in_parts(store, id, "agent_id = ?", "agent_id = ?");
    Transaction transaction(store);
    for (const char* sql :
         {"DELETE FROM sessions WHERE agent_id = ?", "DELETE FROM checkpoints WHERE agent_id = ?",
          "DELETE FROM settings WHERE scope = 'agent/' || ?", "DELETE FROM agents WHERE id = ?"})
        store.prepare(sql).bind(id).run();
    transaction.commit();
}

void refresh_agent_index(Store& store, const Agent& agent) {
    store
        .prepare(
            "UPDATE agents SET model = ?, permissions = ?, description = ?, channel_id = ? WHERE "
            "id = ?")
        .bind(agent.model)
        .bind(agent.permissions)
        .bind(agent.description)
        .bind(agent.channel_id)
        .bind(agent.id)
        .run();
}

void advance_clear(Store& store, AgentId id, base::TimeMs time, std::int64_t message_id) {
    store
        .prepare(
            "UPDATE agents SET last_clear_time = max(last_clear_time, ?), "
            "last_clear_message = max(last_clear_message, ?) WHERE id = ?")
        .bind(std::min(time, sys::now_ms()))
        .bind(message_id)
        .bind(id)
        .run();
}

}  // namespace chorus::store
