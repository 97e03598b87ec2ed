#include "store/store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "store/database_file.hpp"
#include "store/gate.hpp"
#include "store/migrations.hpp"
#include "store/sqlite.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::store {
namespace {

constexpr int busy_timeout_ms = 10'000;
// Few, because the next process reads again whatever the log still holds. More in a process that
// has committed before, up to a bound: each time the disk is waited for twice.
constexpr int checkpoint_pages = 100;
constexpr int most_checkpoint_pages = 400;

struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
};

using OpenDirectory = int (*)(const char* path, int* fd);
OpenDirectory open_directory_of_sqlite = nullptr;

// SQLite would sync the directory of the log at the first commit of every process.
int open_directory(const char* path, int* fd) {
    if (std::string_view(path).ends_with("-wal")) return SQLITE_CANTOPEN;
    return open_directory_of_sqlite(path, fd);
}

void set_up_sqlite() {
    static const bool once = [] {
        // nobody asks how much memory SQLite has: counting it takes a mutex for each piece
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        sqlite3_vfs* files = sqlite3_vfs_find(nullptr);
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
    throw base::Error(base::ErrorCode::agent_busy, "chorus.db: a backup is being put in its place",
                      "run the command again");
}

base::Error log_of_another(const std::string& path, const std::string& what,
                           const std::string& hint) {
    return {
        base::ErrorCode::config_invalid,
        path + ": " + what + ", and the log beside it (" + path + "-wal) is of another database",
        hint, base::Cause::damage};
}

// SQLite takes whatever log it finds for the file's own. The log is looked at first, because
// another process may be making the database.
void refuse_log_of_another(sqlite3* database) {
    const std::string path = sqlite3_db_filename(database, "main");
    if (!has_log(path)) return;
    const auto format = file_format(database);
    if (format == std::array<char, 2>{})
        throw log_of_another(path, "is empty", std::string(ways_to_save));
    if (format == without_log)
        throw log_of_another(path, "is a backup",
                             "chorus-context backup --restore " + base::shell_quoted(path) +
                                 " puts it in place without that log");
}

// Nothing where there is no such file. A connection belongs to one thread, so it needs no mutex.
Database open_if_there(const std::string& path, int access = SQLITE_OPEN_READWRITE) {
    // Asked first: SQLite opens a file to read alone where it cannot be opened to write, thus also
    // one that another process makes between the two calls.
    struct stat status {};
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (!is_there && errno == ENOENT) return {};
    if (is_there && !S_ISREG(status.st_mode))
        throw base::Error(base::ErrorCode::config_invalid, path + ": is no regular file",
                          std::string(ways_to_save), base::Cause::damage);
    set_up_sqlite();
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw,
                                     access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(raw);
    if (code == SQLITE_OK) {
        refuse_log_of_another(raw);
        return database;
    }
    throw_error(raw, code);
}

// SQLite would make it readable for others first. Opening a database by hand costs a process its
// locks on it, but nobody has one on a file that was not there.
void make_private_file(const std::string& path) {
    sys::make_directory(path.substr(0, path.rfind('/') + 1));
    const sys::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd ? fchmod(fd.get(), 0600) != 0 : errno != EEXIST) throw base::system_error(path);
}

base::Error without_record(const std::string& path, const std::string& what) {
    return {base::ErrorCode::config_invalid,
            path + ": " + what + ", and there are directories of agents", std::string(ways_to_save),
            base::Cause::damage};
}

Database open_database(const std::string& path, bool make, IfEmpty if_empty) {
    Database database = open_if_there(path);
    if (database) return database;
    if (has_log(path)) throw log_of_another(path, "is missing", std::string(ways_to_save));
    if (if_empty == IfEmpty::refuse) throw without_record(path, "is missing");
    if (!make)
        throw base::Error(base::ErrorCode::not_found, path + ": no such database",
                          "'chorus-init NAME' makes the first agent of a home");
    make_private_file(path);
    database = open_if_there(path);
    if (!database) throw base::system_error(path, ENOENT);
    return database;
}

void set(sqlite3* database, int option, int value) {
    const int code = sqlite3_db_config(database, option, value, nullptr);
    if (code != SQLITE_OK) throw_error(database, code);
}

// Runs inside COMMIT, thus behind the gate. A log that is wholly in the database begins anew with
// the next commit, but only this process knows that it is: where every process commits once and
// ends, the log would grow for ever. So the next commit is made here, a page long. (Cutting the log
// would do it too, and make every commit after it wait for the file system's journal.) What it
// writes is the same in all programs, old and new. What fails was committed nevertheless, and is
// tried again with the next commit.
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

