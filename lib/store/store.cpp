#include "store/store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <unordered_map>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "store/database_file.hpp"
#include "store/gate.hpp"
#include "store/migrations.hpp"
#include "store/sqlite.hpp"
#include "store/sqlite_memory.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::store {
namespace {

constexpr int busy_timeout_ms = 10'000;
// Low, because the next process reads everything that the log still holds. Rises with each
// checkpoint of the same process, up to a bound, because each one waits for the disk twice.
constexpr int checkpoint_pages = 100;
constexpr int most_checkpoint_pages = 400;

struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
};

using OpenDirectory = int (*)(const char* path, int* fd);
OpenDirectory open_directory_of_sqlite = nullptr;

// Without this, SQLite would sync the log's directory at the first commit of every process.
int open_directory(const char* path, int* fd) {
    if (std::string_view(path).ends_with("-wal")) return SQLITE_CANTOPEN;
    return open_directory_of_sqlite(path, fd);
}

void set_up_sqlite() {
    static const bool once = [] {
        // memory statistics are not used, and counting takes a mutex for each allocation
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        set_sqlite_memory();
        sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
        if (files == nullptr) throw std::bad_alloc();  // SQLite's only reason
        open_directory_of_sqlite =
            reinterpret_cast<OpenDirectory>(files->xGetSystemCall(files, "openDirectory"));
        files->xSetSystemCall(files, "openDirectory",
                              reinterpret_cast<sqlite3_syscall_ptr>(open_directory));
        return true;
    }();
    (void)once;
}

std::optional<sys::Lock> take_presence(const std::string& path) {
    if (path.empty()) return std::nullopt;
    auto lock = sys::Lock::acquire(path, sys::Lock::Mode::shared, longest_wait_ms);
    if (lock) return lock;
    throw base::Error(base::ErrorCode::agent_busy, "chorus.db: a backup is being restored",
                      "run the command again");
}

base::Error log_of_another(const std::string& path, const std::string& what,
                           const std::string& hint) {
    return {base::ErrorCode::config_invalid,
            path + ": " + what + ", and its log (" + path + "-wal) belongs to another database",
            hint, base::Cause::damage};
}

// SQLite uses any log that it finds beside the file. The log is checked first, because another
// process may be creating the database.
void refuse_log_of_another(sqlite3* database) {
    const std::string path = sqlite3_db_filename(database, "main");
    if (!has_log(path)) return;
    const auto format = file_format(database);
    if (format == std::array<char, 2>{})
        throw log_of_another(path, "is empty", std::string(ways_to_save));
    if (format == without_log)
        throw log_of_another(path, "is a backup",
                             "chorus-context backup --restore " + base::shell_quoted(path) +
                                 " restores it without that log");
}

// Returns nothing if there is no such file. A connection belongs to one thread, so it needs no
// mutex.
Database open_if_there(const std::string& path, int access = SQLITE_OPEN_READWRITE) {
    // Checked first: SQLite falls back to read-only where it cannot open a file for writing, which
    // would also apply to a file that another process creates between the two calls.
    struct stat status {};
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (!is_there && errno == ENOENT) return {};
    if (is_there && !S_ISREG(status.st_mode))
        throw base::Error(base::ErrorCode::config_invalid, path + ": not a regular file",
                          std::string(ways_to_save), base::Cause::damage);
    set_up_sqlite();
    Database database = open_file(path, access);
    refuse_log_of_another(database.get());
    return database;
}

// SQLite would create the file readable by others. Closing a database file opened by hand drops the
// process's locks on it, but a new file has none.
void make_private_file(const std::string& path) {
    sys::make_directory(path.substr(0, path.rfind('/') + 1));
    const sys::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd ? fchmod(fd.get(), 0600) != 0 : errno != EEXIST) throw base::system_error(path);
}

base::Error without_record(const std::string& path, const std::string& what) {
    return {base::ErrorCode::config_invalid,
            path + ": " + what + ", but directories of agents exist", std::string(ways_to_save),
            base::Cause::damage};
}

