// Describes a stored type once: the columns of its table, the members that hold them, and what NULL
// stands for. Every statement that reads or writes the type follows from that. Include it in .cpp
// files only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/enum_names.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {

// How a column holds a member, which read() takes from the column with that number, leaving the
// number of the next one: as it is, ...
struct AsItIs {
    template <typename Value>
    void bind(Statement& statement, const Value& value) const {
        statement.bind(value);
    }
    template <typename Value>
    void read(const Statement& statement, int& column, Value& value) const {
        value = statement.get<Value>(column++);
    }
};

// ... with NULL for `none`, or ...
template <typename None>
struct NullIs {
    None none;

    template <typename Value>
    void bind(Statement& statement, const Value& value) const {
        value == none ? statement.bind(std::nullopt) : statement.bind(value);
    }
    template <typename Value>
    void read(const Statement& statement, int& column, Value& value) const {
        value = statement.is_null(column) ? Value(none) : statement.get<Value>(column);
        ++column;
    }
};
template <typename None>
NullIs(None) -> NullIs<None>;

// ... by its name; `what` is for the error about an unknown one.
template <typename Enum, std::size_t count>
struct ByName {
    const base::EnumNames<Enum, count>& names;
    std::string_view what;

    void bind(Statement& statement, Enum value) const { statement.bind(names.name(value)); }
    void read(const Statement& statement, int& column, Enum& value) const {
        value = names.require(statement.view(column++), what);
    }
};
template <typename Enum, std::size_t count>
ByName(const base::EnumNames<Enum, count>&, std::string_view) -> ByName<Enum, count>;

enum class Written { always, on_insert, never };

template <typename Member, typename Form>
struct Column {
    std::string_view name;
    Member member;  // what std::invoke() takes: a pointer to it, or a function
    Form form;
    Written written;
};

template <typename Member, typename Form = AsItIs>
constexpr auto column(std::string_view name, Member member, Form form = {}) {
    return Column<Member, Form>{name, member, form, Written::always};
}
// Says which row it is: update() leaves it alone.
template <typename Member, typename Form = AsItIs>
constexpr auto key(std::string_view name, Member member, Form form = {}) {
    return Column<Member, Form>{name, member, form, Written::on_insert};
}
// A column, or an SQL expression, that only other statements write.
template <typename Member, typename Form = AsItIs>
constexpr auto read_only(std::string_view name, Member member, Form form = {}) {
    return Column<Member, Form>{name, member, form, Written::never};
}

// The member of a member.
template <typename Outer, typename Inner>
constexpr auto in(Outer outer, Inner inner) {
    return [=](auto& row) -> auto& {
        return std::invoke(inner, std::invoke(outer, row));
    };
}

// The table, how a FROM names it, and what holds for each row that is read; with such a condition
// every `rest` begins with WHERE.
template <typename Type>
struct Source {
    std::string_view table;
    std::string_view from = table;
    std::string_view condition = {};
};

template <typename Type, typename... Columns>
class Table {
  public:
    explicit constexpr Table(Source<Type> source, Columns... columns)
        : source_(source), columns_(columns...) {}

    // "SELECT COLUMNS FROM TABLE REST"
    std::string select(std::string_view rest) const {
        std::string text = "SELECT " + names(Written::never).append(" FROM ").append(source_.from);
        if (!source_.condition.empty()) {
            text.append(" WHERE").append(source_.condition).append("AND");
            rest.remove_prefix(std::string_view("WHERE").size());
        }
        return text.append(" ").append(rest);
    }
    // Reads the columns of select(), of which the first one is `column`.
    Type read(const Statement& statement, int column = 0) const {
        Type row;
        each([&](const auto& one) {
            one.form.read(statement, column, std::invoke(one.member, row));
        });
        return row;
    }
    // The first row of select(rest), or all of them.
    template <typename... Values>
    std::optional<Type> find(Store& store, std::string_view rest, const Values&... values) const {
        Statement statement = store.prepare(select(rest));
        if (!statement.bind(values...).step()) return std::nullopt;
        return read(statement);
    }
    template <typename... Values>
    std::vector<Type> all(Store& store, std::string_view rest, const Values&... values) const {
        const auto read_row = [this](const Statement& row) { return read(row); };
        return query_all(store, select(rest), read_row, values...);
    }

    void insert(Store& store, const Type& row, std::string_view verb = "INSERT") const {
        Statement statement = store.prepare(
            std::string(verb) + " INTO " + std::string(source_.table) + " (" +
            names(Written::on_insert) + ") VALUES (" + marks(Written::on_insert) + ")");
        bind(statement, row, Written::on_insert);
        statement.run();
    }
    // Writes the rows of the table for which `where` holds.
    template <typename... Values>
    void update(Store& store, const Type& row, std::string_view where,
                const Values&... values) const {
        Statement statement = store.prepare(
            "UPDATE " + std::string(source_.table) + " SET (" + names(Written::always) + ") = (" +
            marks(Written::always) + ") WHERE " + std::string(where));
        bind(statement, row, Written::always);
        statement.bind(values...).run();
    }

  private:
    template <typename Use>
    void each(Use use) const {
        std::apply([&](const auto&... column) { (use(column), ...); }, columns_);
    }

    // The names of the columns that are written so often or more often.
    std::string names(Written written) const {
        std::string list;
        list.reserve(longest_list);
        each([&](const auto& column) {
            if (column.written > written) return;
            if (!list.empty()) list += ", ";
            list += column.name;
        });
        return list;
    }
    std::string marks(Written written) const {
        std::string list;
        each([&](const auto& column) {
            if (column.written <= written) list += list.empty() ? "?" : ", ?";
        });
        return list;
    }
    void bind(Statement& statement, const Type& row, Written written) const {
        each([&](const auto& column) {
            if (column.written <= written)
                column.form.bind(statement, std::invoke(column.member, row));
        });
    }

    static constexpr std::size_t longest_list = 500;

    Source<Type> source_;
    std::tuple<Columns...> columns_;
};

}  // namespace chorus::store
