// A program describes what it prints by a list of fields: the members of a JSON object, the fields
// of a line, the cells of a row in a table.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "chat/json_text.hpp"

namespace chorus::cli {

// The form of the output.
enum class Form { terminal, plain, json };
Form form_of_stdout(bool json);

struct Field;
using Fields = std::vector<Field>;

struct Time {
    base::TimeMs ms = 0;
};
struct Json {
    std::string text;
};
// Writes a member itself, with its key. Called when the object is printed.
using Member = std::function<void(chat::JsonText&)>;

class Value {
  public:
    Value() = default;
    Value(bool truth) : value_(truth) {}
    template <std::integral Number>
    Value(Number number) : value_(static_cast<std::int64_t>(number)) {}
    Value(std::string text) : value_(std::move(text)) {}
    Value(std::string_view text) : value_(std::string(text)) {}
    Value(const char* text) : value_(std::string(text)) {}
    Value(Time time) : value_(time) {}
    Value(Json json) : value_(std::move(json)) {}
    Value(Member member) : value_(std::move(member)) {}
    Value(const Fields& object);
    Value(const std::vector<Fields>& objects);
    Value(const std::vector<std::string>& texts);

    // Writes the member: null without a value, for "" and for time 0.
    void write(chat::JsonText& out, std::string_view key) const;
    // Returns it as a field of a line: a time is "5 min ago" on a terminal, else ISO 8601.
    std::string text(Form form) const;

  private:
    std::variant<std::monostate, bool, std::int64_t, std::string, Time, Json, Member> value_;
};
// Returns no value if the number equals `none`.
Value number(std::int64_t value, std::int64_t none);

struct Field {
    std::string_view key;
    Value value;
    std::string shown = {};  // what a line has instead of the value, as it is to be printed
    bool is_in_json = true;
};
// A field that only lines have.
Field shown(std::string_view key, std::string text);

template <typename Row, typename FieldsOf>
std::vector<Fields> each(const std::vector<Row>& rows, FieldsOf fields_of) {
    std::vector<Fields> all;
    for (const Row& row : rows) all.push_back(fields_of(row));
    return all;
}

// Returns an object of that schema (chorus-json(7)).
std::string json(std::string_view schema, const Fields& fields);
// Prints the object with `json`, otherwise the text.
void print(bool json, std::string_view schema, const Fields& fields, std::string_view text);

enum class Fit {
    left,
    right,
    gives_way
};  // to the left and narrowed first if a line would not fit

struct Column {
    std::string_view key;
    std::string_view heading = {};
    Fit fit = Fit::left;
    std::size_t width = 0;  // at least
};

// Prints rows as JSON objects, in aligned columns, or with a tab between fields. A line ends before
// the first column whose field the row has not.
class Table {
  public:
    Table(std::string_view schema, std::vector<Column> columns, std::string_view none = "-")
        : schema_(schema), columns_(std::move(columns)), none_(none) {}

    // Returns a line per row; on a terminal below the headings, if there are any, and none wider
    // than `width`: "…" marks what was cut.
    std::vector<std::string> lines(const std::vector<Fields>& rows, Form form,
                                   std::size_t width = std::string::npos) const;
    // Returns the line of a row that stands alone.
    std::string line(const Fields& row, Form form) const;
    void print(const std::vector<Fields>& rows, Form form) const;

  private:
    std::vector<std::string> cells(const Fields& row, Form form) const;
    std::vector<std::size_t> widths(const std::vector<std::vector<std::string>>& rows,
                                    std::size_t most) const;
    std::string aligned(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const;

    std::string_view schema_;
    std::vector<Column> columns_;
    std::string_view none_;  // an empty field between tabs
};

// Joins fields with tabs; an empty field is `none`.
std::string tabbed(std::vector<std::string> fields, std::string_view none = "-");
// Pads with blanks to that width.
std::string padded(std::string text, std::size_t width);

}  // namespace chorus::cli
