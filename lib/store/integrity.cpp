#include "store/integrity.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// SQLite checks the pages of the index, not what is in them. A list of its words reads all of it;
// the error of one that is damaged is thrown.
void read_search_index(sqlite3* database) {
    if (query_integer(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'messages_fts'") ==
        0)
        return;
    execute(database, "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, messages_fts, row)");
    (void)query_integer(database, "SELECT sum(cnt) FROM temp.words");
    execute(database, "DROP TABLE temp.words");
}

}  // namespace

std::vector<std::string> integrity_problems(sqlite3* database) {
    std::vector<std::string> problems;
    Prepared slot;
    Statement integrity(prepare(database, "PRAGMA integrity_check"), slot);
    while (integrity.step())
        if (integrity.view(0) != "ok") problems.push_back(integrity.text(0));
    Prepared other_slot;
    Statement references(prepare(database, "PRAGMA foreign_key_check"), other_slot);
    while (references.step())
        problems.push_back(references.text(0) + ": row " + references.text(1) +
                           " refers to one of " + references.text(2) + " that is not there");
    if (problems.empty()) read_search_index(database);
    return problems;
}

}  // namespace chorus::store
