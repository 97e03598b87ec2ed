#include "cli/table.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "base/width.hpp"

namespace chorus::cli {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least = 8;  // width of a column that may be narrowed

// Narrows the widest column that may be narrowed, until the line fits.
void narrow(std::vector<std::size_t>& widths, const std::vector<bool>& gives_way,
            std::size_t too_much) {
    while (too_much > 0) {
        std::size_t widest = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (gives_way[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
        if (widest == widths.size() || widths[widest] <= least) return;
        --widths[widest];
        --too_much;
    }
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
    const std::size_t own = base::display_width(text);
    if (own < width) text.append(width - own, ' ');
    return text;
}

std::string tabbed(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        if (&field != &fields.front()) line += '\t';
        line += field.empty() ? "-" : field;
    }
    return line;
}

std::vector<std::size_t> Table::widths(std::size_t most) const {
    std::vector<std::size_t> widths;
    std::vector<bool> gives_way;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        widths.push_back(base::display_width(columns_[i].heading));
        for (const auto& row : rows_) widths[i] = std::max(widths[i], base::display_width(row[i]));
        gives_way.push_back(columns_[i].gives_way);
    }
    const std::size_t whole =
        std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
    narrow(widths, gives_way, whole > most ? whole - most : 0);
    return widths;
}

std::vector<std::string> Table::lines(std::size_t width) const {
    const auto wide = widths(width);
    const auto line_of = [&](const auto& field_of) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string field = base::cut_to_width(field_of(i), wide[i]);
            if (i > 0) line.append(gap, ' ');
            if (columns_[i].align == Align::right)
                line.append(wide[i] - base::display_width(field), ' ');
            line += columns_[i].align == Align::right ? field : padded(field, wide[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        return base::cut_to_width(line, width);
    };
    std::vector<std::string> lines{line_of([&](std::size_t i) { return columns_[i].heading; })};
    for (const auto& row : rows_) lines.push_back(line_of([&](std::size_t i) { return row[i]; }));
    return lines;
}

std::vector<std::string> Table::fields() const {
    std::vector<std::string> lines;
    lines.reserve(rows_.size());
    for (const auto& row : rows_) lines.push_back(tabbed(row));
    return lines;
}

}  // namespace chorus::cli
