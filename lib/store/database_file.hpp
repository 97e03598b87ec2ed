// Opens a database file as a whole and replaces one by another; for this room's own use.
#pragma once

#include <functional>
#include <string>

#include "store/backup.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"

namespace chorus::store {

Database open_file(const std::string& path, int flags);
// Opens a file that nobody changes: without locks, and without looking for a log beside it.
Database open_still(const std::string& path);
// Opens a new file to fill it: writes are neither logged nor synced.
Database open_new(const std::string& path);

// Replaces the database with what `fill` writes, after a check, while no other process uses it;
// `what` names the source in errors. The previous database keeps its content, with its log, under
// another name in the same directory. Error(agent_busy) if a process has it open, Error(canceled)
// when `stop` returns true. If it is killed at any moment, or the last step fails, one of the two
// databases is left, and settle_replacement() finishes or undoes the replacement.
using Fill = std::function<void(const std::string& temporary)>;
Replaced replace_database(const Store::Paths& paths, const std::string& what, const Fill& fill,
                          const Stop& stop);

// Returns whether a process was killed in replace_database(). Only for a holder of the `presence`
// lock, so that no replacement is in progress.
bool was_replacing(const std::string& database);
// Puts the old database back, with its log, unless a new one is in its place. One process at a
// time: behind the gate, or with `presence` exclusive.
void settle_replacement(const std::string& database);

// Marks a filled copy as needing no log, which also tells it apart from a database in use.
// Error(failed) if the copy is damaged, Error(canceled) when `stop` returns true.
void finish_copy(const std::string& temporary, int fd, const std::string& what, const Stop& stop);

}  // namespace chorus::store
