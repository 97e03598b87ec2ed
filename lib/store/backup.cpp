#include "store/backup.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

void finish(sqlite3_backup* backup) {
    sqlite3_backup_finish(backup);
}
using Backup = base::Handle<sqlite3_backup, finish>;

Database open_new(const std::string& path) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
        nullptr);
    Database database(raw);
    if (code != SQLITE_OK) throw_error(raw, code);
    // a file that is not whole yet is thrown away, and the whole one is synced
    execute(raw, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    return database;
}

// In one step, so that it is one moment's: in WAL mode nobody waits for a reader.
void copy_all(sqlite3* from, sqlite3* to) {
    const Backup backup(sqlite3_backup_init(to, "main", from, "main"));
    if (!backup) throw_error(to, sqlite3_extended_errcode(to));
    const int code = sqlite3_backup_step(backup.get(), -1);
    if (code != SQLITE_DONE) throw_error(to, code);
}

// The two bytes of SQLite's file header that say WAL (2): as a file with a rollback journal (1) it
// can be read from where nobody may write.
void leave_wal_mode(int fd, const std::string& path) {
    constexpr std::array<char, 2> with_journal{1, 1};
    constexpr off_t file_format = 18;
    if (pwrite(fd, with_journal.data(), with_journal.size(), file_format) !=
        static_cast<ssize_t>(with_journal.size()))
        throw base::system_error(path);
}

}  // namespace

std::int64_t back_up(Store& store, const sys::OutputFile& file) {
    std::int64_t bytes = 0;
    file.fill([&](const std::string& copy, int fd) {
        copy_all(store.handle(), open_new(copy).get());
        leave_wal_mode(fd, copy);
        bytes = lseek(fd, 0, SEEK_END);
    });
    return bytes;
}

}  // namespace chorus::store
