#include "store/messages.hpp"

#include <algorithm>
#include <limits>

#include "chat/stored.hpp"
#include "store/believed.hpp"
#include "store/sqlite.hpp"
#include "store/text_index.hpp"
#include "store/transfer.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, role, timestamp, turn_id, tool_call_id, content, tool_calls, extra "
               "FROM known_messages WHERE ")
        .append(condition);
}

constexpr int id_column = 0;
constexpr int timestamp_column = 2;
constexpr std::size_t usual_most = 8192;  // messages of a large window

chat::Message read(const Statement& statement) {
    Row row(statement);
    chat::Message message;
    message.id = row.integer();
    message.role = chat::parse_role(row.view());
    message.timestamp = row.integer();
    message.turn_id = row.integer();
    message.tool_call_id = row.text();
    message.content = row.text();
    message.tool_calls = chat::load_tool_calls(row.view());
    chat::load_extra(row.view(), message);
    return message;
}

std::vector<chat::Message> read_all(Statement& statement) {
    std::vector<chat::Message> messages;
    while (statement.step()) messages.push_back(read(statement));
    return messages;
}

std::int64_t first_id(const WindowBounds& bounds) {
    return std::max(bounds.after_message + 1, bounds.cut);
}

// Selects the summary of earlier messages if the cut alone would exclude it.
Statement cut_compaction(Store& store, const WindowBounds& bounds) {
    Statement statement = store.prepare(
        select("id = ? AND id > ? AND id < ? AND timestamp > ? AND compacted_into IS NULL"));
    statement.bind(bounds.compaction)
        .bind(bounds.after_message)
        .bind(first_id(bounds))
        .bind(bounds.after_time);
    return statement;
}

// Reads newest first and stops at the first row that is too old: timestamps of an agent rise with
// the ids, except those that are too early (store/believed.hpp).
std::vector<chat::Message> walk_back(Store& store, AgentId agent, ThreadId thread,
                                     const WindowBounds& bounds) {
    Statement statement =
        store.prepare(select("agent_id = ? AND thread_id = ? AND id > ? AND "
                             "compacted_into IS NULL ORDER BY id DESC"));
    statement.bind(agent).bind(thread).bind(first_id(bounds) - 1);
    std::vector<chat::Message> messages;
    // reserves address space only: untouched memory costs nothing, moving messages does
    messages.reserve(usual_most);
    const std::int64_t too_early = first_too_early(store, agent);
    while (statement.step() && (statement.integer(timestamp_column) > bounds.after_time ||
                                statement.integer(id_column) >= too_early))
        messages.push_back(read(statement));
    return messages;
}

}  // namespace

