#include "store/database_file.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/shell_quoted.hpp"
#include "base/time.hpp"
#include "store/integrity.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::store {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::int64_t longest_wait_for_others_ms = 5'000;

// As a file without a log it can be read from where nobody may write, and is told from a database
// that is at work.
void leave_wal_mode(int fd, const std::string& path) {
    if (pwrite(fd, without_log.data(), without_log.size(), file_format_offset) !=
        static_cast<ssize_t>(without_log.size()))
        throw base::system_error(path);
}

void refuse_damage(sqlite3* database, const std::string& what) {
    const auto problems = integrity_problems(database);
    if (problems.empty()) return;
    throw Error(ErrorCode::failed, what + ": damaged: " + problems.front(),
                std::string(ways_to_save), base::Cause::damage);
}

// The database under another name too, and its log: both stay where they are. "" where there is no
// database.
std::string keep(const std::string& database) {
    if (!sys::exists(database) && !sys::exists(database + "-wal")) return {};
    const std::string stamped = database + ".before-" + base::compact_utc(sys::now_ms());
    std::string kept = stamped;
    for (int more = 2; sys::exists(kept); ++more) kept = stamped + "-" + std::to_string(more);
    for (const char* part : {"", "-wal", "-journal"})
        if (link((database + part).c_str(), (kept + part).c_str()) != 0 && errno != ENOENT)
            throw base::system_error(kept + part);
    return kept;
}

void remove_logs(const std::string& database) {
    for (const char* part : {"-wal", "-journal", "-shm"})
        if (unlink((database + part).c_str()) != 0 && errno != ENOENT)
            throw base::system_error(database + part);
    sys::sync_directory(database.substr(0, database.rfind('/')));
}

}  // namespace

Database open_file(const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw,
                                     flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    Database database(raw);
    if (code != SQLITE_OK) throw_error(raw, code);
    return database;
}

Database open_new(const std::string& path) {
    Database database = open_file(path, SQLITE_OPEN_READWRITE);
    // a file that is not whole yet is thrown away, and the whole one is synced
    execute(database.get(), "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    return database;
}

Database open_still(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path)
        if (c == '%' || c == '?' || c == '#')
            uri += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
        else
            uri += c;
    return open_file(uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

void finish_copy(const std::string& temporary, int fd, const std::string& what) {
    leave_wal_mode(fd, temporary);
    refuse_damage(open_still(temporary).get(), what);
}

// Killed between two steps it leaves the old database, or a backup beside a log that is not its
// own, which nobody opens.
std::string replace_database(const Store::Paths& paths, const std::string& what, const Fill& fill) {
    const auto alone =
        sys::Lock::acquire(paths.presence, sys::Lock::Mode::exclusive, longest_wait_for_others_ms);
    if (!alone)
        throw Error(ErrorCode::agent_busy, "the home: other processes have its database open",
                    "'fuser -v " + base::shell_quoted(paths.database) + "' names them");
    const auto led = sys::follow_links(paths.database);
    const std::string database = led ? led->path : paths.database;
    std::string kept;
    sys::fill_file(database, true, [&](const std::string& temporary, int fd) {
        fill(temporary);
        finish_copy(temporary, fd, what);
        kept = keep(database);
    });
    remove_logs(database);
    return kept;
}

}  // namespace chorus::store
