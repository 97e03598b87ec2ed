#include "tools/line_search.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace chorus::tools {

std::size_t LineSearch::end_of_piece() const {
    if (text_.size() - at_ <= piece_bytes) return text_.size();
    const std::size_t newline = text_.substr(at_, piece_bytes).rfind('\n');
    return at_ + (newline == std::string_view::npos ? piece_bytes : newline + 1);
}

LineMatch LineSearch::line_around(std::size_t found) {
    const std::size_t start = text_.substr(0, found).rfind('\n') + 1;
    const std::size_t end = std::min(text_.find('\n', found), text_.size());
    const std::string_view passed = text_.substr(counted_to_, start - counted_to_);
    number_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
    counted_to_ = start;
    at_ = end + 1;
    return {number_, text_.substr(start, end - start), found - start};
}

std::optional<LineMatch> LineSearch::next() {
    const re2::StringPiece whole(text_.data(), text_.size());
    while (at_ < text_.size() && !is_late_()) {
        const std::size_t end = end_of_piece();
        re2::StringPiece match;
        if (pattern_.Match(whole, at_, end, RE2::UNANCHORED, &match, 1)) {
            const auto found = static_cast<std::size_t>(match.data() - text_.data());
            // An empty match after the last newline is on no line.
            if (found == text_.size() && text_.back() == '\n') return std::nullopt;
            return line_around(found);
        }
        at_ = end == text_.size() || text_[end - 1] == '\n' ? end : end - overlap_bytes;
    }
    return std::nullopt;
}

}  // namespace chorus::tools
