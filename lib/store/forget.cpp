#include "store/forget.hpp"

#include <algorithm>
#include <string>

#include "store/history.hpp"
#include "store/messages.hpp"
#include "store/settings.hpp"
#include "store/sqlite.hpp"
#include "store/turns.hpp"

namespace chorus::store {
namespace {

constexpr std::string_view mark = "ephemeral thread ";

std::string scope_of(AgentId agent) {
    return "agent/" + std::to_string(agent);
}

std::string key_of(ThreadId thread) {
    return std::string(mark) + std::to_string(thread);
}

void delete_messages(Store& store, AgentId agent, ThreadId thread) {
    const auto messages = query_integers(
        store, "SELECT id FROM messages WHERE agent_id = ? AND thread_id = ?", agent, thread);
    std::vector<std::string> attached;
    for (const std::int64_t id : messages) {
        const auto stored = find_message(store, id);
        if (stored && stored->original == 0)
            for (const chat::Attachment& each : stored->message.attachments)
                attached.push_back(each.sha256);
        delete_message(store, id);
    }
    for (const std::string& sha256 : attached)
        run(store,
            "DELETE FROM attachments WHERE agent_id = ?1 AND sha256 = ?2 AND NOT EXISTS (SELECT 1 "
            "FROM messages WHERE agent_id = ?1 AND instr(extra, ?2) > 0)",
            agent, sha256);
}

}  // namespace

void mark_ephemeral(Store& store, AgentId agent, ThreadId thread) {
    set_setting(store, scope_of(agent), key_of(thread), "1");
}

bool is_ephemeral(Store& store, AgentId agent, ThreadId thread) {
    return !find_setting(store, scope_of(agent), key_of(thread)).empty();
}

std::vector<ThreadId> ephemeral_threads(Store& store, AgentId agent) {
    return query_integers(
        store,
        "SELECT CAST(substr(key, ?2) AS INTEGER) FROM settings WHERE scope = ?1 AND key GLOB ?3",
        scope_of(agent), static_cast<std::int64_t>(mark.size() + 1), std::string(mark) + "*");
}

void forget_thread(Store& store, AgentId agent, ThreadId thread) {
    execute(store.handle(), "PRAGMA secure_delete = ON");
    Transaction transaction(store);
    delete_messages(store, agent, thread);
    run(store, "DELETE FROM prefixes WHERE agent_id = ? AND thread_id = ?", agent, thread);
    run(store, "DELETE FROM inbox WHERE agent_id = ? AND thread_id = ?", agent, thread);
    run(store, "DELETE FROM events WHERE agent_id = ? AND thread_id = ?", agent, thread);
    for (const TurnId turn : query_integers(
             store, "SELECT id FROM turns WHERE agent_id = ? AND thread_id = ?", agent, thread)) {
        run(store, "UPDATE prompts SET files = '' WHERE turn_id = ?", turn);  // and fingerprints
        for (const char* table : {"prompts", "steps", "tool_runs", "outbox"})
            run(store, "DELETE FROM " + std::string(table) + " WHERE turn_id = ?", turn);
        run(store, "DELETE FROM turns WHERE id = ?", turn);
        set_setting(store, "home", "newest_forgotten_turn", std::to_string(turn));
    }
    run(store, "DELETE FROM threads WHERE agent_id = ? AND thread_id = ?", agent, thread);
    run(store, "DELETE FROM settings WHERE scope = ? AND key = ?", scope_of(agent), key_of(thread));
    transaction.commit();
}

}  // namespace chorus::store