std::int64_t insert_row(Store& store, AgentId agent, ThreadId thread,
                        const chat::Message& message) {
    store
        .prepare(
            "INSERT INTO messages (id, agent_id, thread_id, turn_id, role, timestamp, "
            "tool_call_id, content, tool_calls, extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_or_null(message.id)
        .bind(agent)
        .bind(thread)
        .bind_or_null(message.turn_id)
        .bind(chat::name(message.role))
        .bind(message.timestamp)
        .bind_or_null(message.tool_call_id)
        .bind(message.content)
        .bind_or_null(chat::store_tool_calls(message.tool_calls))
        .bind_or_null(chat::store_extra(message))
        .run();
    const std::int64_t id = store.last_insert_id();
    index_message(store, id, message);
    return id;
}

std::int64_t insert_message(Store& store, AgentId agent, ThreadId thread,
                            const chat::Message& message) {
    chat::Message row = message;
    row.id = 0;
    row.timestamp = advance_timestamp(store, agent, message.timestamp);
    const std::int64_t id = insert_row(store, agent, thread, row);
    if (message.is_compaction) set_compaction(store, agent, thread, id);
    return id;
}

void delete_message(Store& store, std::int64_t id) {
    unindex_message(store, id);
    store.prepare("DELETE FROM messages WHERE id = ?").bind(id).run();
}

WindowBounds bounds_of(const Agent& agent, const Thread& thread, base::TimeMs after_time,
                       std::int64_t open_turn) {
    return {.after_message = agent.last_clear_message,
            .after_time = after_time,
            .open_turn = open_turn,
            .cut = is_believed(thread.last_activity, sys::now_ms()) ? thread.window_start
                                                                    : thread.window_floor,
            .compaction = thread.compaction};
}

std::vector<chat::Message> load_window(Store& store, AgentId agent, ThreadId thread,
                                       const WindowBounds& bounds) {
    std::vector<chat::Message> messages = walk_back(store, agent, thread, bounds);
    if (bounds.open_turn != 0) {
        const std::int64_t oldest =
            messages.empty() ? std::numeric_limits<std::int64_t>::max() : messages.back().id;
        Statement statement = store.prepare(
            select("turn_id = ? AND id < ? AND compacted_into IS NULL ORDER BY id DESC"));
        statement.bind(bounds.open_turn).bind(oldest);
        while (statement.step()) messages.push_back(read(statement));
    }
    if (bounds.compaction != 0) {
        Statement statement = cut_compaction(store, bounds);
        if (statement.step()) messages.push_back(read(statement));
    }
    std::reverse(messages.begin(), messages.end());
    put_compactions_first(messages);
    return messages;
}

std::int64_t count_window(Store& store, AgentId agent, ThreadId thread,
                          const WindowBounds& bounds) {
    Statement walk = store.prepare(
        "SELECT id, timestamp FROM known_messages WHERE agent_id = ? AND thread_id = ? AND id > ? "
        "AND "
        "compacted_into IS NULL ORDER BY id DESC");
    walk.bind(agent).bind(thread).bind(first_id(bounds) - 1);
    std::int64_t count = bounds.compaction != 0 && cut_compaction(store, bounds).step() ? 1 : 0;
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t too_early = first_too_early(store, agent);
    for (; walk.step() && (walk.integer(1) > bounds.after_time || walk.integer(0) >= too_early);
         ++count)
        oldest = walk.integer(0);
    if (bounds.open_turn == 0) return count;
    Statement own = store.prepare(
        "SELECT count(*) FROM known_messages WHERE turn_id = ? AND id < ? AND compacted_into IS "
        "NULL");
    return own.bind(bounds.open_turn).bind(oldest).step() ? count + own.integer(0) : count;
}

std::vector<chat::Message> load_messages_after(Store& store, AgentId agent, ThreadId thread,
                                               std::int64_t after) {
    Statement statement = store.prepare(
        "SELECT id, role, coalesce(original_timestamp, timestamp), turn_id, tool_call_id, content, "
        "tool_calls, extra FROM known_messages "
        "WHERE agent_id = ? AND thread_id = ? AND id > ? ORDER BY id");
    return read_all(statement.bind(agent).bind(thread).bind(after));
}

std::vector<chat::Message> load_turn_messages(Store& store, std::int64_t turn_id) {
    Statement statement =
        store.prepare(select("turn_id = ? AND compacted_into IS NULL ORDER BY id"));
    return read_all(statement.bind(turn_id));
}

std::unordered_map<std::int64_t, base::TimeMs> original_times(Store& store, AgentId agent,
                                                              ThreadId thread, std::int64_t after) {
    Statement statement = store.prepare(
        "SELECT id, original_timestamp FROM known_messages WHERE agent_id = ? AND thread_id = ? "
        "AND "
        "id > ? AND original_timestamp IS NOT NULL");
    statement.bind(agent).bind(thread).bind(after);
    std::unordered_map<std::int64_t, base::TimeMs> times;
    while (statement.step()) times.emplace(statement.integer(0), statement.integer(1));
    return times;
}

std::int64_t newest_message_id(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT max((SELECT id FROM known_messages WHERE agent_id = threads.agent_id AND "
        "thread_id = threads.thread_id ORDER BY id DESC LIMIT 1)) FROM threads WHERE agent_id = ?");
    return statement.bind(agent).step() ? statement.integer(0) : 0;
}

std::int64_t newest_message_id(Store& store, AgentId agent, ThreadId thread) {
    // Same as through the view known_messages, but with the view SQLite prepares all its columns.
    Statement statement = store.prepare(
        "SELECT id FROM messages WHERE agent_id = ? AND thread_id = ? AND NOT EXISTS (SELECT 1 "
        "FROM imports WHERE messages.id BETWEEN first_message AND last_message) ORDER BY id DESC "
        "LIMIT 1");
    return statement.bind(agent).bind(thread).step() ? statement.integer(0) : 0;
}

// A summary precedes the messages in the window, whatever its id, so it does not count.
std::int64_t newest_kept_message_id(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        "SELECT id FROM known_messages WHERE agent_id = ? AND thread_id = ? AND compacted_into IS "
        "NULL AND coalesce(json_extract(extra, '$.compaction'), 0) = 0 "
        "ORDER BY id DESC LIMIT 1");
    return statement.bind(agent).bind(thread).step() ? statement.integer(0) : 0;
}

// compacted_into is 0 if nothing replaced the message. Else its absolute value (negative: rewound)
// is an id greater than that of the last message that was in the window together with it.
std::vector<chat::Message> load_window_at(Store& store, AgentId agent, ThreadId thread,
                                          std::int64_t at, const WindowBounds& bounds) {
    Statement statement =
        store.prepare(select("agent_id = ?1 AND thread_id = ?2 AND id > ?3 AND id <= ?4 AND "
                             "(compacted_into IS NULL OR abs(compacted_into) > ?4) "
                             "ORDER BY id DESC"));
    statement.bind(agent).bind(thread).bind(bounds.after_message).bind(at);
    const std::int64_t too_early = first_too_early(store, agent);
    std::vector<chat::Message> messages;
    while (statement.step()) {
        chat::Message message = read(statement);
        if (message.timestamp <= bounds.after_time && message.id < too_early &&
            (message.turn_id == 0 || message.turn_id != bounds.open_turn))
            break;
        messages.push_back(std::move(message));
    }
    std::reverse(messages.begin(), messages.end());
    return messages;
}

void put_compactions_first(std::vector<chat::Message>& messages) {
    const auto is_compaction = [](const chat::Message& message) { return message.is_compaction; };
    if (!std::is_partitioned(messages.begin(), messages.end(), is_compaction))
        std::stable_partition(messages.begin(), messages.end(), is_compaction);
}

std::optional<MessageRow> find_message(Store& store, std::int64_t id) {
    Statement statement = store.prepare(
        "SELECT id, role, timestamp, turn_id, tool_call_id, content, tool_calls, extra, agent_id, "
        "thread_id, compacted_into IS NULL, "
        "CASE WHEN restored_from GLOB 'message *' THEN substr(restored_from, 9) END "
        "FROM known_messages WHERE id = ?");
    if (!statement.bind(id).step()) return std::nullopt;
    MessageRow row;
    row.message = read(statement);
    row.agent_id = statement.integer(8);
    row.thread_id = statement.integer(9);
    row.is_kept = statement.integer(10) != 0;
    row.original = statement.integer(11);
    return row;
}

std::int64_t copy_message(Store& store, std::int64_t id, AgentId agent, ThreadId thread,
                          std::int64_t turn, base::TimeMs now) {
    const base::TimeMs timestamp = advance_timestamp(store, agent, now);
    store
        .prepare(
            "INSERT INTO messages (agent_id, thread_id, turn_id, role, timestamp, tool_call_id, "
            "tokens, restored_from, original_timestamp, content, tool_calls, extra) "
            "SELECT ?, ?, ?, role, ?, tool_call_id, tokens, CASE WHEN restored_from GLOB "
            "'message *' THEN restored_from ELSE 'message ' || id END, "
            "coalesce(original_timestamp, timestamp), content, tool_calls, extra "
            "FROM known_messages WHERE id = ?")
        .bind(agent)
        .bind(thread)
        .bind_or_null(turn)
        .bind(timestamp)
        .bind(id)
        .run();
    const std::int64_t copy = store.last_insert_id();
    index_where_due(store, copy);
    return copy;
}

std::int64_t rewind_messages(Store& store, AgentId agent, ThreadId thread, std::int64_t first) {
    store
        .prepare(
            "UPDATE messages SET compacted_into = ? WHERE agent_id = ? AND thread_id = ? AND "
            "id >= ? AND compacted_into IS NULL AND "
            "coalesce(json_extract(extra, '$.compaction'), 0) = 0")
        .bind(-(newest_message_id(store, agent, thread) + 1))
        .bind(agent)
        .bind(thread)
        .bind(first)
        .run();
    return store.changed_rows();
}

void drop_messages(Store& store, std::int64_t turn_id, std::int64_t first) {
    store
        .prepare(
            "UPDATE messages SET compacted_into = 0 WHERE turn_id = ? AND id >= ? AND "
            "compacted_into IS NULL")
        .bind(turn_id)
        .bind(first)
        .run();
}

void compact_messages(Store& store, const std::vector<chat::Message>& messages, std::int64_t into) {
    for (const chat::Message& message : messages)
        store.prepare("UPDATE messages SET compacted_into = ? WHERE id = ?")
            .bind(into)
            .bind(message.id)
            .run();
}

void mark_restored(Store& store, std::int64_t message_id, const Restored& from) {
    store.prepare("UPDATE messages SET restored_from = ?, original_timestamp = ? WHERE id = ?")
        .bind(from.session)
        .bind_or_null(from.original_timestamp)
        .bind(message_id)
        .run();
}

std::vector<std::int64_t> restored_messages(Store& store, AgentId agent, ThreadId thread,
                                            std::int64_t from_id, std::string_view session) {
    Statement statement = store.prepare(
        "SELECT id FROM known_messages WHERE agent_id = ? AND thread_id = ? AND id >= ? AND "
        "restored_from = ? ORDER BY id");
    statement.bind(agent).bind(thread).bind(from_id).bind(session);
    std::vector<std::int64_t> ids;
    while (statement.step()) ids.push_back(statement.integer(0));
    return ids;
}

bool is_restored_after(Store& store, AgentId agent, ThreadId thread, std::int64_t message_id) {
    Statement statement = store.prepare(
        "SELECT 1 FROM known_messages WHERE agent_id = ? AND thread_id = ? AND id > ? AND "
        "restored_from IS NOT NULL AND ifnull(compacted_into, 1) <> 0 AND NOT (extra ->> "
        "'compaction' IS NOT NULL AND restored_from GLOB '" +
        std::string(import_mark) + "*') LIMIT 1");
    return statement.bind(agent).bind(thread).bind(message_id).step();
}

void set_prefix_hash(Store& store, std::int64_t message_id, std::string_view hash) {
    store.prepare("UPDATE messages SET prefix_hash = ? WHERE id = ?")
        .bind_or_null(hash)
        .bind(message_id)
        .run();
}

std::string prefix_hash_of(Store& store, std::int64_t message_id) {
    Statement statement = store.prepare("SELECT prefix_hash FROM known_messages WHERE id = ?");
    return statement.bind(message_id).step() ? statement.text(0) : std::string();
}

std::string newest_prefix_hash(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        "SELECT prefix_hash FROM known_messages AS message WHERE agent_id = ?1 AND thread_id = ?2 "
        "AND "
        "compacted_into IS NULL AND (prefix_hash IS NOT NULL OR id <> (SELECT compaction FROM "
        "threads WHERE agent_id = ?1 AND thread_id = ?2)) ORDER BY id DESC LIMIT 1");
    return statement.bind(agent).bind(thread).step() ? statement.text(0) : std::string();
}

}  // namespace chorus::store
