#include "store/forget.hpp"

#include <algorithm>
#include <string>

#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/number.hpp"
#include "store/history.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/settings.hpp"
#include "store/sqlite.hpp"
#include "store/turns.hpp"

namespace chorus::store {
namespace {

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

ThreadId new_ephemeral_thread() {
    constexpr std::size_t digits = 7;  // hexadecimal, of a hash
    return first_ephemeral_thread +
           std::stoll(base::sha256_hex(base::random_uuid()).substr(0, digits), nullptr, 16);
}

std::vector<ThreadId> ephemeral_threads(Store& store, AgentId agent) {
    return query_integers(store,
                          "SELECT thread_id FROM threads WHERE agent_id = ? AND thread_id >= ?",
                          agent, first_ephemeral_thread);
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
        for (const char* table : {"prompts", "steps", "tool_runs", "outbox"})
            run(store, "DELETE FROM " + std::string(table) + " WHERE turn_id = ?", turn);
        for (const char* table : {"tasks", "artifacts"})
            run(store, "UPDATE " + std::string(table) + " SET turn_id = NULL WHERE turn_id = ?",
                turn);
        run(store, "DELETE FROM turns WHERE id = ?", turn);
        if (turn > base::parse_number<TurnId>(find_setting(store, "home", newest_forgotten_turn))
                       .value_or(0))
            set_setting(store, "home", newest_forgotten_turn, std::to_string(turn));
    }
    drop_used_fingerprints(store);
    run(store, "DELETE FROM threads WHERE agent_id = ? AND thread_id = ?", agent, thread);
    transaction.commit();
    execute(store.handle(), "PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace chorus::store
