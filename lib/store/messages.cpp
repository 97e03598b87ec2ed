#include "store/messages.hpp"

#include <algorithm>
#include <limits>

#include "store/believed.hpp"
#include "store/known.hpp"
#include "store/message_rows.hpp"
#include "store/text_index.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr std::size_t usual_most = 8192;  // messages of a large window

// A copy has the time of its original.
constexpr Table messages_as_said{
    Source<chat::Message>{"messages", "messages AS message", is_known_message},
    read_only("id", &chat::Message::id),
    read_only("coalesce(original_timestamp, timestamp)", &chat::Message::timestamp),
    read_only(rest_of_message, std::identity(), RestOfMessage{}),
};

std::int64_t first_id(const WindowBounds& bounds) {
    return std::max(bounds.after_message + 1, bounds.cut);
}

// Selects the summary of earlier messages if the cut alone would exclude it.
Statement cut_compaction(Store& store, const WindowBounds& bounds) {
    Statement statement = store.prepare(messages.select(
        "WHERE id = ? AND id > ? AND id < ? AND timestamp > ? AND compacted_into IS NULL"));
    statement.bind(bounds.compaction, bounds.after_message, first_id(bounds), bounds.after_time);
    return statement;
}

// Reads newest first and stops at the first row that is too old: timestamps of an agent rise with
// the ids, except those that are too early (store/believed.hpp).
std::vector<chat::Message> walk_back(Store& store, AgentId agent, ThreadId thread,
                                     const WindowBounds& bounds) {
    Statement statement =
        store.prepare(messages.select("WHERE agent_id = ? AND thread_id = ? AND id > ? AND "
                                      "compacted_into IS NULL ORDER BY id DESC"));
    statement.bind(agent, thread, first_id(bounds) - 1);
    std::vector<chat::Message> walked;
    // reserves address space only: untouched memory costs nothing, moving messages does
    walked.reserve(usual_most);
    const std::int64_t too_early = first_too_early(store, agent);
    while (statement.step() && (statement.integer(timestamp_column) > bounds.after_time ||
                                statement.integer(id_column) >= too_early))
        walked.push_back(messages.read(statement));
    return walked;
}

// Inserts the message with its own id (0: the next one) and timestamp; nothing else changes.
// Returns the row's id.
std::int64_t insert_row(Store& store, AgentId agent, const StoredMessage& row) {
    const chat::Message& message = row.message;
    run(store,
        "INSERT INTO messages (id, agent_id, thread_id, turn_id, role, timestamp, tool_call_id, "
        "content, tool_calls, extra, restored_from, original_timestamp, compacted_into) VALUES "
        "(ifnull(?, (" +
            std::string(newest_given_id) + ") + 1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        or_null(message.id), agent, row.thread, or_null(message.turn_id), chat::name(message.role),
        message.timestamp, or_null(message.tool_call_id), message.content,
        or_null(chat::store_tool_calls(message.tool_calls)), or_null(chat::store_extra(message)),
        or_null(row.restored_from), or_null(row.original_timestamp),
        row.left_out ? std::optional(0) : std::nullopt);
    const std::int64_t id = store.last_insert_id();
    index_message(store, id, message);
    return id;
}

}  // namespace

std::int64_t insert_message(Store& store, AgentId agent, ThreadId thread,
                            const chat::Message& message) {
    StoredMessage row;
    row.message = message;
    row.message.id = 0;
    row.message.timestamp = advance_timestamp(store, agent, message.timestamp);
    row.thread = thread;
    const std::int64_t id = insert_row(store, agent, row);
    if (message.is_compaction) set_compaction(store, agent, thread, id);
    return id;
}

void delete_message(Store& store, std::int64_t id) {
    unindex_message(store, id);
    run(store, "DELETE FROM messages WHERE id = ?", id);
    keep_message_id(store, id);
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
    std::vector<chat::Message> window = walk_back(store, agent, thread, bounds);
    if (bounds.open_turn != 0) {
        const std::int64_t oldest =
            window.empty() ? std::numeric_limits<std::int64_t>::max() : window.back().id;
        Statement statement = store.prepare(messages.select(
            "WHERE turn_id = ? AND id < ? AND compacted_into IS NULL ORDER BY id DESC"));
        statement.bind(bounds.open_turn, oldest);
        while (statement.step()) window.push_back(messages.read(statement));
    }
    if (bounds.compaction != 0) {
        Statement statement = cut_compaction(store, bounds);
        if (statement.step()) window.push_back(messages.read(statement));
    }
    std::reverse(window.begin(), window.end());
    put_compactions_first(window);
    return window;
}

