// The file of a database as a whole: opened beside its log, and put in the place of another; for
// this room's own use.
#pragma once

#include <functional>
#include <string>

#include "store/sqlite.hpp"
#include "store/store.hpp"

namespace chorus::store {

Database open_file(const std::string& path, int flags);
// A file that nobody changes: without locks, and without looking for a log beside it.
Database open_still(const std::string& path);
// To be filled: what is written is neither logged nor synced.
Database open_new(const std::string& path);

// Makes what `fill` writes the database, checked, with all processes kept out; `what` is its
// origin, in errors. The one that was there keeps its content, its log included, under another name
// beside it: returns that, "" where there was none. Error(agent_busy) where a process has it open.
// Killed at any moment, or failed with the last step, it leaves either database, and
// settle_replacement() finishes or undoes it.
using Fill = std::function<void(const std::string& temporary)>;
std::string replace_database(const Store::Paths& paths, const std::string& what, const Fill& fill);

// Whether a process was killed in replace_database(). Only for who holds the lock `presence`, so
// that no process is at it now.
bool was_replacing(const std::string& database);
// Puts the old database back, its log included, where no new one is in its place. One process at a
// time: behind the gate, or with `presence` exclusive.
void settle_replacement(const std::string& database);

// What was filled needs no log, and is told from a database that is at work; Error(failed) where it
// is damaged.
void finish_copy(const std::string& temporary, int fd, const std::string& what);

}  // namespace chorus::store
