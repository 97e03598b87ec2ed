#include "cli/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "base/text.hpp"
#include "base/width.hpp"
#include "chat/dialect.hpp"
#include "cli/field.hpp"
#include "cli/time_text.hpp"

namespace chorus::cli {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least = 8;  // width of a column that gives way

// Writes the members and ends the object.
std::string ended(chat::JsonText& out, const Fields& fields) {
    for (const Field& field : fields)
        if (field.is_in_json) field.value.write(out, field.key);
    return out.end_object().take();
}

std::string object_of(const Fields& fields) {
    chat::JsonText out;
    return ended(out.begin_object(), fields);
}

}  // namespace

Form form_of_stdout(bool json) {
    if (json) return Form::json;
    return isatty(STDOUT_FILENO) == 1 ? Form::terminal : Form::plain;
}

Value::Value(const Fields& object) : value_(Json{object_of(object)}) {}

Value::Value(const std::vector<Fields>& objects) {
    chat::JsonText out;
    out.begin_array();
    for (const Fields& object : objects) out.raw(object_of(object));
    value_ = Json{out.end_array().take()};
}

Value::Value(const std::vector<std::string>& texts) {
    chat::JsonText out;
    out.begin_array();
    for (const std::string& text : texts) out.string(text);
    value_ = Json{out.end_array().take()};
}

void Value::write(chat::JsonText& out, std::string_view key) const {
    if (const auto* member = std::get_if<Member>(&value_)) return (*member)(out);
    if (const auto* text = std::get_if<std::string>(&value_))
        return chat::write_text(out, key, *text);
    if (const auto* time = std::get_if<Time>(&value_)) return chat::write_time(out, key, time->ms);
    if (const auto* json = std::get_if<Json>(&value_))
        return chat::write_json(out, key, json->text);
    out.key(key);
    if (const auto* truth = std::get_if<bool>(&value_))
        out.boolean(*truth);
    else if (const auto* number = std::get_if<std::int64_t>(&value_))
        out.number(*number);
    else
        out.null();
}

std::string Value::text(Form form) const {
    if (const auto* text = std::get_if<std::string>(&value_)) return one_line(*text);
    if (const auto* number = std::get_if<std::int64_t>(&value_)) return std::to_string(*number);
    const auto* time = std::get_if<Time>(&value_);
    if (time == nullptr || time->ms == 0) return {};
    return form == Form::terminal ? ago(time->ms) : base::iso8601(time->ms);
}

Value number(std::int64_t value, std::int64_t none) {
    return value == none ? Value() : Value(value);
}

Field shown(std::string_view key, std::string text) {
    return {key, {}, std::move(text), false};
}

std::string json(std::string_view schema, const Fields& fields) {
    chat::JsonText out = chat::open_object(schema);
    return ended(out, fields);
}

void print(bool json, std::string_view schema, const Fields& fields, std::string_view text) {
    std::cout << (json ? cli::json(schema, fields) : std::string(text)) << '\n';
}

std::string padded(std::string text, std::size_t width) {
    const std::size_t own = base::display_width(text);
    if (own < width) text.append(width - own, ' ');
    return text;
}

std::string tabbed(std::vector<std::string> fields, std::string_view none) {
    for (std::string& field : fields)
        if (field.empty()) field = none;
    return base::join(fields, "\t");
}

std::vector<std::string> Table::cells(const Fields& row, Form form) const {
    std::vector<std::string> cells;
    for (const Column& column : columns_) {
        const auto field = std::find_if(row.begin(), row.end(),
                                        [&](const Field& one) { return one.key == column.key; });
        if (field == row.end()) break;
        cells.push_back(field->shown.empty() ? field->value.text(form) : field->shown);
    }
    return cells;
}

// Narrows the widest column that gives way, until a line fits.
std::vector<std::size_t> Table::widths(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t most) const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_)
        widths.push_back(std::max(column.width, base::display_width(column.heading)));
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], base::display_width(row[i]));
    std::size_t whole = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
    for (; whole > most; --whole) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (columns_[i].fit == Fit::gives_way &&
                (widest == widths.size() || widths[i] > widths[widest]))
                widest = i;
        if (widest == widths.size() || widths[widest] <= least) break;
        --widths[widest];
    }
    return widths;
}

std::string Table::aligned(const std::vector<std::string>& cells,
                           const std::vector<std::size_t>& widths) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = base::cut_to_width(cells[i], widths[i]);
        if (i > 0) line.append(gap, ' ');
        if (columns_[i].fit == Fit::right)
            line.append(widths[i] - base::display_width(cell), ' ').append(cell);
        else
            line += padded(cell, widths[i]);
    }
    return line.erase(line.find_last_not_of(' ') + 1);
}

std::vector<std::string> Table::lines(const std::vector<Fields>& rows, Form form,
                                      std::size_t width) const {
    std::vector<std::string> lines;
    if (form != Form::terminal) {
        for (const Fields& row : rows) lines.push_back(line(row, form));
        return lines;
    }
    std::vector<std::vector<std::string>> all;
    for (const Fields& row : rows) all.push_back(cells(row, form));
    const auto wide = widths(all, width);
    std::vector<std::string> headings;
    for (const Column& column : columns_) headings.emplace_back(column.heading);
    if (base::join(headings, "") != "") all.insert(all.begin(), headings);
    for (const auto& row : all) lines.push_back(base::cut_to_width(aligned(row, wide), width));
    return lines;
}

std::string Table::line(const Fields& row, Form form) const {
    if (form == Form::json) return json(schema_, row);
    const auto fields = cells(row, form);
    return form == Form::plain ? tabbed(fields, none_)
                               : aligned(fields, widths({fields}, std::string::npos));
}

void Table::print(const std::vector<Fields>& rows, Form form) const {
    for (const std::string& line : lines(rows, form)) std::cout << line << '\n';
}

}  // namespace chorus::cli