std::int64_t count_window(Store& store, AgentId agent, ThreadId thread,
                          const WindowBounds& bounds) {
    Statement walk = store.prepare(
        "SELECT id, timestamp" + known_messages() +
        "agent_id = ? AND thread_id = ? AND id > ? AND compacted_into IS NULL ORDER BY id DESC");
    walk.bind(agent, thread, first_id(bounds) - 1);
    std::int64_t count = bounds.compaction != 0 && cut_compaction(store, bounds).step() ? 1 : 0;
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t too_early = first_too_early(store, agent);
    for (; walk.step() && (walk.integer(1) > bounds.after_time || walk.integer(0) >= too_early);
         ++count)
        oldest = walk.integer(0);
    if (bounds.open_turn == 0) return count;
    return count + query_integer(store,
                                 "SELECT count(*)" + known_messages() +
                                     "turn_id = ? AND id < ? AND compacted_into IS NULL",
                                 bounds.open_turn, oldest);
}

std::vector<chat::Message> load_messages_after(Store& store, AgentId agent, ThreadId thread,
                                               std::int64_t after) {
    // each turn asks, mostly for nothing, and a short statement is prepared in a third of the time
    if (!has_row(store, "SELECT 1 FROM messages WHERE agent_id = ? AND thread_id = ? AND id > ?",
                 agent, thread, after))
        return {};
    return messages_as_said.all(
        store, "WHERE agent_id = ? AND thread_id = ? AND id > ? ORDER BY id", agent, thread, after);
}

std::vector<chat::Message> load_turn_messages(Store& store, std::int64_t turn_id) {
    return messages.all(store, "WHERE turn_id = ? AND compacted_into IS NULL ORDER BY id", turn_id);
}

std::unordered_map<std::int64_t, base::TimeMs> original_times(Store& store, AgentId agent,
                                                              ThreadId thread, std::int64_t after) {
    Statement statement = store.prepare(
        "SELECT id, original_timestamp" + known_messages() +
        "agent_id = ? AND thread_id = ? AND id > ? AND original_timestamp IS NOT NULL");
    statement.bind(agent, thread, after);
    std::unordered_map<std::int64_t, base::TimeMs> times;
    while (statement.step()) times.emplace(statement.integer(0), statement.integer(1));
    return times;
}

std::int64_t newest_message_id(Store& store, AgentId agent) {
    return query_integer(
        store,
        "SELECT max((SELECT id" + known_messages() +
            "agent_id = threads.agent_id AND thread_id = threads.thread_id ORDER BY id DESC LIMIT "
            "1)) FROM threads WHERE agent_id = ?",
        agent);
}

std::int64_t newest_message_id(Store& store, AgentId agent, ThreadId thread) {
    return query_integer(
        store,
        "SELECT id" + known_messages() + "agent_id = ? AND thread_id = ? ORDER BY id DESC LIMIT 1",
        agent, thread);
}

// A summary precedes the messages in the window, whatever its id, so it does not count.
std::int64_t newest_kept_message_id(Store& store, AgentId agent, ThreadId thread) {
    return query_integer(
        store,
        "SELECT id" + known_messages() +
            "agent_id = ? AND thread_id = ? AND compacted_into IS NULL AND "
            "coalesce(json_extract(extra, '$.compaction'), 0) = 0 ORDER BY id DESC LIMIT 1",
        agent, thread);
}

// compacted_into is 0 if nothing replaced the message. Else its absolute value (negative: rewound)
// is an id greater than that of the last message that was in the window together with it.
std::vector<chat::Message> load_window_at(Store& store, AgentId agent, ThreadId thread,
                                          std::int64_t at, const WindowBounds& bounds) {
    Statement statement = store.prepare(
        messages.select("WHERE agent_id = ?1 AND thread_id = ?2 AND id > ?3 AND id <= ?4 AND "
                        "(compacted_into IS NULL OR abs(compacted_into) > ?4) ORDER BY id DESC"));
    statement.bind(agent, thread, bounds.after_message, at);
    const std::int64_t too_early = first_too_early(store, agent);
    std::vector<chat::Message> window;
    while (statement.step()) {
        chat::Message message = messages.read(statement);
        if (message.timestamp <= bounds.after_time && message.id < too_early &&
            (message.turn_id == 0 || message.turn_id != bounds.open_turn))
            break;
        window.push_back(std::move(message));
    }
    std::reverse(window.begin(), window.end());
    return window;
}

