// Rows of fields: in aligned columns on a terminal, elsewhere separated by tabs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace chorus::cli {

enum class Align { left, right };

struct Column {
    std::string heading;
    Align align = Align::left;
    bool gives_way = false;  // narrowed first if a line would not fit
};

class Table {
  public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // One field per column, each one line of visible text.
    void add(std::vector<std::string> fields) { rows_.push_back(std::move(fields)); }
    bool empty() const { return rows_.empty(); }

    // Returns a heading and a line per row, none wider than `width`; "…" marks what was cut.
    std::vector<std::string> lines(std::size_t width) const;
    // Returns a line per row; see tabbed().
    std::vector<std::string> fields() const;

  private:
    std::vector<std::size_t> widths(std::size_t most) const;
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// Joins fields with tabs; an empty field is "-".
std::string tabbed(const std::vector<std::string>& fields);
// Pads with blanks to that width.
std::string padded(std::string text, std::size_t width);

}  // namespace chorus::cli
