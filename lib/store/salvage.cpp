#include "store/salvage.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "store/database_file.hpp"
#include "store/migrations.hpp"
#include "sys/file.hpp"

namespace chorus::store {
namespace {

using base::Error;
using base::ErrorCode;

// Like query_texts(), for a database that may be damaged.
std::vector<std::string> readable_texts(sqlite3* database, const std::string& sql) {
    try {
        return query_texts(database, sql);
    } catch (const Error&) {
        return {};
    }
}

// Returns false if a row could not be read or inserted; rows that the new database rejects are left
// out.
bool copy_rows(sqlite3* from, sqlite3* to, const std::string& select, const std::string& insert) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(from, select.c_str(), -1, &raw, nullptr) != SQLITE_OK) return false;
    const Prepared row(raw);
    const Prepared copy = prepare(to, insert);
    int code = SQLITE_ROW;
    bool all_taken = true;
    while ((code = sqlite3_step(row.get())) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(row.get()); ++column)
            sqlite3_bind_value(copy.get(), column + 1, sqlite3_column_value(row.get(), column));
        sqlite3_step(copy.get());
        all_taken = (sqlite3_reset(copy.get()) & 0xff) == SQLITE_OK && all_taken;
    }
    return code == SQLITE_DONE && all_taken;
}

// Copies from both ends, because the damaged part lies in between.
bool copy_table(sqlite3* from, sqlite3* to, const std::string& table) {
    const auto known = readable_texts(from, "SELECT name FROM pragma_table_info('" + table + "')");
    std::vector<std::string> columns =
        query_texts(to, "SELECT name FROM pragma_table_info('" + table + "')");
    std::erase_if(columns, [&](const std::string& column) {
        return std::find(known.begin(), known.end(), column) == known.end();
    });
    if (columns.empty()) return false;
    std::vector<std::string> backwards =
        query_texts(to, "SELECT name || ' DESC' FROM pragma_table_info('" + table +
                            "') WHERE pk > 0 ORDER BY pk");
    if (backwards.empty()) backwards = {"rowid DESC"};
    const std::string list = base::join(columns, ", ");
    std::string places(2 * columns.size(), ',');
    for (std::size_t i = 0; i < places.size(); i += 2) places[i] = '?';
    places.pop_back();
    const std::string select = "SELECT " + list + " FROM " + table;
    const std::string insert =
        "INSERT OR IGNORE INTO " + table + " (" + list + ") VALUES (" + places + ")";
    if (copy_rows(from, to, select, insert)) return true;
    copy_rows(from, to, select + " ORDER BY " + base::join(backwards, ", "), insert);
    return false;
}

// Recreates lost rows of agents and threads that messages belong to. Sessions and the audit log
// have the agent's name; agent.json and the trust record have the rest.
void make_owners_again(sqlite3* database) {
    execute(database, R"(
INSERT OR IGNORE INTO agents (id, name, generation, kind, preset, dir, model, permissions,
  description, channel_id, status, created_at)
SELECT agent_id, name, 1 + (SELECT coalesce(max(generation), 0) FROM agents WHERE name = lost.name),
  'agent', '', 'agents/' || name, '', 'standard', '', '', 'active', 0
FROM (SELECT agent_id, coalesce(
    (SELECT agent_name FROM sessions WHERE agent_id = named.agent_id),
    (SELECT agent_name FROM audit_log WHERE agent_id = named.agent_id ORDER BY id DESC LIMIT 1),
    'lost-' || agent_id) AS name
  FROM (SELECT agent_id FROM threads UNION SELECT agent_id FROM messages) AS named
  WHERE agent_id NOT IN (SELECT id FROM agents)) AS lost;
INSERT OR IGNORE INTO threads (agent_id, thread_id, branch, parent_thread, summary,
  window_start, created_at, last_activity)
SELECT agent_id, thread_id, 'main', iif(thread_id = 1, NULL, 1), '', 0, 0, 0
FROM (SELECT agent_id, thread_id FROM messages UNION SELECT agent_id, thread_id FROM turns
  UNION SELECT id, 1 FROM agents WHERE status <> 'destroyed'))");
}

// A foreign key of a table: the parent table, the columns, and the condition that selects the
// parent row.
struct Reference {
    std::string parent;
    std::vector<std::string> columns;
    std::vector<std::string> same;
    bool may_be_null = true;
};

