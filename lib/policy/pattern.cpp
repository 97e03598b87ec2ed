#include "policy/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::policy {
namespace {

// Bounds the compiled program (about 4,000 instructions), so that a pattern that matches slowly on
// 64 KiB is refused as too large.
constexpr std::int64_t compiled_bytes = 256 << 10;

RE2::Options options() {
    RE2::Options all;
    all.set_max_mem(compiled_bytes);
    all.set_log_errors(false);
    return all;
}

// RE2 reports "missing ): tool:("; the pattern is cut off, because the caller shows it anyway.
std::string reason(const RE2& expression) {
    if (expression.error_code() == RE2::ErrorBadPerlOp &&
        RE2::PartialMatch(expression.error_arg(), R"(^\(\?[=!<])"))
        return "lookaround is not supported; list the exceptions under deny";
    const std::string& whole = expression.error();
    const std::string shown = ": " + expression.pattern();
    return whole.ends_with(shown) ? whole.substr(0, whole.size() - shown.size()) : whole;
}

using Set = std::vector<Beginning>;

constexpr std::size_t most_beginnings = 64;
constexpr std::string_view anything = R"([\s\S]*)";

Set unknown() {
    return {{"", true}};
}

bool is_quantifier(char c) {
    return c == '*' || c == '+' || c == '?' || c == '{';
}

void extend(Set& all, const Beginning& after) {
    for (Beginning& one : all) {
        if (one.open) continue;
        one.text += after.text;
        one.open = after.open;
    }
}

void extend(Set& all, const Set& after) {
    if (after.size() == 1) return extend(all, after.front());
    Set both;
    for (const Beginning& one : all) {
        if (one.open) {
            both.push_back(one);
            continue;
        }
        for (const Beginning& next : after) both.push_back({one.text + next.text, next.open});
    }
    all = both.size() > most_beginnings ? unknown() : std::move(both);
}

// A flag such as (?i) changes the meaning of the rest, later alternatives included. The reader
// recurses, so a pattern too long for a profile is not read either.
bool is_unreadable(std::string_view pattern) {
    if (pattern.size() > base::limits::pattern_bytes) return true;
    for (std::size_t at = 0; (at = pattern.find("(?", at)) != std::string_view::npos; at += 2)
        if (pattern.substr(at, 3) != "(?:") return true;
    return false;
}

// Whether the pattern is literal text, and what may follow the name of a tool. It is valid.
bool is_plain(std::string_view pattern) {
    constexpr std::string_view arguments = R"(( [\s\S]*)?)";
    if (pattern.ends_with(anything))
        pattern.remove_suffix(anything.size());
    else if (pattern.ends_with(arguments))
        pattern.remove_suffix(arguments.size());
    return pattern.find_first_of(R"(\.[]^$*+?{}()|)") == std::string_view::npos;
}

class Reader {
  public:
    explicit Reader(std::string_view pattern) : pattern_(pattern) {}

    Set alternatives() {
        Set all = sequence();
        while (peek() == '|') {
            ++at_;
            for (auto& one : sequence()) all.push_back(std::move(one));
        }
        return all.size() > most_beginnings ? unknown() : all;
    }

    Set sequence() {
        Set all{{"", false}};
        while (!at_end() && peek() != '|' && peek() != ')') append_next(all);
        return all;
    }

    bool at_end() const { return at_ >= pattern_.size(); }

  private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
    }

    // Returns how many bytes of the pattern denote one character of plain text here, or 0.
    std::size_t character_size() const {
        constexpr std::string_view special = ".[]^$*+?{}()|";
        const std::size_t size = peek() == '\\' ? 2 : 1;
        const char c = peek(size - 1);
        const auto byte = static_cast<unsigned char>(c);
        const bool is_word = std::isalnum(byte) != 0;
        const bool plain = size == 2 ? !is_word : is_word || special.find(c) == special.npos;
        const bool is_ascii = byte > 0 && byte < 0x80;
        return plain && is_ascii && !is_quantifier(peek(size)) ? size : 0;
    }

    // Reads plain text, a group, or something that leaves the beginning open: a class, \Q…\E, an
    // escape or one byte.
    void append_next(Set& all) {
        Beginning next;
        for (std::size_t size = 0; (size = character_size()) > 0; at_ += size)
            next.text += peek(size - 1);
        if (!next.text.empty()) return extend(all, next);
        next.open = true;
        if (peek() == '(') {
            at_ += pattern_.substr(at_, 3) == "(?:" ? 3 : 1;
            const Set inner = alternatives();
            ++at_;
            return is_quantifier(peek()) ? extend(all, next) : extend(all, inner);
        }
        if (peek() == '[' || peek() == '\\')
            skip_special();
        else
            ++at_;
        extend(all, next);
    }

    void skip_special() {
        constexpr std::string_view any_character = R"([\s\S])";
        if (pattern_.substr(at_).starts_with(any_character)) {  // not worth an RE2 at each start
            at_ += any_character.size();
            return;
        }
        static const RE2 special(R"(\[\^?\]?(?:\[:[\s\S]*?:\]|\\[\s\S]|[^\]])*\]?|)"
                                 R"(\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|[\s\S])",
                                 RE2::Latin1);
        re2::StringPiece rest = pattern_.substr(at_);
        RE2::Consume(&rest, special);
        at_ = pattern_.size() - rest.size();
    }

    std::string_view pattern_;
    std::size_t at_ = 0;
};

}  // namespace

bool matches_all_below(std::string_view pattern, std::string_view prefix) {
    if (!pattern.ends_with(anything) || is_unreadable(pattern)) return false;
    Reader reader(pattern.substr(0, pattern.size() - anything.size()));
    const Set all = reader.sequence();
    return reader.at_end() && std::any_of(all.begin(), all.end(), [&](const auto& one) {
               return !one.open && prefix.starts_with(one.text);
           });
}

Pattern::Pattern(std::string text)
    : text_(std::move(text)),
      beginnings_(is_unreadable(text_) ? unknown() : Reader(text_).alternatives()) {}
Pattern::~Pattern() = default;

const re2::RE2& Pattern::compiled() const {
    std::call_once(once_, [&] { compiled_ = std::make_unique<RE2>(text_, options()); });
    return *compiled_;
}

bool Pattern::may_match(std::string_view text) const {
    return std::any_of(beginnings_.begin(), beginnings_.end(), [&](const Beginning& one) {
        return one.open ? text.starts_with(one.text) : text == one.text;
    });
}

bool Pattern::may_match_below(std::string_view prefix) const {
    return std::any_of(beginnings_.begin(), beginnings_.end(), [&](const Beginning& one) {
        return one.text.starts_with(prefix) || (one.open && prefix.starts_with(one.text));
    });
}

bool Pattern::matches(std::string_view text) const {
    return may_match(text) && RE2::FullMatch(text, compiled());
}

bool Pattern::is_in(std::string_view text) const {
    return RE2::PartialMatch(text, compiled());
}

std::optional<std::string> Pattern::fault() const {
    using base::limits::pattern_bytes;
    if (text_.size() > pattern_bytes)
        return fmt::format("is {} bytes long, at most {}", text_.size(), pattern_bytes);
    if (text_.find('\0') != std::string::npos) return "holds a NUL";
    if (base::find_invalid_utf8(text_)) return "is not valid UTF-8";
    if (is_plain(text_)) return std::nullopt;
    if (compiled().ok()) return std::nullopt;
    return reason(compiled());
}

std::string exact_pattern(std::string_view text) {
    return RE2::QuoteMeta(text);
}

}  // namespace chorus::policy
