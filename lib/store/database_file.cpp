#include "store/database_file.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

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

// A file without a log can be read from a read-only directory, and can be told apart from a
// database in use.
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

// A log is useless without its database, so the database is moved away first and moved back last.
constexpr std::array<const char*, 3> database_suffixes{"", "-wal", "-journal"};

bool has_any_part(const std::string& database) {
    return std::any_of(database_suffixes.begin(), database_suffixes.end(),
                       [&](const char* part) { return sys::exists(database + part); });
}

void move_part(const std::string& from, const std::string& to, const char* part) {
    if (rename((from + part).c_str(), (to + part).c_str()) != 0 && errno != ENOENT)
        throw base::system_error(from + part);
}

void remove_if_there(const std::string& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT) throw base::system_error(path);
}

void sync_beside(const std::string& database) {
    sys::sync_directory(database.substr(0, database.rfind('/')));
}

constexpr std::string_view kept_mark = ".before-";

std::string free_name(const std::string& database) {
    const std::string stamped =
        database + std::string(kept_mark) + base::compact_utc(sys::now_ms());
    std::string free = stamped;
    for (int more = 2; has_any_part(free); ++more) free = stamped + "-" + std::to_string(more);
    return free;
}

std::string target_of(const std::string& link) {
    std::error_code problem;
    const auto target = std::filesystem::read_symlink(link, problem);
    if (problem) throw base::system_error(link, problem.value());
    return target;
}

// Returns the path at the end of a chain of links; the file need not exist.
std::string end_of_links(std::string path) {
    constexpr int most = 40;
    for (int links = 0; links < most && sys::is_link(path); ++links) {
        const std::string target = target_of(path);
        path = target.starts_with('/') ? target : path.substr(0, path.rfind('/') + 1) + target;
    }
    return path;
}

// Returns the path of a link beside the home's database. Its target is the name that the old
// database gets, in the directory of the database. It exists only during a replacement.
std::string marker_of(const std::string& path) {
    return path + ".replacing";
}

// The -shm file is removed: SQLite creates it again.
void move_away(const std::string& database, const std::string& kept, const std::string& marker) {
    const std::string name = kept.substr(kept.rfind('/') + 1);
    if (symlink(name.c_str(), marker.c_str()) != 0) throw base::system_error(marker);
    sync_beside(marker);
    for (const char* part : database_suffixes) move_part(database, kept, part);
    remove_if_there(database + "-shm");
    sync_beside(database);
}

void move_back(const std::string& database, const std::string& kept) {
    for (auto part = database_suffixes.rbegin(); part != database_suffixes.rend(); ++part)
        move_part(kept, database, *part);
    sync_beside(database);
}

void count_rows(const std::string& path, Replaced& done) {
    const Database database = open_still(path);
    done.agents =
        query_integer(database.get(), "SELECT count(*) FROM agents WHERE status <> 'destroyed'");
    done.messages = query_integer(database.get(), "SELECT count(*) FROM messages");
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
    // an incomplete file is thrown away, and a complete one is synced by the caller
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

void finish_copy(const std::string& temporary, int fd, const std::string& what, const Stop& stop) {
    leave_wal_mode(fd, temporary);
    const Database copy = open_still(temporary);
    stop_when(copy.get(), stop);
    refuse_damage(copy.get(), what);
}

bool was_replacing(const std::string& path) {
    return sys::is_link(marker_of(path));
}

// A database that is present is the new one, or the old one before any part of it was moved.
void settle_replacement(const std::string& path) {
    if (!was_replacing(path)) return;
    const std::string database = end_of_links(path);
    const std::string kept =
        database.substr(0, database.rfind('/') + 1) + target_of(marker_of(path));
    if (!sys::exists(database)) move_back(database, kept);
    remove_if_there(marker_of(path));
}

Replaced replace_database(const Store::Paths& paths, const std::string& what, const Fill& fill,
                          const Stop& stop) {
    const auto alone =
        sys::Lock::acquire(paths.presence, sys::Lock::Mode::exclusive, longest_wait_for_others_ms);
    if (!alone)
        throw Error(ErrorCode::agent_busy, "the home: other processes have its database open",
                    "'fuser -v " + base::shell_quoted(paths.database) + "' lists them");
    settle_replacement(paths.database);
    const std::string database = end_of_links(paths.database);
    Replaced done;
    if (has_any_part(database)) done.kept = free_name(database);
    sys::fill_file(database, true, [&](const std::string& temporary, int fd) {
        fill(temporary);
        count_rows(temporary, done);
        finish_copy(temporary, fd, what, stop);
        if (!done.kept.empty()) move_away(database, done.kept, marker_of(paths.database));
    });
    settle_replacement(paths.database);
    return done;
}

}  // namespace chorus::store