std::vector<Reference> references_of(sqlite3* database, const std::string& table) {
    std::vector<Reference> references;
    Statement row(prepare(
        database,
        "SELECT id, \"table\", \"from\", \"to\", \"notnull\" FROM pragma_foreign_key_list('" +
            table + "') JOIN pragma_table_info('" + table +
            "') ON name = \"from\" ORDER BY id, seq"));
    std::int64_t last = -1;
    while (row.step()) {
        if (row.integer(0) != last) references.push_back({row.text(1), {}, {}, true});
        last = row.integer(0);
        Reference& reference = references.back();
        reference.columns.push_back(row.text(2));
        reference.same.push_back("parent." + row.text(3) + " = " + table + "." + row.text(2));
        reference.may_be_null = reference.may_be_null && row.integer(4) == 0;
    }
    return references;
}

// Handles rows that refer to lost rows: sets the reference to NULL where the schema allows it, else
// deletes the row. Returns whether there were any.
bool settle_orphans(sqlite3* database, const std::vector<std::string>& tables) {
    const int before = sqlite3_total_changes(database);
    for (const std::string& table : tables)
        for (const Reference& reference : references_of(database, table))
            execute(database, (reference.may_be_null
                                   ? "UPDATE " + table + " SET " +
                                         base::join(reference.columns, " = NULL, ") + " = NULL"
                                   : "DELETE FROM " + table) +
                                  " WHERE " + base::join(reference.columns, " IS NOT NULL AND ") +
                                  " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " + reference.parent +
                                  " AS parent WHERE " + base::join(reference.same, " AND ") + ")");
    return sqlite3_total_changes(database) != before;
}

// Ids are never reused, not even those of lost rows.
void keep_sequences(sqlite3* from, sqlite3* to) {
    const auto newest =
        readable_texts(from, "SELECT max(id) FROM messages INDEXED BY messages_thread");
    keep_message_id(
        to, newest.empty() ? 0 : base::parse_number<std::int64_t>(newest.front()).value_or(0));
    copy_rows(from, to, "SELECT seq, name FROM sqlite_sequence",
              "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?");
}

void index_messages(sqlite3* database) {
    execute(database,
            "INSERT INTO messages_fts(messages_fts) VALUES ('delete-all');"
            "INSERT INTO messages_fts(rowid, prompt, answer, arguments, output) SELECT id, prompt, "
            "answer, arguments, output FROM searchable");
}

// Returns nothing if there is nothing to read. An empty file is not opened normally, because SQLite
// would remove its log.
Database open_source(const std::string& path) {
    try {
        if (!sys::is_regular_file(path)) return {};
        Database still = open_still(path);
        const auto format = file_format(still.get());
        if (format == std::array<char, 2>{}) return {};
        if (format == without_log || !has_log(path)) return still;
        return open_file(path, SQLITE_OPEN_READONLY);
    } catch (const Error&) {
        return {};
    }
}

// Checks whatever can be read for a database of this program or of an older version.
bool is_ours(sqlite3* source) {
    try {
        (void)needs_migration(source);
        return true;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::config_invalid) throw;
        return false;
    }
}

void rescue(sqlite3* from, sqlite3* to, std::vector<std::string>& lost) {
    const auto tables = query_texts(to,
                                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name "
                                    "NOT LIKE 'sqlite_%' AND name NOT LIKE 'messages_fts%'");
    execute(to, "BEGIN");
    for (const std::string& table : tables)
        if (!copy_table(from, to, table)) lost.push_back(table + ": some rows cannot be read");
    keep_sequences(from, to);
    make_owners_again(to);
    bool any = false;
    while (settle_orphans(to, tables)) any = true;
    if (any) lost.emplace_back("rows that refer to lost rows");
    execute(to,
            "UPDATE prompts SET state = 'cancelled' WHERE turn_id IS NULL AND kind <> 'trust' AND "
            "state = 'pending'");
    index_messages(to);
    execute(to, "COMMIT");
}

}  // namespace

Salvage salvage(const Store::Paths& paths) {
    std::vector<std::string> lost;
    const auto fill = [&](const std::string& temporary) {
        const Database from = open_source(paths.database);
        const Database to = open_new(temporary);
        migrate(to.get());
        if (from && is_ours(from.get()))
            rescue(from.get(), to.get(), lost);
        else
            lost.emplace_back("everything: no row can be read");
    };
    Replaced done = replace_database(paths, "chorus.db", fill, [] { return false; });
    return {std::move(done), std::move(lost)};
}

}  // namespace chorus::store
