// The schema as an append-only numbered list: a step that was shipped is never edited.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

struct sqlite3;

namespace chorus::store {

// Error(config_invalid) for a database that a newer program made and for a file that is none of
// ours, named `what`, with the hint `if_not_ours`; nothing is changed then.
bool needs_migration(
    sqlite3* database, const std::string& what = "chorus.db",
    const std::string& if_not_ours = "move the file away, or set CHORUS_HOME to another directory");
base::Error too_new(std::int64_t version, const std::string& what = "chorus.db");
// Of this program.
int schema_version();
// SQL that writes a page and changes nothing.
std::string mark_as_ours();
// Error(config_invalid) that says from which schema to which.
[[noreturn]] void refuse_migration(sqlite3* database);
// To be called behind the gate; one transaction, and nothing where another process has done it.
// Nothing else writes the version.
void migrate(sqlite3* database);

}  // namespace chorus::store
