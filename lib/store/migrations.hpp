// The schema as an append-only numbered list: a step that was shipped is never edited.
#pragma once

struct sqlite3;

namespace chorus::store {

// Error(config_invalid) for a database that a newer program made and for a file that is none of
// ours; nothing is changed then.
bool needs_migration(sqlite3* database);
// Error(config_invalid) that says from which schema to which.
[[noreturn]] void refuse_migration(sqlite3* database);
// To be called behind the gate; one transaction, and nothing where another process has done it.
void migrate(sqlite3* database);

}  // namespace chorus::store