Database open_database(const std::string& path, IfEmpty if_empty) {
    Database database = open_if_there(path);
    if (database) return database;
    if (has_log(path)) {
        // another process has made both since
        database = open_if_there(path);
        if (database) return database;
        throw log_of_another(path, "is missing", std::string(ways_to_save));
    }
    if (if_empty == IfEmpty::refuse) throw without_record(path, "is missing");
    if (if_empty == IfEmpty::not_found)
        throw base::Error(base::ErrorCode::not_found, path + ": no such database",
                          "'chorus-init NAME' creates the first agent of a home");
    make_private_file(path);
    database = open_if_there(path);
    if (!database) throw base::system_error(path, ENOENT);
    return database;
}

void set(sqlite3* database, int option, int value) {
    const int code = sqlite3_db_config(database, option, value, nullptr);
    if (code != SQLITE_OK) throw_error(database, code);
}

// Runs inside COMMIT, and therefore behind the gate. A log that is completely in the database is
// overwritten from its start by the next commit, but only this process knows that it is complete:
// if every process committed once and ended, the log would grow without bound. So this makes the
// next commit, one page long. (Truncating the log would do it too, but then every later commit
// waits for the file system's journal.) The page has the same content in all versions of the
// program. If this fails, the COMMIT has succeeded nevertheless, and the next commit tries again.
int checkpoint_long_log(void* most_pages, sqlite3* database, const char* name, int pages) {
    int& most = *static_cast<int*>(most_pages);
    const bool is_long = pages >= most;
    most = std::min(most + checkpoint_pages, most_checkpoint_pages);
    if (!is_long) return SQLITE_OK;
    int in_log = 0;
    int in_database = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, &in_log, &in_database);
    if (code == SQLITE_OK && in_log == in_database)
        sqlite3_exec(database, mark_as_ours().c_str(), nullptr, nullptr, nullptr);
    return SQLITE_OK;
}