void put_compactions_first(std::vector<chat::Message>& window) {
    const auto is_compaction = [](const chat::Message& message) { return message.is_compaction; };
    if (!std::is_partitioned(window.begin(), window.end(), is_compaction))
        std::stable_partition(window.begin(), window.end(), is_compaction);
}

std::optional<StoredMessage> find_message(Store& store, std::int64_t id) {
    return stored_messages.find(store, "WHERE id = ?", id);
}

std::int64_t copy_message(Store& store, std::int64_t id, AgentId agent, ThreadId thread,
                          std::int64_t turn, base::TimeMs now) {
    const base::TimeMs timestamp = advance_timestamp(store, agent, now);
    run(store,
        "INSERT INTO messages (id, agent_id, thread_id, turn_id, role, timestamp, tool_call_id, "
        "tokens, restored_from, original_timestamp, content, tool_calls, extra) SELECT (" +
            std::string(newest_given_id) +
            ") + 1, ?, ?, ?, "
            "role, ?, tool_call_id, tokens, CASE WHEN restored_from GLOB 'message *' THEN "
            "restored_from ELSE 'message ' || id END, coalesce(original_timestamp, timestamp), "
            "content, tool_calls, extra" +
            known_messages() + "id = ?",
        agent, thread, or_null(turn), timestamp, id);
    const std::int64_t copy = store.last_insert_id();
    index_where_due(store, copy);
    return copy;
}

void insert_copy(Store& store, AgentId agent, const StoredMessage& copy) {
    insert_row(store, agent, copy);
    if (copy.taken_back)
        run(store,
            "UPDATE messages SET extra = json_set(ifnull(extra, '{}'), '$.taken_back', "
            "json('true')) WHERE id = ?",
            copy.message.id);
}

std::int64_t rewind_messages(Store& store, AgentId agent, ThreadId thread, std::int64_t first) {
    return run(
        store,
        "UPDATE messages SET compacted_into = ? WHERE agent_id = ? AND thread_id = ? AND id >= ? "
        "AND compacted_into IS NULL AND coalesce(json_extract(extra, '$.compaction'), 0) = 0",
        -(newest_message_id(store, agent, thread) + 1), agent, thread, first);
}

void drop_messages(Store& store, std::int64_t turn_id, std::int64_t first) {
    run(store,
        "UPDATE messages SET compacted_into = 0 WHERE turn_id = ? AND id >= ? AND compacted_into "
        "IS NULL",
        turn_id, first);
}

void compact_messages(Store& store, const std::vector<chat::Message>& replaced, std::int64_t into) {
    for (const chat::Message& message : replaced)
        run(store, "UPDATE messages SET compacted_into = ? WHERE id = ?", into, message.id);
}

std::vector<std::int64_t> restored_messages(Store& store, AgentId agent, ThreadId thread,
                                            std::int64_t from_id, std::string_view session) {
    return query_integers(store,
                          "SELECT id" + known_messages() +
                              "agent_id = ? AND thread_id = ? AND id >= ? AND restored_from = ? "
                              "ORDER BY id",
                          agent, thread, from_id, session);
}

bool is_restored_after(Store& store, AgentId agent, ThreadId thread, std::int64_t message_id) {
    return has_row(store,
                   "SELECT 1" + known_messages() +
                       "agent_id = ? AND thread_id = ? AND id > ? AND restored_from IS NOT NULL "
                       "AND ifnull(compacted_into, 1) <> 0 AND NOT (extra ->> 'compaction' IS NOT "
                       "NULL AND restored_from GLOB '" +
                       std::string(import_mark) + "*') LIMIT 1",
                   agent, thread, message_id);
}

void set_prefix_hash(Store& store, std::int64_t message_id, std::string_view hash) {
    run(store, "UPDATE messages SET prefix_hash = ? WHERE id = ?", or_null(hash), message_id);
}

std::string prefix_hash_of(Store& store, std::int64_t message_id) {
    return query_text(store, "SELECT prefix_hash FROM messages WHERE id = ?", message_id);
}

std::string newest_prefix_hash(Store& store, AgentId agent, ThreadId thread) {
    return query_text(
        store,
        "SELECT prefix_hash" + known_messages() +
            "agent_id = ?1 AND thread_id = ?2 AND compacted_into IS NULL AND (prefix_hash IS NOT "
            "NULL OR id <> (SELECT compaction FROM "
            "threads WHERE agent_id = ?1 AND thread_id = ?2)) ORDER BY id DESC LIMIT 1",
        agent, thread);
}

}  // namespace chorus::store
