#include "store/integrity.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

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
    return problems;
}

}  // namespace chorus::store
