#include "store/migrations.hpp"

#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "store/sqlite.hpp"
#include "store/store.hpp"

namespace chorus::embedded {
extern const std::string_view store_schema_0001;
extern const std::string_view store_schema_0002;
extern const std::string_view store_schema_0003;
extern const std::string_view store_schema_0004;
extern const std::string_view store_schema_0005;
extern const std::string_view store_schema_0006;
extern const std::string_view store_schema_0007;
extern const std::string_view store_schema_0008;
extern const std::string_view store_schema_0009;
extern const std::string_view store_schema_0010;
extern const std::string_view store_schema_0011;
extern const std::string_view store_schema_0012;
extern const std::string_view store_schema_0013;
extern const std::string_view store_schema_0014;
extern const std::string_view store_schema_0015;
extern const std::string_view store_schema_0016;
}  // namespace chorus::embedded

namespace chorus::store {
namespace {

struct Migration {
    int number;
    const std::string_view* sql;
};

constexpr std::array migrations{
    Migration{1, &embedded::store_schema_0001},  Migration{2, &embedded::store_schema_0002},
    Migration{3, &embedded::store_schema_0003},  Migration{4, &embedded::store_schema_0004},
    Migration{5, &embedded::store_schema_0005},  Migration{6, &embedded::store_schema_0006},
    Migration{7, &embedded::store_schema_0007},  Migration{8, &embedded::store_schema_0008},
    Migration{9, &embedded::store_schema_0009},  Migration{10, &embedded::store_schema_0010},
    Migration{11, &embedded::store_schema_0011}, Migration{12, &embedded::store_schema_0012},
    Migration{13, &embedded::store_schema_0013}, Migration{14, &embedded::store_schema_0014},
    Migration{15, &embedded::store_schema_0015}, Migration{16, &embedded::store_schema_0016},
};

constexpr bool numbers_have_no_gaps() {
    for (std::size_t i = 0; i < migrations.size(); ++i)
        if (migrations[i].number != static_cast<int>(i) + 1) return false;
    return true;
}
static_assert(numbers_have_no_gaps());

constexpr std::int64_t our_application_id = 0x43686f72;  // "Chor"

base::Error not_ours(const std::string& what, const std::string& hint) {
    return {base::ErrorCode::config_invalid, what + ": not a database of chorus", hint};
}

bool is_empty(sqlite3* database) {
    return query_integer(database, "SELECT count(*) FROM sqlite_schema") == 0;
}

}  // namespace

int schema_version() {
    return migrations.back().number;
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
                      "--groom auto migrates it");
}

void migrate(sqlite3* database) {
    execute(database, "BEGIN IMMEDIATE");
    const std::int64_t version = query_integer(database, "PRAGMA user_version");
    // another process, maybe a newer program, has migrated it in the meantime
    if (version > schema_version()) throw too_new(version);
    for (const Migration& migration : migrations)
        if (migration.number > version) execute(database, *migration.sql);
    execute(database,
            mark_as_ours() + "; PRAGMA user_version = " + std::to_string(schema_version()));
    execute(database, "COMMIT");
}

}  // namespace chorus::store
