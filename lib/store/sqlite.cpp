#include "store/sqlite.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cstring>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::store {
namespace {

using base::Cause;
using base::Error;
using base::ErrorCode;

Error failure(std::string message, std::string hint, Cause cause = Cause::database) {
    return {ErrorCode::failed, "database: " + std::move(message), std::move(hint), cause};
}

std::string path_of(sqlite3* database) {
    const char* path = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
    return path != nullptr && *path != '\0' ? path : "chorus.db";
}

// Returns the system's error message if SQLite kept errno, else SQLite's own.
std::string reason_of(sqlite3* database, int code) {
    const int number = database != nullptr ? sqlite3_system_errno(database) : 0;
    if (number != 0) return std::strerror(number);
    return database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
}

bool disk_is_full(sqlite3* database, int code) {
    if ((code & 0xff) == SQLITE_FULL) return true;
    const int number = database != nullptr ? sqlite3_system_errno(database) : 0;
    return (code & 0xff) == SQLITE_IOERR && base::cause_of(number) == Cause::full_disk;
}

std::string hint_of_io_error() {
    const auto most_bytes = sys::file_size_limit();
    if (!most_bytes) return "the disk or its file system failed; see the system log";
    return "files are limited to " + std::to_string(*most_bytes) + " bytes here (ulimit -f)";
}

Error translate(sqlite3* database, int code) {
    if (disk_is_full(database, code))
        return failure("disk is full", "free some space and run the command again",
                       Cause::full_disk);
    switch (code & 0xff) {
        case SQLITE_IOERR:
            return failure(path_of(database) + ": input/output error: " + reason_of(database, code),
                           hint_of_io_error());
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return failure(path_of(database) + ": is read-only",
                           "make the home and the files in it writable for this user");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return failure(path_of(database) + ": damaged: " + sqlite3_errstr(code & 0xff),
                           std::string(ways_to_save), Cause::damage);
        case SQLITE_CANTOPEN:
            return failure(path_of(database) + ": cannot be opened: " + reason_of(database, code),
                           "the home must be a directory that this user may write to");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return Error(ErrorCode::agent_busy, "database: locked by another process for too long",
                         "run the command again", Cause::database);
        case SQLITE_NOMEM:
            return failure("out of memory", {});
        case SQLITE_INTERRUPT:
            return {ErrorCode::canceled, "interrupted"};
        default:
            return failure(database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code),
                           {});
    }
}

constexpr int instructions_between_stops = 100'000;  // a few milliseconds

int is_stopped(void* stop) {
    return (*static_cast<const Stop*>(stop))() ? 1 : 0;
}

// Prepares the first statement of `sql` and removes it from there; returns nothing if only blanks
// are left.
Prepared prepare_first(sqlite3* database, std::string_view& sql, unsigned flags) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), flags,
                                        &statement, &rest);
    if (code != SQLITE_OK) throw_error(database, code);
    sql.remove_prefix(static_cast<std::size_t>(rest - sql.data()));
    return Prepared(statement);
}

}  // namespace

void throw_error(sqlite3* database, int code) {
    throw translate(database, code);
}

std::array<char, 2> file_format(sqlite3* database) {
    std::array<char, 2> format{};
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file != nullptr && file->pMethods != nullptr)
        file->pMethods->xRead(file, format.data(), format.size(), file_format_offset);
    return format;
}

bool has_log(const std::string& path) {
    struct stat log {};
    return stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0;
}

void close(sqlite3* database) {
    sqlite3_close_v2(database);
}

void finalize(sqlite3_stmt* statement) {
    sqlite3_finalize(statement);
}

Prepared prepare(sqlite3* database, std::string_view sql) {
    return prepare_first(database, sql, SQLITE_PREPARE_PERSISTENT);
}

void stop_when(sqlite3* database, const Stop& stop) {
    if (stop)
        sqlite3_progress_handler(database, instructions_between_stops, is_stopped,
                                 const_cast<Stop*>(&stop));
}

void execute(sqlite3* database, std::string_view sql) {
    while (!sql.empty()) {
        const Prepared statement = prepare_first(database, sql, 0);
        int code = SQLITE_ROW;
        while (statement && code == SQLITE_ROW) code = sqlite3_step(statement.get());
        if (statement && code != SQLITE_DONE) throw_error(database, code);
    }
}

Statement::~Statement() {
    if (!prepared_) return;
    sqlite3_reset(prepared_.get());
    sqlite3_clear_bindings(prepared_.get());
    if (slot_ != nullptr) *slot_ = std::move(prepared_);
}

void Statement::check(int code) {
    if (code != SQLITE_OK) throw_error(sqlite3_db_handle(prepared_.get()), code);
}

void Statement::bind_next(std::nullopt_t) {
    check(sqlite3_bind_null(prepared_.get(), ++bound_));
}

void Statement::bind_next(std::int64_t value) {
    check(sqlite3_bind_int64(prepared_.get(), ++bound_, value));
}

void Statement::bind_next(double value) {
    check(sqlite3_bind_double(prepared_.get(), ++bound_, value));
}

void Statement::bind_next(std::string_view value) {
    // a null pointer would bind NULL
    const char* data = value.empty() ? "" : value.data();
    check(sqlite3_bind_text64(prepared_.get(), ++bound_, data, value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
}

bool Statement::writes() const {
    return sqlite3_stmt_readonly(prepared_.get()) == 0;
}

bool Statement::step() {
    const int code = sqlite3_step(prepared_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        throw_error(sqlite3_db_handle(prepared_.get()), code);
    return code == SQLITE_ROW;
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(prepared_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(prepared_.get(), column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(prepared_.get(), column);
}

std::string Statement::text(int column) const {
    return std::string(view(column));
}

std::string_view Statement::view(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared_.get(), column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(prepared_.get(), column))};
}

}  // namespace chorus::store
