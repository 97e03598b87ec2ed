#include "store/migrations.hpp"

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"
#include "sys/clock.hpp"

namespace chorus::embedded {
// The texts of schema/*.sql in order, each of which makes the next schema.
extern const std::span<const std::string_view* const> store_schema;
}  // namespace chorus::embedded

namespace chorus::store {
namespace {

constexpr std::int64_t our_application_id = 0x43686f72;  // "Chor"

base::Error not_ours(const std::string& what, const std::string& hint) {
    return {base::ErrorCode::config_invalid, what + ": not a database of chorus", hint};
}

bool is_empty(sqlite3* database) {
    return query_integer(database, "SELECT count(*) FROM sqlite_schema") == 0;
}

}  // namespace

int schema_version() {
    return static_cast<int>(embedded::store_schema.size());
}

base::Error too_new(std::int64_t version, const std::string& what) {
    return {base::ErrorCode::config_invalid,
            what + ": made by a newer chorus (schema " + std::to_string(version) +
                ", this one knows " + std::to_string(schema_version()) + ")",
            "use the newer chorus; the file was not touched"};
}

std::string mark_as_ours() {
    return "PRAGMA application_id = " + std::to_string(our_application_id);
}

bool needs_migration(sqlite3* database, const std::string& what, const std::string& if_not_ours) {
    if (query_integer(database, "PRAGMA user_version") == schema_version() &&
        query_integer(database, "PRAGMA application_id") == our_application_id)
        return false;
    // One snapshot: another process may be making the schema between two reads.
    execute(database, "BEGIN");
    const std::int64_t version = query_integer(database, "PRAGMA user_version");
    const std::int64_t application = query_integer(database, "PRAGMA application_id");
    if (application != our_application_id &&
        (application != 0 || version != 0 || !is_empty(database)))
        throw not_ours(what, if_not_ours);
    if (version > schema_version()) throw too_new(version, what);
    execute(database, "COMMIT");
    return version < schema_version();
}

void refuse_migration(sqlite3* database) {
    throw base::Error(base::ErrorCode::config_invalid,
                      "chorus.db: made by an older chorus (schema " +
                          std::to_string(query_integer(database, "PRAGMA user_version")) +
                          ", this one knows " + std::to_string(schema_version()) +
                          "), and automatic migration is off",
                      "CHORUS_GROOM=auto migrates it");
}

namespace {

// The agents' event logs say what was done unasked.
void note_migration(sqlite3* database, std::int64_t from) {
    execute(database,
            "INSERT INTO events (agent_id, id, at, kind, previous, next, cause, data) SELECT id, "
            "(SELECT coalesce(max(events.id), 0) + 1 FROM events WHERE agent_id = agents.id), " +
                std::to_string(sys::now_ms()) + ", 'home', 'schema " + std::to_string(from) +
                "', 'schema " + std::to_string(schema_version()) +
                "', 'migrated', '' FROM agents WHERE status = 'active'");
}

}  // namespace

void migrate(sqlite3* database) {
    execute(database, "BEGIN IMMEDIATE");
    const std::int64_t version = query_integer(database, "PRAGMA user_version");
    // another process, maybe a newer program, has migrated it in the meantime
    if (version > schema_version()) throw too_new(version);
    const auto& schema = embedded::store_schema;
    for (std::size_t done = static_cast<std::size_t>(version); done < schema.size(); ++done)
        execute(database, *schema[done]);
    if (version != 0) note_migration(database, version);
    execute(database,
            mark_as_ours() + "; PRAGMA user_version = " + std::to_string(schema_version()));
    execute(database, "COMMIT");
}

}  // namespace chorus::store
