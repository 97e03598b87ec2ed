#include "store/prefixes.hpp"

#include <tuple>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::string select(std::string_view order) {
    return std::string(
               "SELECT message_id, window_start, model, prompt, docs, project, tools FROM prefixes "
               "WHERE agent_id = ? AND thread_id = ? ORDER BY message_id")
        .append(order);
}

Prefix read(const Statement& statement) {
    Row row(statement);
    Prefix prefix;
    prefix.message_id = row.integer();
    prefix.window_start = row.integer();
    prefix.model = row.text();
    prefix.prompt = row.text();
    prefix.docs = row.text();
    prefix.project = row.text();
    prefix.tools = row.text();
    return prefix;
}

auto content(const Prefix& prefix) {
    return std::tie(prefix.window_start, prefix.model, prefix.prompt, prefix.docs, prefix.project,
                    prefix.tools);
}

}  // namespace

std::optional<Prefix> newest_prefix(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(select(" DESC LIMIT 1"));
    if (!statement.bind(agent).bind(thread).step()) return std::nullopt;
    return read(statement);
}

bool note_prefix(Store& store, AgentId agent, ThreadId thread, const Prefix& prefix) {
    const auto before = newest_prefix(store, agent, thread);
    if (before && content(*before) == content(prefix)) return false;
    store
        .prepare(
            "INSERT OR REPLACE INTO prefixes (agent_id, thread_id, message_id, window_start, "
            "model, prompt, docs, project, tools) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(agent)
        .bind(thread)
        .bind(prefix.message_id)
        .bind(prefix.window_start)
        .bind(prefix.model)
        .bind(prefix.prompt)
        .bind(prefix.docs)
        .bind(prefix.project)
        .bind(prefix.tools)
        .run();
    return true;
}

std::vector<Prefix> load_prefixes(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(select(""));
    statement.bind(agent).bind(thread);
    std::vector<Prefix> prefixes;
    while (statement.step()) prefixes.push_back(read(statement));
    return prefixes;
}

}  // namespace chorus::store