void distrust(sqlite3* database) {
    set(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
    set(database, SQLITE_DBCONFIG_DEFENSIVE, 1);
    set(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
}

// Must not write to the file: it may turn out to belong to a newer program. `most_pages` must live
// as long as the connection.
void configure(sqlite3* database, int& most_pages) {
    distrust(database);
    set(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1);
    sqlite3_busy_timeout(database, busy_timeout_ms);
    sqlite3_wal_hook(database, checkpoint_long_log, &most_pages);
}

// Syncs the log's directory entry before the log has content, so that every later commit finds it
// on disk.
void sync_name_of_log(sqlite3* database) {
    if (sqlite3_db_readonly(database, "main") == 1) return;
    const std::string path = sqlite3_db_filename(database, "main");
    if (has_log(path)) return;
    (void)query_integer(database, "PRAGMA user_version");  // makes the log
    sys::sync_directory(path.substr(0, path.rfind('/') + 1));
}

// Also sets the journal mode, which a database restored from a backup may have lost.
void bring_up_to_date(sqlite3* database, Gate& gate, IfOld if_old, IfEmpty if_empty) {
    const bool old = needs_migration(database);
    if (old && if_empty == IfEmpty::refuse && query_integer(database, "PRAGMA user_version") == 0)
        throw without_record(sqlite3_db_filename(database, "main"), "is empty");
    if (old && if_old == IfOld::refuse) refuse_migration(database);
    // The header tells: in WAL mode the earlier reads went through the log. A read-only database is
    // opened too; a write reports the error.
    if (!old && (file_format(database) == with_log || sqlite3_db_readonly(database, "main") == 1))
        return sync_name_of_log(database);
    const std::lock_guard passage(gate);
    if (query_text(database, "PRAGMA journal_mode = WAL") != "wal")
        throw base::Error(base::ErrorCode::failed,
                          "chorus.db: this file system cannot share memory between processes",
                          "set CHORUS_HOME to a directory on a local disk");
    sync_name_of_log(database);
    if (old) migrate(database);
}

}  // namespace

struct Store::Connection {
    Connection(std::optional<sys::Lock> held, Database opened, const std::string& gate_path)
        : presence(std::move(held)), database(std::move(opened)), gate(gate_path) {}

    Statement use(std::string_view sql) {
        auto slot = statements.find(sql);
        if (slot == statements.end()) slot = statements.emplace(sql, Prepared{}).first;
        // The slot of a statement in use is empty: a second use at the same time prepares its own.
        Prepared statement =
            slot->second ? std::move(slot->second) : store::prepare(database.get(), sql);
        return Statement(std::move(statement), &slot->second);
    }

    bool in_transaction() const { return sqlite3_get_autocommit(database.get()) == 0; }

    bool is_reading = false;  // inside a ReadTransaction
    Stop stop;                // outlives the database, which calls it
    int most_pages = checkpoint_pages;
    std::optional<sys::Lock> presence;  // released after the database is closed
    Database database;
    Gate gate;
    std::unordered_map<std::string, Prepared, Hash, std::equal_to<>> statements;
};

Store Store::open(const Paths& paths, IfOld if_old, IfEmpty if_empty) {
    auto presence = take_presence(paths.presence);
    if (presence && was_replacing(paths.database)) {
        Gate gate(paths.gate);
        const std::lock_guard passage(gate);
        settle_replacement(paths.database);
    }
    auto connection = std::make_unique<Connection>(
        std::move(presence), open_database(paths.database, if_empty), paths.gate);
    sqlite3* database = connection->database.get();
    configure(database, connection->most_pages);
    bring_up_to_date(database, connection->gate, if_old, if_empty);
    // Temporary data stays in memory, so that no conversation text is written to /tmp.
    execute(database,
            "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = 100");
    return Store(std::move(connection));
}

std::optional<Store> Store::look(const Paths& paths) {
    auto connection = std::make_unique<Connection>(
        std::nullopt, open_if_there(paths.database, SQLITE_OPEN_READONLY), paths.gate);
    if (!connection->database) return std::nullopt;
    distrust(connection->database.get());
    (void)needs_migration(connection->database.get());
    return Store(std::move(connection));
}

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Statement Store::prepare(std::string_view sql) {
    Statement statement = connection_->use(sql);
    if ((!connection_->in_transaction() || connection_->is_reading) && statement.writes())
        throw base::Error(base::ErrorCode::internal,
                          "database: write outside a transaction: " + std::string(sql));
    return statement;
}

sqlite3* Store::handle() const {
    return connection_->database.get();
}
std::int64_t Store::last_insert_id() const {
    return sqlite3_last_insert_rowid(handle());
}
std::int64_t Store::changed_rows() const {
    return sqlite3_changes64(handle());
}

void Store::set_patience(std::int64_t most_ms, std::function<bool()> stop) {
    connection_->gate.set_patience(most_ms, std::move(stop));
}

void Store::stop_when(Stop stop) {
    connection_->stop = std::move(stop);
    store::stop_when(handle(), connection_->stop);
}

std::int64_t Store::version_by_others() {
    return query_integer(handle(), "PRAGMA data_version");
}

Transaction::Transaction(Store& store, Survives survives)
    : store_(store), is_synced_(survives == Survives::system_crash) {
    Store::Connection& connection = *store.connection_;
    if (connection.in_transaction())
        throw base::Error(base::ErrorCode::internal,
                          "database: a transaction inside a transaction");
    passage_ = std::unique_lock(connection.gate);
    if (!is_synced_) execute(connection.database.get(), "PRAGMA synchronous = NORMAL");
    connection.use("BEGIN IMMEDIATE").run();
    Statement version = connection.use("PRAGMA user_version");
    if (version.step() && version.integer(0) > schema_version()) {
        connection.use("ROLLBACK").run();
        throw too_new(version.integer(0));
    }
}

Transaction::~Transaction() {
    if (!is_synced_)
        sqlite3_exec(store_.handle(), "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr);
    if (!open_) return;
    // On a full disk SQLite has already rolled back.
    if (store_.connection_->in_transaction())
        sqlite3_exec(store_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    // If the disk did not confirm the commit, the commit is in the log nevertheless, and the next
    // process to read the log would find it after the error was reported. The next commit
    // overwrites it, so one is made here, whether the disk confirms it or not.
    if (is_committing_)
        sqlite3_exec(store_.handle(), mark_as_ours().c_str(), nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    is_committing_ = true;
    store_.connection_->use("COMMIT").run();
    open_ = false;
    passage_.unlock();
}

ReadTransaction::ReadTransaction(Store& store)
    : store_(store), is_ours_(!store.connection_->in_transaction()) {
    if (!is_ours_) return;
    store.connection_->use("BEGIN").run();
    store.connection_->is_reading = true;
}

ReadTransaction::~ReadTransaction() {
    if (!is_ours_) return;
    sqlite3_exec(store_.handle(), "COMMIT", nullptr, nullptr, nullptr);
    store_.connection_->is_reading = false;
}

}  // namespace chorus::store
