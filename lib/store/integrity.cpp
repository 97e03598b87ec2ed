#include "store/integrity.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

std::vector<std::string> integrity_problems(Store& store) {
    std::vector<std::string> problems;
    Statement integrity = store.prepare("PRAGMA integrity_check");
    while (integrity.step())
        if (integrity.view(0) != "ok") problems.push_back(integrity.text(0));
    Statement references = store.prepare("PRAGMA foreign_key_check");
    while (references.step())
        problems.push_back(references.text(0) + ": row " + references.text(1) +
                           " refers to one of " + references.text(2) + " that is not there");
    return problems;
}

}  // namespace chorus::store
