// SQLite's C interface, used only inside store/: statements, and the translation of its errors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/handle.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace chorus::store {

// Throws the Error for an SQLite error code: Error(failed), with a hint if something can be done.
[[noreturn]] void throw_error(sqlite3* database, int code);

// The hint for a database whose content is lost.
constexpr std::string_view ways_to_save =
    "'chorus-context backup --restore FILE' restores a backup, 'chorus-config doctor "
    "--fix' rebuilds the database from what can be read";

// The two bytes of SQLite's file header that say whether the database uses a write-ahead log (2) or
// not (1); both are 0 for an empty file. They are read through SQLite's descriptor, without its
// locks and without the log: closing a descriptor of our own would drop this process's locks on the
// file.
constexpr int file_format_offset = 18;
constexpr std::array<char, 2> without_log{1, 1};
constexpr std::array<char, 2> with_log{2, 2};
std::array<char, 2> file_format(sqlite3* database);
// Returns whether the log of the database with that path is not empty.
bool has_log(const std::string& path);

void close(sqlite3* database);
using Database = base::Handle<sqlite3, close>;
void finalize(sqlite3_stmt* statement);
using Prepared = base::Handle<sqlite3_stmt, finalize>;

Prepared prepare(sqlite3* database, std::string_view sql);
// Runs any number of statements without parameters; rows are dropped.
void execute(sqlite3* database, std::string_view sql);
// Returns the first column of the first row; 0 or "" if there is no row.
std::int64_t query_integer(sqlite3* database, std::string_view sql);
std::string query_text(sqlite3* database, std::string_view sql);

// One use of a prepared statement. Values are bound in the order of the SQL's parameters. The
// destructor resets the statement and returns it to its slot. Texts are copied, so temporaries may
// be bound.
class Statement {
  public:
    Statement(Prepared prepared, Prepared& slot) : prepared_(std::move(prepared)), slot_(slot) {}
    Statement(Statement&&) = default;
    ~Statement();

    Statement& bind(std::int64_t value);
    Statement& bind(int value) { return bind(std::int64_t{value}); }
    Statement& bind(bool value) { return bind(std::int64_t{value}); }
    Statement& bind(double value);
    Statement& bind(std::string_view value);
    Statement& bind(const char* value) { return bind(std::string_view(value)); }
    Statement& bind_null();
    // Binds NULL for 0 and for "".
    Statement& bind_or_null(std::int64_t value);
    Statement& bind_or_null(std::string_view value);

    bool writes() const;
    // Returns true if there is a row, false at the end.
    bool step();
    // For statements that return no rows.
    void run() { step(); }

    bool is_null(int column) const;
    std::int64_t integer(int column) const;  // 0 for NULL
    double real(int column) const;
    std::string text(int column) const;  // "" for NULL
    // Valid until the next step.
    std::string_view view(int column) const;

  private:
    void check(int code);
    Prepared prepared_;
    Prepared& slot_;
    int bound_ = 0;
};

// Reads the next column of the current row with each call, for rows of many columns.
class Row {
  public:
    explicit Row(const Statement& statement) : statement_(statement) {}
    std::int64_t integer() { return statement_.integer(column_++); }
    std::int64_t integer_or(std::int64_t none) {
        const int column = column_++;
        return statement_.is_null(column) ? none : statement_.integer(column);
    }
    double real_or(double none) {
        const int column = column_++;
        return statement_.is_null(column) ? none : statement_.real(column);
    }
    std::string text() { return statement_.text(column_++); }
    std::string_view view() { return statement_.view(column_++); }

  private:
    const Statement& statement_;
    int column_ = 0;
};

}  // namespace chorus::store
