#include "store/integrity.hpp"

#include <sqlite3.h>

#include <set>
#include <utility>

#include "store/database_file.hpp"
#include "store/migrations.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// SQLite checks the pages of the index, not its content. Listing the words reads all of it and
// throws the error of a damaged one.
void read_search_index(sqlite3* database) {
    if (query_integer(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'messages_fts'") ==
        0)
        return;
    execute(database, "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, messages_fts, row)");
    (void)query_integer(database, "SELECT sum(cnt) FROM temp.words");
    execute(database, "DROP TABLE temp.words");
}

using Columns = std::set<std::pair<std::string, std::string>>;  // table, column

Columns columns_of(sqlite3* database) {
    Columns columns;
    Statement row(prepare(database,
                          "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                          "WHERE m.type = 'table'"));
    while (row.step()) columns.emplace(row.text(0), row.text(1));
    return columns;
}

// Compares the database with a new one of the same version. An older database is skipped, because a
// program migrates it before reading it.
void find_missing(sqlite3* database, std::vector<std::string>& problems) {
    if (query_integer(database, "PRAGMA user_version") != schema_version()) return;
    const Database whole = open_file(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    migrate(whole.get());
    const Columns there = columns_of(database);
    std::set<std::string> told;
    for (const auto& [table, column] : columns_of(whole.get())) {
        if (there.contains({table, column}) || told.contains(table)) continue;
        const auto first = there.lower_bound({table, ""});
        const bool is_there = first != there.end() && first->first == table;
        if (!is_there) told.insert(table);
        problems.push_back(is_there ? "table " + table + " has no column " + column
                                    : "table " + table + " is missing");
    }
}

}  // namespace

std::vector<std::string> integrity_problems(sqlite3* database) {
    std::vector<std::string> problems;
    find_missing(database, problems);
    for (std::string& problem : query_texts(database, "PRAGMA integrity_check"))
        if (problem != "ok") problems.push_back(std::move(problem));
    Statement references(prepare(database, "PRAGMA foreign_key_check"));
    while (references.step())
        problems.push_back(references.text(0) + ": row " + references.text(1) +
                           " refers to a missing row of " + references.text(2));
    if (problems.empty()) read_search_index(database);
    return problems;
}

}  // namespace chorus::store
