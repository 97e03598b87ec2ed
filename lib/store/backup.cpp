#include "store/backup.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/text.hpp"
#include "store/database_file.hpp"
#include "store/migrations.hpp"
#include "store/sqlite.hpp"
#include "store/turns.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::store {
namespace {

using base::Error;
using base::ErrorCode;

void finish(sqlite3_backup* backup) {
    sqlite3_backup_finish(backup);
}
using Backup = base::Handle<sqlite3_backup, finish>;

constexpr int pages_between_stops = 1024;

// `from` must not change meanwhile: it is in a transaction, or nobody writes to its file.
void copy_all(sqlite3* from, sqlite3* to, const Stop& stop) {
    const Backup backup(sqlite3_backup_init(to, "main", from, "main"));
    if (!backup) throw_error(to, sqlite3_extended_errcode(to));
    int code = SQLITE_OK;
    while (code == SQLITE_OK) {
        if (stop()) throw Error(ErrorCode::canceled, "interrupted");
        code = sqlite3_backup_step(backup.get(), pages_between_stops);
    }
    if (code != SQLITE_DONE) throw_error(to, code);
}

// SQLite's own error names the copy.
template <typename Result>
Result say_if_damaged(const std::string& message, std::string_view hint,
                      const std::function<Result()>& copy) {
    try {
        return copy();
    } catch (const Error& error) {
        if (error.cause() != base::Cause::damage) throw;
        throw Error(ErrorCode::failed, message, std::string(hint), base::Cause::damage);
    }
}

constexpr const char* ways_to_a_backup =
    "name a file made by 'chorus-context backup FILE', or a chorus.db.before-TIME file of the home";

// An empty file is a valid, empty database for SQLite.
void require_database(const sys::RegularInput& file) {
    constexpr std::string_view magic{"SQLite format 3", 16};
    const sys::Fd fd(::open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
    std::string head(magic.size(), ' ');
    const ssize_t size = fd ? pread(fd.get(), head.data(), head.size(), 0) : -1;
    if (size < 0) throw base::system_error(base::quoted(file.name()));
    if (size > 0 && head != magic)
        throw Error(ErrorCode::config_invalid, base::quoted(file.name()) + ": not a database",
                    ways_to_a_backup);
}

// Reads the log beside the file too, unless the file is a backup: a log next to a backup is not its
// own.
Database open_backup(const sys::RegularInput& file) {
    require_database(file);
    const std::string given = base::quoted(file.name());
    const std::string path = sys::real_path(file.path());
    Database database = open_still(path);
    if (file_format(database.get()) != without_log && has_log(path))
        database = open_file(path, SQLITE_OPEN_READONLY);
    if (needs_migration(database.get(), given, ways_to_a_backup) &&
        query_integer(database.get(), "PRAGMA user_version") == 0)
        throw Error(ErrorCode::config_invalid, given + ": an empty database", ways_to_a_backup);
    return database;
}

// Returns the newest id that the database has given to a message and to a turn; zeros if it cannot
// be read.
std::pair<std::int64_t, std::int64_t> newest_ids(const std::string& path) {
    try {
        const Database database = open_file(path, SQLITE_OPEN_READONLY);
        return {query_integer(database.get(), newest_given_id),
                query_integer(database.get(), "SELECT max(id) FROM turns")};
    } catch (const Error&) {
        return {};  // damaged, or not a database
    }
}

// Transcripts and exports name ids that the database has given since it was backed up: they are not
// given again.
void skip_ids(sqlite3* restored, std::pair<std::int64_t, std::int64_t> newest) {
    const auto [message, turn] = newest;
    keep_message_id(restored, message);
    if (turn > query_integer(restored, "SELECT max(id) FROM turns"))
        execute(restored, "INSERT OR REPLACE INTO settings (scope, key, value) VALUES ('home', '" +
                              std::string(newest_forgotten_turn) + "', '" + std::to_string(turn) +
                              "')");
}

}  // namespace

std::int64_t back_up(Store& store, const sys::OutputFile& file, const Stop& stop) {
    const ReadTransaction snapshot(store);
    (void)query_integer(store, "SELECT count(*) FROM agents");  // begins it
    const std::string name = sqlite3_db_filename(store.handle(), "main");
    return say_if_damaged<std::int64_t>(name + ": damaged, no backup was made", ways_to_save, [&] {
        std::int64_t bytes = 0;
        file.fill([&](const std::string& copy, int fd) {
            copy_all(store.handle(), open_new(copy).get(), stop);
            finish_copy(copy, fd, name, stop);
            bytes = lseek(fd, 0, SEEK_END);
        });
        return bytes;
    });
}

Replaced put_back(const Store::Paths& paths, const sys::RegularInput& backup, const Stop& stop) {
    const std::string name = base::quoted(backup.name());
    const auto fill = [&](const std::string& temporary) {
        const Database restored = open_new(temporary);
        copy_all(open_backup(backup).get(), restored.get(), stop);
        skip_ids(restored.get(), newest_ids(paths.database));
    };
    return say_if_damaged<Replaced>(name + ": damaged, nothing was changed", ways_to_a_backup,
                                    [&] { return replace_database(paths, name, fill, stop); });
}

}  // namespace chorus::store