// Nothing here writes to the file: it may turn out to be a newer program's. `most_pages` of the log
// lives as long as the connection.
void configure(sqlite3* database, int& most_pages) {
    distrust(database);
    set(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1);
    sqlite3_busy_timeout(database, busy_timeout_ms);
    sqlite3_wal_hook(database, checkpoint_long_log, &most_pages);
}

// The header says so; what was read of such a database was read through the log.
bool has_wal(sqlite3* database) {
    return file_format(database) == with_log;
}

// The opener syncs the log's name before anything is in the log, so that whoever commits finds it
// on disk.
void sync_name_of_log(sqlite3* database) {
    if (sqlite3_db_readonly(database, "main") == 1) return;
    const std::string path = sqlite3_db_filename(database, "main");
    if (has_log(path)) return;
    (void)query_integer(database, "PRAGMA user_version");  // makes the log
    sys::sync_directory(path.substr(0, path.rfind('/') + 1));
}

// A database restored from a backup may have lost its journal mode.
void bring_up_to_date(sqlite3* database, Gate& gate, IfOld if_old, IfEmpty if_empty) {
    const bool old = needs_migration(database);
    if (old && if_empty == IfEmpty::refuse && query_integer(database, "PRAGMA user_version") == 0)
        throw without_record(sqlite3_db_filename(database, "main"), "is empty");
    if (old && if_old == IfOld::refuse) refuse_migration(database);
    // one that may only be read is read: a write says what is in its way
    if (!old && (has_wal(database) || sqlite3_db_readonly(database, "main") == 1))
        return sync_name_of_log(database);
    const Passage passage(gate);
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
        // The slot of a statement in use is empty: a second use at the same time gets one of its
        // own.
        Prepared statement =
            slot->second ? std::move(slot->second) : store::prepare(database.get(), sql);
        return {std::move(statement), slot->second};
    }

    bool in_transaction() const { return sqlite3_get_autocommit(database.get()) == 0; }

    int most_pages = checkpoint_pages;
    std::optional<sys::Lock> presence;  // let go of after the database is closed
    Database database;
    Gate gate;
    std::unordered_map<std::string, Prepared, Hash, std::equal_to<>> statements;
};

Store Store::open(const Paths& paths, IfOld if_old, IfEmpty if_empty) {
    return connect(paths, Missing::make, if_old, if_empty);
}
Store Store::open_existing(const Paths& paths, IfOld if_old, IfEmpty if_empty) {
    return connect(paths, Missing::refuse, if_old, if_empty);
}

Store Store::connect(const Paths& paths, Missing missing, IfOld if_old, IfEmpty if_empty) {
    auto presence = take_presence(paths.presence);
    if (presence && was_replacing(paths.database)) {
        Gate gate(paths.gate);
        const Passage passage(gate);
        settle_replacement(paths.database);
    }
    auto connection = std::make_unique<Connection>(
        std::move(presence), open_database(paths.database, missing == Missing::make, if_empty),
        paths.gate);
    sqlite3* database = connection->database.get();
    configure(database, connection->most_pages);
    bring_up_to_date(database, connection->gate, if_old, if_empty);
    // What SQLite spills goes to memory: no text of a conversation in /tmp.
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
    if (!connection_->in_transaction() && statement.writes())
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

std::int64_t Store::version_by_others() {
    return query_integer(handle(), "PRAGMA data_version");
}

Transaction::Transaction(Store& store) : store_(store) {
    Store::Connection& connection = *store.connection_;
    if (connection.in_transaction())
        throw base::Error(base::ErrorCode::internal,
                          "database: a transaction inside a transaction");
    passage_ = std::make_unique<Passage>(connection.gate);
    connection.use("BEGIN IMMEDIATE").run();
    Statement version = connection.use("PRAGMA user_version");
    if (version.step() && version.integer(0) > schema_version()) {
        connection.use("ROLLBACK").run();
        throw too_new(version.integer(0));
    }
}

Transaction::~Transaction() {
    if (!open_) return;
    // After a full disk SQLite has rolled back by itself.
    if (store_.connection_->in_transaction())
        sqlite3_exec(store_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    // Where the disk did not confirm the commit, it is in the log nevertheless, and whoever reads
    // the log anew would find it there: after the error was told. The next commit takes its place,
    // so that is made here, whether the disk confirms it or not.
    if (is_committing_)
        sqlite3_exec(store_.handle(), mark_as_ours().c_str(), nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    is_committing_ = true;
    store_.connection_->use("COMMIT").run();
    open_ = false;
    passage_.reset();
}

}  // namespace chorus::store
