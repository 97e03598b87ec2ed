#include "policy/key_shapes.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "base/text.hpp"

namespace chorus::embedded {
extern const std::string_view policy_keys;
}

namespace chorus::policy {
namespace {

constexpr auto none = std::string_view::npos;

re2::StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

// A line of data/keys.txt, which says what it means. Compiled when a text first has its beginning.
class Shape {
  public:
    explicit Shape(std::string_view line) : fields_(base::split(line, ' ')) {
        if (once_a_run_) fields_[1].remove_prefix(1);
    }

    std::string_view beginning() const { return fields_[1]; }

    std::optional<Finding> match(std::string_view text, std::size_t at) const {
        const std::string_view head = text.substr(at, beginning().size());
        if (head != beginning() && !(any_case_ && base::to_lower_ascii(head) == beginning()))
            return std::nullopt;
        if (once_a_run_ && at > 0 && text[at - 1] == '-') return std::nullopt;
        const RE2& whole = *compiled().front();
        re2::StringPiece found[2];
        const int group = whole.NumberOfCapturingGroups();
        if (!whole.Match(piece(text), at, text.size(), RE2::ANCHOR_START, found, group + 1))
            return std::nullopt;
        for (std::size_t i = 1; i < compiled().size(); ++i)
            if (!RE2::PartialMatch(found[group], *compiled()[i])) return std::nullopt;
        const auto begin = static_cast<std::size_t>(found[group].data() - text.data());
        return Finding{begin, begin + found[group].size(), fields_[0]};
    }

  private:
    const std::vector<std::unique_ptr<const RE2>>& compiled() const {
        std::call_once(once_, [&] {
            for (std::size_t i = 2; i < fields_.size(); ++i)
                compiled_.push_back(std::make_unique<RE2>(piece(fields_[i]), RE2::Latin1));
        });
        return compiled_;
    }

    std::vector<std::string_view> fields_;
    bool once_a_run_ = fields_[1].starts_with('^');
    bool any_case_ = fields_[2].starts_with("(?i)");
    mutable std::once_flag once_;
    mutable std::vector<std::unique_ptr<const RE2>> compiled_;
};

constexpr std::string_view pem_header = "-----BEGIN ";
constexpr std::string_view pem_footer = "-----END ";
constexpr std::string_view dashes = "-----";

std::size_t pair_of(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8U |
           static_cast<unsigned char>(second);
}

struct Shapes {
    std::deque<Shape> all;
    // Which two bytes one can begin with: one look-up for each byte of plain text.
    std::bitset<1U << 16U> beginnings;

    Shapes() {
        for (const std::string_view line : base::split_lines(embedded::policy_keys))
            if (!line.empty() && line.front() != '#') add(all.emplace_back(line).beginning());
        add(pem_header);
    }

    void add(std::string_view beginning) {
        for (const char first : {beginning[0], static_cast<char>(std::toupper(beginning[0]))})
            for (const char second : {beginning[1], static_cast<char>(std::toupper(beginning[1]))})
                beginnings.set(pair_of(first, second));
    }
};

// "\nsk-…" in JSON has a letter before the key that belongs to the escape.
bool begins_word(std::string_view text, std::size_t at) {
    const auto is_letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    if (at == 0 || !is_letter(text[at - 1])) return true;
    return at > 1 && text[at - 2] == '\\' && std::string_view("nrt").find(text[at - 1]) != none;
}

// A whole block, or the beginning of one that was cut off; a mere mention has no body. `footer` is
// a place at or before the next footer: it is found once, however many headers stand before it.
std::optional<Finding> match_pem(std::string_view text, std::size_t at, std::size_t& footer) {
    constexpr std::size_t most_label = 64;
    constexpr std::size_t most_block = 16U << 10U;
    constexpr std::size_t most_line = 96;
    constexpr std::size_t least_body = 32;
    constexpr std::string_view body_characters =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.~+/=\r\n\\";
    if (!text.substr(at).starts_with(pem_header)) return std::nullopt;
    const std::size_t label = at + pem_header.size();
    const std::size_t label_end = text.substr(0, label + most_label).find(dashes, label);
    if (label_end == none || text.substr(label, label_end - label).find("PRIVATE KEY") == none)
        return std::nullopt;
    const std::size_t body = label_end + dashes.size();
    if (footer < body) footer = text.find(pem_footer, body);
    std::size_t end = none;
    if (footer != none && footer - body <= most_block)
        end = text.substr(0, footer + most_line).find(dashes, footer + pem_footer.size());
    end = end != none ? end + dashes.size()
                      : std::min(text.find_first_not_of(body_characters, body), text.size());
    if (end - body < least_body) return std::nullopt;
    return Finding{at, end, "private-key"};
}

std::optional<Finding> match_shape(std::string_view text, std::size_t at,
                                   const std::deque<Shape>& shapes) {
    if (!begins_word(text, at)) return std::nullopt;
    for (const Shape& one : shapes)
        if (auto found = one.match(text, at)) return found;
    return std::nullopt;
}

}  // namespace

std::vector<Finding> find_keys(std::string_view text) {
    static const Shapes shapes;
    std::vector<Finding> all;
    std::size_t footer = 0;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        if (!shapes.beginnings.test(pair_of(text[at], text[at + 1]))) continue;
        const auto found =
            text[at] == '-' ? match_pem(text, at, footer) : match_shape(text, at, shapes.all);
        if (!found) continue;
        all.push_back(*found);
        at = found->end - 1;
    }
    return all;
}

}  // namespace chorus::policy
