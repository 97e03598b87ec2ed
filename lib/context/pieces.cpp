#include "context/pieces.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace chorus::context {
namespace {

constexpr std::size_t shortest_fence = 3;
constexpr std::size_t longest_fence = 16;
constexpr std::size_t longest_fence_line = 200;  // a whole line is not read for every character
constexpr std::size_t longest_word = 24;

// A line that is a fence (CommonMark, section 4.5).
struct Fence {
    std::string marks;      // "```"
    std::string_view info;  // what follows them
};

std::optional<Fence> fence_at(std::string_view text, std::size_t at) {
    std::string_view line = text.substr(at, longest_fence_line);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent > 3 || indent == line.size()) return std::nullopt;
    if (line[indent] != '`' && line[indent] != '~') return std::nullopt;
    const std::size_t end = line.find('\n');
    if (end == std::string_view::npos && line.size() == longest_fence_line) return std::nullopt;
    line = line.substr(indent, end - indent);
    const char mark = line.front();
    const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
    if (length < shortest_fence || length > longest_fence) return std::nullopt;
    const std::string_view info = base::trim(line.substr(length));
    if (mark == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
    return Fence{std::string(length, mark), info};
}

bool closes(const Fence& fence, const Fence& open) {
    return fence.info.empty() && fence.marks.front() == open.marks.front() &&
           fence.marks.size() >= open.marks.size();
}

// "```cpp\n": the block's first word again, where it is one.
std::string opening_of(const Fence& open) {
    const std::string_view word = open.info.substr(0, open.info.find_first_of(" \t"));
    return open.marks + std::string(word.size() <= longest_word ? word : "") + "\n";
}

std::size_t bytes_of_character(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = bytes_of_character(static_cast<unsigned char>(text[at]));
        units += bytes == 4 ? 2 : 1;
        at += bytes;
    }
    return units;
}

// The better ones first.
enum class Border { paragraph, line, code_line, word, character, count };

struct Cut {
    std::size_t at = 0;     // 0: there is none
    std::size_t units = 0;  // of the piece before it
    std::optional<Fence> open = {};
};

class Splitter {
  public:
    Splitter(std::string_view text, std::size_t most) : text_(text), most_(most) {}

    std::vector<Piece> split() {
        while (at_ < text_.size()) pieces_.push_back(next());
        return std::move(pieces_);
    }

  private:
    Piece next() {
        Piece piece;
        if (open_) piece.opening = opening_of(*open_);
        if (fits_whole(piece.opening.size())) {
            piece.text = text_.substr(at_);
            at_ = text_.size();
            return piece;
        }
        const Cut cut = best_cut(piece.opening.size());
        piece.text = text_.substr(at_, cut.at - at_);
        if (cut.open) piece.closing = closing(*cut.open, cut.at);
        at_ = cut.at;
        open_ = cut.open;
        return piece;
    }

    bool fits_whole(std::size_t opening_units) const {
        // longer in bytes than any text that fits
        if (text_.size() - at_ > 3 * most_) return false;
        return opening_units + utf16_length(text_.substr(at_)) <= most_;
    }

    std::string closing(const Fence& open, std::size_t at) const {
        return (text_[at - 1] == '\n' ? "" : "\n") + open.marks;
    }

    // Past each border that leaves a piece short enough, the last of each kind is kept.
    Cut best_cut(std::size_t opening_units) {
        std::fill(std::begin(cuts_), std::end(cuts_), Cut{});
        std::optional<Fence> open = open_;
        std::size_t units = opening_units;
        bool at_line_start = is_line_start(at_);
        for (std::size_t at = at_; units <= most_ && at < text_.size();) {
            if (at > at_) consider(at, units, open);
            if (at_line_start) follow(at, open);
            const std::size_t bytes = bytes_of_character(static_cast<unsigned char>(text_[at]));
            units += bytes == 4 ? 2 : 1;
            at_line_start = text_[at] == '\n';
            at += bytes;
        }
        return choose();
    }

    bool is_line_start(std::size_t at) const { return at == 0 || text_[at - 1] == '\n'; }

    void follow(std::size_t at, std::optional<Fence>& open) {
        const auto fence = fence_at(text_, at);
        if (!fence) return;
        if (!open) {
            open = fence;
            block_begins_ = text_.find('\n', at) + 1;
        } else if (closes(*fence, *open)) {
            open.reset();
        }
    }

    // `open` is what is open before the line that begins at `at`; within a line, the line's own
    // fence included.
    void consider(std::size_t at, std::size_t units, const std::optional<Fence>& open) {
        const bool within_line = !is_line_start(at);
        const auto ahead = fence_at(text_, at);
        // it would look like a fence there, or leave an empty block on either side
        if (ahead && (within_line || (open && closes(*ahead, *open)))) return;
        if (open && at == block_begins_) return;
        const std::size_t closing_units = open ? closing(*open, at).size() : 0;
        if (units + closing_units > most_) return;
        const Border kind = kind_of(at, within_line, open.has_value());
        cuts_[static_cast<std::size_t>(kind)] = {at, units, open};
    }

    Border kind_of(std::size_t at, bool within_line, bool in_code) const {
        if (within_line) return text_[at - 1] == ' ' ? Border::word : Border::character;
        if (in_code) return Border::code_line;
        return at >= 2 && text_[at - 2] == '\n' ? Border::paragraph : Border::line;
    }

    // A good border is worth a shorter piece, but not one of a few lines.
    Cut choose() const {
        constexpr std::size_t shares[]{2, 2, 4, 4};  // half of what is allowed, a quarter
        for (std::size_t kind = 0; kind < std::size(shares); ++kind)
            if (cuts_[kind].at != 0 && cuts_[kind].units >= most_ / shares[kind])
                return cuts_[kind];
        const auto furthest = [](const Cut& one, const Cut& other) { return one.at < other.at; };
        return *std::max_element(std::begin(cuts_), std::end(cuts_), furthest);
    }

    std::string_view text_;
    std::size_t most_;
    std::size_t at_ = 0;
    std::optional<Fence> open_;  // the block that the next piece is in
    std::size_t block_begins_ = 0;
    Cut cuts_[static_cast<std::size_t>(Border::count)];
    std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> split_text(std::string_view text, std::size_t most) {
    return Splitter(text, most).split();
}

}  // namespace chorus::context
