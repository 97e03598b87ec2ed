// A home's chorus.db, looked at from outside and left as it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct sqlite3;

namespace fault {

class Database {
  public:
    explicit Database(const std::string& path);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    using Row = std::vector<std::string>;  // NULL is ""
    // Throws std::runtime_error with SQLite's words.
    std::vector<Row> rows(const std::string& sql, const Row& values = {}) const;
    // Of the first row, else "".
    std::string text(const std::string& sql, const Row& values = {}) const;
    std::int64_t number(const std::string& sql, const Row& values = {}) const;

  private:
    sqlite3* handle_ = nullptr;
};

}  // namespace fault
