#include "store/prefixes.hpp"

#include <tuple>

#include "store/columns.hpp"

namespace chorus::store {
namespace {

constexpr Table prefixes{
    Source<Prefix>{"prefixes"},
    column("agent_id", &Prefix::agent_id),
    column("thread_id", &Prefix::thread_id),
    column("message_id", &Prefix::message_id),
    column("window_start", &Prefix::window_start),
    column("model", &Prefix::model),
    column("prompt", &Prefix::prompt),
    column("docs", &Prefix::docs),
    column("project", &Prefix::project),
    column("tools", &Prefix::tools),
};

auto content(const Prefix& prefix) {
    return std::tie(prefix.window_start, prefix.model, prefix.prompt, prefix.docs, prefix.project,
                    prefix.tools);
}

}  // namespace

std::optional<Prefix> newest_prefix(Store& store, AgentId agent, ThreadId thread) {
    return prefixes.find(store,
                         "WHERE agent_id = ? AND thread_id = ? ORDER BY message_id DESC LIMIT 1",
                         agent, thread);
}

bool note_prefix(Store& store, AgentId agent, ThreadId thread, const Prefix& prefix) {
    const auto before = newest_prefix(store, agent, thread);
    if (before && content(*before) == content(prefix)) return false;
    Prefix row = prefix;
    row.agent_id = agent;
    row.thread_id = thread;
    prefixes.insert(store, row, "INSERT OR REPLACE");
    return true;
}

std::vector<Prefix> load_prefixes(Store& store, AgentId agent, ThreadId thread) {
    return prefixes.all(store, "WHERE agent_id = ? AND thread_id = ? ORDER BY message_id", agent,
                        thread);
}

}  // namespace chorus::store
