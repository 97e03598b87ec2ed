#include "database.hpp"

#include <sqlite3.h>

#include <memory>
#include <stdexcept>

namespace fault {
namespace {

constexpr int busy_timeout_ms = 10'000;

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

[[noreturn]] void fail(sqlite3* handle, const std::string& sql) {
    throw std::runtime_error(sql + ": " + sqlite3_errmsg(handle));
}

std::string column(sqlite3_stmt* statement, int i) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
    return text == nullptr ? "" : std::string(text, size);
}

}  // namespace

Database::Database(const std::string& path) {
    const int code = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
    if (code != SQLITE_OK) {
        sqlite3_close(handle_);
        throw std::runtime_error(path + ": " + sqlite3_errstr(code));
    }
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_busy_timeout(handle_, busy_timeout_ms);
}

Database::~Database() {
    sqlite3_close(handle_);
}

std::vector<Database::Row> Database::rows(const std::string& sql, const Row& values) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
        fail(handle_, sql);
    const Statement statement(raw, sqlite3_finalize);
    for (std::size_t i = 0; i < values.size(); ++i)
        sqlite3_bind_text(raw, static_cast<int>(i) + 1, values[i].data(),
                          static_cast<int>(values[i].size()), SQLITE_TRANSIENT);
    std::vector<Row> all;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(raw)) == SQLITE_ROW) {
        Row& row = all.emplace_back();
        for (int i = 0; i < sqlite3_column_count(raw); ++i) row.push_back(column(raw, i));
    }
    if (code != SQLITE_DONE) fail(handle_, sql);
    return all;
}

std::string Database::text(const std::string& sql, const Row& values) const {
    const auto all = rows(sql, values);
    return all.empty() || all.front().empty() ? "" : all.front().front();
}

std::int64_t Database::number(const std::string& sql, const Row& values) const {
    const std::string value = text(sql, values);
    return value.empty() ? 0 : std::stoll(value);
}

}  // namespace fault
