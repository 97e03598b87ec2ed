// Rows of fields: on a terminal columns that stand under each other, elsewhere a tab between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace chorus::cli {

enum class Align { left, right };

struct Column {
    std::string heading;
    Align align = Align::left;
    bool gives_way = false;  // cut first where a line would not fit
};

class Table {
  public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // One a column, each one line of visible text.
    void add(std::vector<std::string> fields) { rows_.push_back(std::move(fields)); }
    bool empty() const { return rows_.empty(); }

    // A heading, and a line a row; none is wider than `width`, what is cut off shows as "…".
    std::vector<std::string> lines(std::size_t width) const;
    // A line a row, an empty field as "-".
    std::vector<std::string> fields() const;

  private:
    std::vector<std::size_t> widths(std::size_t most) const;
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// With a tab between them, an empty one as "-".
std::string tabbed(const std::vector<std::string>& fields);
// Filled up with blanks to that width.
std::string padded(std::string text, std::size_t width);

}  // namespace chorus::cli
