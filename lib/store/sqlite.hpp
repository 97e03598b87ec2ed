// SQLite's C interface, used only inside store/: statements, queries, and the translation of its
// errors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/handle.hpp"
#include "store/store.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace chorus::store {

// Throws the Error for an SQLite error code: Error(failed), with a hint if something can be done.
[[noreturn]] void throw_error(sqlite3* database, int code);

// From now on a statement of the connection that takes long throws Error(canceled) when `stop`,
// which must live as long as the connection, returns true. Without a function nothing changes.
void stop_when(sqlite3* database, const Stop& stop);

// The newest id that was given to a message. The row of sqlite_sequence, a table that SQLite makes
// for AUTOINCREMENT, counts those of messages that are gone, and those that an import has taken.
inline constexpr std::string_view newest_given_id =
    "SELECT max(ifnull((SELECT max(id) FROM messages), 0), "
    "ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0))";

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
// One use of a prepared statement. Values are bound in the order of the SQL's parameters. The
// destructor resets the statement and returns it to its slot, if it has one. Texts are copied, so
// temporaries may be bound.
class Statement {
  public:
    explicit Statement(Prepared prepared, Prepared* slot = nullptr)
        : prepared_(std::move(prepared)), slot_(slot) {}
    Statement(Statement&&) = default;
    ~Statement();

    // Binds the values to the next parameters; an empty optional is NULL.
    template <typename... Values>
    Statement& bind(const Values&... values) {
        (bind_next(values), ...);
        return *this;
    }

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
    template <typename Value>
    Value get(int column) const {
        if constexpr (std::is_same_v<Value, std::string>)
            return text(column);
        else if constexpr (std::is_floating_point_v<Value>)
            return real(column);
        else
            return static_cast<Value>(integer(column));
    }

  private:
    void check(int code);
    void bind_next(std::nullopt_t null);
    void bind_next(std::int64_t value);
    void bind_next(int value) { bind_next(std::int64_t{value}); }
    void bind_next(bool value) { bind_next(std::int64_t{value}); }
    void bind_next(double value);
    void bind_next(std::string_view value);
    void bind_next(const char* value) { bind_next(std::string_view(value)); }
    template <typename Value>
    void bind_next(const std::optional<Value>& value) {
        value ? bind_next(*value) : bind_next(std::nullopt);
    }

    Prepared prepared_;
    Prepared* slot_;
    int bound_ = 0;
};

// NULL for 0 and for "".
inline std::optional<std::int64_t> or_null(std::int64_t value) {
    return value == 0 ? std::nullopt : std::optional(value);
}
inline std::optional<std::string_view> or_null(std::string_view value) {
    return value.empty() ? std::nullopt : std::optional(value);
}

// The following take a store, whose statements are kept for the next use, or an SQLite handle.
inline Statement statement(Store& store, std::string_view sql) {
    return store.prepare(sql);
}
inline Statement statement(sqlite3* database, std::string_view sql) {
    return Statement(prepare(database, sql));
}

// Runs a statement that returns no rows. Returns how many rows it changed.
template <typename... Values>
std::int64_t run(Store& store, std::string_view sql, const Values&... values) {
    store.prepare(sql).bind(values...).run();
    return store.changed_rows();
}

// No id up to this one is given to a message again.
template <typename From>
void keep_message_id(From&& from, std::int64_t id) {
    statement(from,
              "INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 0 WHERE NOT EXISTS "
              "(SELECT 1 FROM sqlite_sequence WHERE name = 'messages')")
        .run();
    statement(from, "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'messages' AND seq < ?1")
        .bind(id)
        .run();
}

template <typename From, typename... Values>
bool has_row(From&& from, std::string_view sql, const Values&... values) {
    return statement(from, sql).bind(values...).step();
}

// Returns the first column of the first row; 0 or "" if there is no row.
template <typename From, typename... Values>
std::int64_t query_integer(From&& from, std::string_view sql, const Values&... values) {
    Statement row = statement(from, sql);
    return row.bind(values...).step() ? row.integer(0) : 0;
}
template <typename From, typename... Values>
std::string query_text(From&& from, std::string_view sql, const Values&... values) {
    Statement row = statement(from, sql);
    return row.bind(values...).step() ? row.text(0) : std::string();
}

// Returns what `read` makes of each row.
template <typename From, typename Read, typename... Values>
auto query_all(From&& from, std::string_view sql, Read read, const Values&... values) {
    Statement row = statement(from, sql);
    row.bind(values...);
    std::vector<decltype(read(row))> all;
    while (row.step()) all.push_back(read(row));
    return all;
}
// Returns the first column of each row.
template <typename From, typename... Values>
std::vector<std::int64_t> query_integers(From&& from, std::string_view sql,
                                         const Values&... values) {
    return query_all(
        from, sql, [](const Statement& row) { return row.integer(0); }, values...);
}
template <typename From, typename... Values>
std::vector<std::string> query_texts(From&& from, std::string_view sql, const Values&... values) {
    return query_all(
        from, sql, [](const Statement& row) { return row.text(0); }, values...);
}

}  // namespace chorus::store
