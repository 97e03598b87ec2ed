#include "store/text_index.hpp"

#include <string>

#include "store/settings.hpp"
#include "store/sqlite.hpp"
#include "store/threads.hpp"

namespace chorus::store {
namespace {

constexpr const char* scope = "search";
constexpr const char* indexed_up_to = "indexed";  // no message up to this id waits

// The rows that wait to be indexed.
std::string waiting() {
    return " FROM searchable WHERE id IN (SELECT id FROM messages WHERE id > ifnull((SELECT "
           "CAST(value AS INTEGER) FROM settings WHERE scope = 'search' AND key = 'indexed'), 0) "
           "AND "
           "ifnull(restored_from, '') NOT GLOB 'message *' AND NOT EXISTS (SELECT 1 FROM "
           "messages_fts_docsize AS indexed WHERE indexed.id = messages.id) AND thread_id < " +
           std::to_string(first_ephemeral_thread) + ") ORDER BY id";
}

// The index keeps words of a deleted message for some time.
bool is_to_be_forgotten(Store& store, std::int64_t id) {
    return has_row(store, "SELECT 1 FROM messages WHERE id = ? AND thread_id >= ?", id,
                   first_ephemeral_thread);
}

std::size_t size_bytes(const chat::Message& message) {
    std::size_t size = message.content.size();
    for (const chat::ToolCall& call : message.tool_calls)
        size += call.name.size() + call.arguments.size();
    return size;
}

// After INSERT with SELECT, SQLite ends a savepoint and FTS5 writes what it has gathered; VALUES
// leaves that to the commit.
void index_one(Store& store, std::int64_t id) {
    run(store,
        "INSERT INTO messages_fts (rowid, prompt, answer, arguments, output) VALUES (?1, (SELECT "
        "prompt FROM searchable WHERE id = ?1), (SELECT answer FROM searchable WHERE id = ?1), "
        "(SELECT arguments FROM searchable WHERE id = ?1), (SELECT output FROM searchable WHERE id "
        "= ?1))",
        id);
}

}  // namespace

void index_message(Store& store, std::int64_t id, const chat::Message& message) {
    if ((message.id != 0 || size_bytes(message) > most_waiting_bytes) &&
        !is_to_be_forgotten(store, id))
        index_one(store, id);
    index_where_due(store, id);
}

void index_where_due(Store& store, std::int64_t id) {
    if (id % index_batch == 0) index_waiting(store);
}

void index_waiting(Store& store) {
    run(store,
        "INSERT INTO messages_fts (rowid, prompt, answer, arguments, output) SELECT id, prompt, "
        "answer, arguments, output" +
            waiting());
    set_setting(store, scope, indexed_up_to,
                query_text(store, "SELECT ifnull(max(id), 0) FROM messages"));
}

void unindex_message(Store& store, std::int64_t id) {
    run(store,
        "INSERT INTO messages_fts (messages_fts, rowid, prompt, answer, arguments, output) SELECT "
        "'delete', id, prompt, answer, arguments, output FROM searchable WHERE id = ?1 AND EXISTS "
        "(SELECT 1 FROM messages_fts_docsize WHERE id = ?1)",
        id);
}

bool gather_waiting(Store& store) {
    execute(store.handle(),
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.waiting_fts USING fts5(prompt, answer, "
            "arguments, output, tokenize = 'unicode61 remove_diacritics 2');"
            "DELETE FROM temp.waiting_fts;"
            "INSERT INTO temp.waiting_fts (rowid, prompt, answer, arguments, output) SELECT id, "
            "prompt, answer, arguments, output" +
                waiting());
    return query_integer(store.handle(), "SELECT count(*) FROM temp.waiting_fts") > 0;
}

}  // namespace chorus::store
