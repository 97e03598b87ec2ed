#include "store/transfer.hpp"

#include <algorithm>

#include "chat/stored.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

std::string select(std::string_view condition) {
    return std::string(
               "SELECT message.id, message.role, message.timestamp, message.turn_id, "
               "message.tool_call_id, message.content, message.tool_calls, message.extra, "
               "message.thread_id, run.outcome, message.restored_from, message.original_timestamp, "
               "message.compacted_into IS NOT NULL, message.compacted_into IS 0 AND "
               "(message.restored_from IS NULL OR ifnull(message.extra ->> 'taken_back', 0)) "
               "FROM known_messages AS message "
               "LEFT JOIN tool_runs AS run ON run.turn_id = message.turn_id "
               "AND run.tool_call_id = message.tool_call_id WHERE ")
        .append(condition);
}

constexpr int id_column = 0;
constexpr int timestamp_column = 2;

StoredMessage read(const Statement& statement) {
    Row row(statement);
    StoredMessage stored;
    chat::Message& message = stored.message;
    message.id = row.integer();
    message.role = chat::parse_role(row.view());
    message.timestamp = row.integer();
    message.turn_id = row.integer();
    message.tool_call_id = row.text();
    message.content = row.text();
    message.tool_calls = chat::load_tool_calls(row.view());
    chat::load_extra(row.view(), message);
    stored.thread = row.integer();
    stored.outcome = row.text();
    stored.restored_from = row.text();
    stored.original_timestamp = row.integer();
    stored.left_out = row.integer() != 0;
    stored.taken_back = row.integer() != 0;
    return stored;
}

void for_each_in_thread(Store& store, AgentId agent, ThreadId thread, const Extent& extent,
                        const std::function<void(StoredMessage&&)>& use) {
    Statement statement = store.prepare(
        select("message.agent_id = ? AND message.thread_id = ? ORDER BY message.id DESC"));
    statement.bind(agent).bind(thread);
    const std::int64_t too_early = first_too_early(store, agent);
    while (statement.step()) {
        const base::TimeMs timestamp = statement.integer(timestamp_column);
        if (timestamp < extent.since && statement.integer(id_column) < too_early) return;
        if (timestamp < extent.until) use(read(statement));
    }
}

}  // namespace

void for_each_stored(Store& store, AgentId agent, const Extent& extent,
                     const std::function<void(StoredMessage&&)>& use) {
    for (const Thread& thread : list_threads(store, agent))
        if (extent.thread == 0 || thread.id == extent.thread)
            for_each_in_thread(store, agent, thread.id, extent, use);
}

std::vector<StoredMessage> load_messages(Store& store, AgentId agent, const Extent& extent) {
    std::vector<StoredMessage> messages;
    for_each_stored(store, agent, extent,
                    [&](StoredMessage&& stored) { messages.push_back(std::move(stored)); });
    std::sort(messages.begin(), messages.end(),
              [](const auto& a, const auto& b) { return a.message.id < b.message.id; });
    return messages;
}

void insert_copy(Store& store, AgentId agent, const StoredMessage& copy) {
    insert_row(store, agent, copy.thread, copy.message);
    Statement statement = store.prepare(
        "UPDATE messages SET restored_from = ?, original_timestamp = ?, compacted_into = ? "
        "WHERE id = ?");
    statement.bind_or_null(copy.restored_from).bind_or_null(copy.original_timestamp);
    if (copy.left_out)
        statement.bind(0);
    else
        statement.bind_null();
    statement.bind(copy.message.id).run();
    if (copy.taken_back)
        store
            .prepare(
                "UPDATE messages SET extra = json_set(ifnull(extra, '{}'), '$.taken_back', "
                "json('true')) WHERE id = ?")
            .bind(copy.message.id)
            .run();
}

}  // namespace chorus::store
