#include "fault/database.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace fault {

Database::Database(const std::string& path) {
    const int code = sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE, nullptr);
    if (code != SQLITE_OK) throw std::runtime_error(path + ": " + sqlite3_errstr(code));
    // while another recovers the log or closes it last, nobody else reads
    sqlite3_busy_timeout(database_, 10'000);
    // looking changes nothing: the log stays as it was left
    sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Database::~Database() {
    sqlite3_close(database_);
}

std::vector<Database::Row> Database::rows(const std::string& sql,
                                          const std::vector<std::string>& values) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        throw std::runtime_error(sql + ": " + sqlite3_errmsg(database_));
    for (std::size_t i = 0; i < values.size(); ++i)
        sqlite3_bind_text(statement, static_cast<int>(i) + 1, values[i].c_str(), -1,
                          SQLITE_TRANSIENT);
    std::vector<Row> found;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        Row row;
        for (int column = 0; column < sqlite3_column_count(statement); ++column) {
            const auto* text =
                reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            row.emplace_back(text == nullptr ? "" : text);
        }
        found.push_back(std::move(row));
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE) throw std::runtime_error(sql + ": " + sqlite3_errmsg(database_));
    return found;
}

std::string Database::value(const std::string& sql, const std::vector<std::string>& values) {
    const std::vector<Row> found = rows(sql, values);
    return found.empty() ? "" : found[0][0];
}

}  // namespace fault
