// The schema as an append-only, numbered list: a released step is never edited.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

struct sqlite3;

namespace chorus::store {

// Error(config_invalid) for a database made by a newer program (the message names the file `what`)
// and for a file that is not a Chorus database (with the hint `if_not_ours`); nothing is changed
// then.
bool needs_migration(
    sqlite3* database, const std::string& what = "chorus.db",
    const std::string& if_not_ours = "move the file away, or set CHORUS_HOME to another directory");
base::Error too_new(std::int64_t version, const std::string& what = "chorus.db");
// The schema version of this program.
int schema_version();
// SQL that writes a page without changing it.
std::string mark_as_ours();
// Throws Error(config_invalid) with the old and the new schema version.
[[noreturn]] void refuse_migration(sqlite3* database);
// Must be called behind the gate. Runs in one transaction, and does nothing if another process has
// migrated already. Nothing else writes the version.
void migrate(sqlite3* database);

}  // namespace chorus::store
