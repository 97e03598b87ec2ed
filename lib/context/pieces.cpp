#include "context/pieces.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace chorus::context {
namespace {

constexpr std::size_t shortest_fence = 3;
constexpr std::size_t longest_fence = 16;
constexpr std::size_t longest_fence_line = 200;  // bounds what is read for every character
constexpr std::size_t longest_word = 24;

// A line that is a fence (CommonMark, section 4.5).
struct Fence {
    std::string marks;      // "```"
    std::string_view info;  // what follows them
};

// Where its marks begin, and how many there are.
struct Marks {
    std::size_t at = 0;
    std::size_t count = 0;
};

Marks marks_at(std::string_view text, std::size_t at) {
    const std::size_t begin = std::min(text.find_first_not_of(' ', at), text.size());
    if (begin - at > 3 || begin == text.size()) return {};
    const char mark = text[begin];
    if (mark != '`' && mark != '~') return {};
    return {begin, std::min(text.find_first_not_of(mark, begin), text.size()) - begin};
}

// Whether a fence may begin there, judged without the rest of its line.
bool looks_like_fence(std::string_view text, std::size_t at) {
    return marks_at(text.substr(0, at + longest_fence_line), at).count >= shortest_fence;
}

std::optional<Fence> fence_at(std::string_view text, std::size_t at) {
    const std::string_view head = text.substr(at, longest_fence_line);
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && head.size() == longest_fence_line) return std::nullopt;
    const std::string_view line = head.substr(0, end);
    const Marks marks = marks_at(line, 0);
    if (marks.count < shortest_fence || marks.count > longest_fence) return std::nullopt;
    const std::string_view info = base::trim(line.substr(marks.at + marks.count));
    const char mark = line[marks.at];
    if (mark == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
    return Fence{std::string(marks.count, mark), info};
}

bool closes(const Fence& fence, const Fence& open) {
    return fence.info.empty() && fence.marks.front() == open.marks.front() &&
           fence.marks.size() >= open.marks.size();
}

// Returns the line that reopens a block, with the first word of its info if usable: "```cpp\n".
std::string opening_of(const Fence& open) {
    const std::string_view word = open.info.substr(0, open.info.find_first_of(" \t"));
    const bool is_usable =
        word.size() <= longest_word && word.find_first_of("`~") == std::string_view::npos;
    return open.marks + std::string(is_usable ? word : "") + "\n";
}

std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = base::decode(text.substr(at)).size;
        units += bytes == 4 ? 2 : 1;
        at += bytes;
    }
    return units;
}

using Open = std::optional<Fence>;

// Returns the block open after a line, given the one open before it.
Open after_line(std::string_view text, std::size_t at, const Open& before) {
    const auto fence = looks_like_fence(text, at) ? fence_at(text, at) : std::nullopt;
    if (!fence) return before;
    if (!before) return fence;
    return closes(*fence, *before) ? std::nullopt : before;
}

// In order of preference. At `anywhere` a part of a line would look like a fence, or a block would
// be left empty.
enum class Border { paragraph, line, code_line, word, character, anywhere, count };

struct Cut {
    std::size_t at = 0;     // 0: there is none
    std::size_t units = 0;  // of the piece before it
    Open closed = {};       // the block that the piece leaves open
    Open reopened = {};     // the block that is open in the text
};

struct Line {
    std::size_t begin = 0;
    Open before = {};
    Open after = {};
    bool begins_block = false;  // the line before it opened one
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
        if (cut.closed) piece.closing = closing(*cut.closed, cut.at);
        at_ = cut.at;
        open_ = cut.reopened;
        return piece;
    }

    bool fits_whole(std::size_t opening_units) const {
        // more bytes than any text that fits
        if (text_.size() - at_ > 3 * most_) return false;
        return opening_units + utf16_length(text_.substr(at_)) <= most_;
    }

    std::string closing(const Fence& open, std::size_t at) const {
        return (text_[at - 1] == '\n' ? "" : "\n") + open.marks;
    }

    // Finds, for each kind of border, the last one that leaves a piece short enough, and chooses
    // among them.
    Cut best_cut(std::size_t opening_units) {
        cuts_.fill({});
        Line line{at_, open_, open_};
        std::size_t units = opening_units;
        for (std::size_t at = at_; units <= most_ && at < text_.size();) {
            if (is_line_start(at))
                line = {at, line.after, after_line(text_, at, line.after),
                        !line.before && line.after};
            if (at > at_) consider(at, units, line);
            const std::size_t bytes = base::decode(text_.substr(at)).size;
            units += bytes == 4 ? 2 : 1;
            at += bytes;
        }
        return choose();
    }

    bool is_line_start(std::size_t at) const { return at == 0 || text_[at - 1] == '\n'; }

    void consider(std::size_t at, std::size_t units, const Line& line) {
        Cut cut{at, units, line.before, line.before};
        if (!is_line_start(at)) {
            cut.reopened = line.after;
            // the visible part of a cut line may look different from the whole line
            cut.closed = after_line(text_.substr(0, at), line.begin, line.before);
        }
        if (cut.closed) units += closing(*cut.closed, at).size();
        if (units <= most_) cuts_[static_cast<std::size_t>(kind_of(at, line))] = std::move(cut);
    }

    Border kind_of(std::size_t at, const Line& line) const {
        if (!is_line_start(at)) {
            if (looks_like_fence(text_, at)) return Border::anywhere;
            return text_[at - 1] == ' ' ? Border::word : Border::character;
        }
        // a cut here would leave an empty block on one side
        if (line.before && (line.begins_block || !line.after)) return Border::anywhere;
        if (line.before) return Border::code_line;
        return at >= 2 && text_[at - 2] == '\n' ? Border::paragraph : Border::line;
    }

    // Prefers a better border to a longer piece, unless the piece would be very short.
    Cut choose() const {
        constexpr std::array<std::size_t, 4> shares{2, 2, 4, 4};  // half of the limit, …
        for (std::size_t kind = 0; kind < shares.size(); ++kind)
            if (cuts_[kind].at != 0 && cuts_[kind].units >= most_ / shares[kind])
                return cuts_[kind];
        const Cut& anywhere = cuts_[static_cast<std::size_t>(Border::anywhere)];
        const Cut& furthest =
            *std::max_element(cuts_.begin(), cuts_.end() - 1,
                              [](const Cut& one, const Cut& other) { return one.at < other.at; });
        return furthest.at != 0 ? furthest : anywhere;
    }

    std::string_view text_;
    std::size_t most_;
    std::size_t at_ = 0;
    Open open_;  // the block that the next piece is in
    std::array<Cut, static_cast<std::size_t>(Border::count)> cuts_;
    std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> split_text(std::string_view text, std::size_t most) {
    return Splitter(text, most).split();
}

}  // namespace chorus::context
