// A look into a home's database from outside, by SQL alone.
#pragma once

#include <string>
#include <vector>

struct sqlite3;

namespace fault {

class Database {
  public:
    using Row = std::vector<std::string>;  // NULL is ""
    // Throws std::runtime_error with SQLite's words, here and later.
    explicit Database(const std::string& path);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    std::vector<Row> rows(const std::string& sql, const std::vector<std::string>& values = {});
    // The first column of the first row, "" where there is none.
    std::string value(const std::string& sql, const std::vector<std::string>& values = {});

  private:
    sqlite3* database_ = nullptr;
};

}  // namespace fault
