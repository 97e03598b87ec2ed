#include "policy/redaction.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace chorus::embedded {
extern const std::string_view policy_keys;
}

namespace chorus::policy {
namespace {

struct Finding {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view kind;  // "anthropic-key"
};

constexpr auto npos = std::string_view::npos;

// A line of data/keys.txt, in the format described there. Compiled when a text first contains its
// prefix.
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
        if (!whole.Match(text, at, text.size(), RE2::ANCHOR_START, found, group + 1))
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
                compiled_.push_back(std::make_unique<RE2>(fields_[i], RE2::Latin1));
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
    // The pairs of bytes that a key can begin with, so that each byte of plain text costs one
    // look-up.
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

// In JSON, the "n" of "\nsk-…" belongs to the escape, not to the key's word.
bool begins_word(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') return true;
    return at > 1 && text[at - 2] == '\\' && std::string_view("nrt").find(before) != npos;
}

// Finds a whole block, or the beginning of one that was cut off; a header without a body is only a
// mention. `footer` caches a place at or before the next footer: it is searched for once, however
// many headers precede it.
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
    if (label_end == npos || text.substr(label, label_end - label).find("PRIVATE KEY") == npos)
        return std::nullopt;
    const std::size_t body = label_end + dashes.size();
    if (footer < body) footer = text.find(pem_footer, body);
    std::size_t end = npos;
    if (footer != npos && footer - body <= most_block)
        end = text.substr(0, footer + most_line).find(dashes, footer + pem_footer.size());
    end = end != npos ? end + dashes.size()
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

// Returns the keys in order, without overlaps. One pass; allocates nothing if there are none.
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

bool goes_on(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// Widens each finding to whole characters, so that the rest stays UTF-8.
std::vector<Finding> active_in(const base::Fragments& secrets, std::string_view text) {
    std::vector<Finding> all;
    for (auto [begin, end] : secrets.find(text)) {
        while (begin > 0 && goes_on(text, begin)) --begin;
        while (goes_on(text, end)) ++end;
        all.push_back({begin, end, "key"});
    }
    return all;
}

// Joins overlapping findings, with the kind of the one that begins first; an active secret precedes
// a shape.
std::vector<Finding> merged(std::vector<Finding> all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Finding& a, const Finding& b) { return a.begin < b.begin; });
    std::vector<Finding> kept;
    for (const Finding& one : all) {
        if (kept.empty() || one.begin >= kept.back().end) kept.push_back(one);
        kept.back().end = std::max(kept.back().end, one.end);
    }
    return kept;
}

std::string replaced(std::string_view text, std::vector<Finding> all) {
    std::string out;
    out.reserve(text.size());
    std::size_t at = 0;
    for (const Finding& one : merged(std::move(all))) {
        out += fmt::format("{}[redacted:{}]", text.substr(at, one.begin - at), one.kind);
        at = one.end;
    }
    return out.append(text.substr(at));
}

}  // namespace

Redaction::Redaction(const std::vector<std::string>& active_secrets) {
    for (const std::string& secret : active_secrets) add(secret);
}

void Redaction::add(const std::string& secret) {
    if (secret.size() < base::Fragments::least_bytes) return;
    if (std::find(active_.begin(), active_.end(), secret) != active_.end()) return;
    active_.push_back(secret);
    secrets_.add(secret);
    for (const std::string& form : base::base64_forms(secret)) secrets_.add(form);
}

std::string Redaction::apply(std::string_view text) const {
    std::vector<Finding> all = active_in(secrets_, text);
    for (const Finding& key : find_keys(text)) all.push_back(key);
    return replaced(text, std::move(all));
}

std::string Redaction::without_active(std::string_view text) const {
    return replaced(text, active_in(secrets_, text));
}

bool Redaction::changes(std::string_view text) const {
    return holds_active(text) || !find_keys(text).empty();
}

bool Redaction::holds_active(std::string_view text) const {
    return !secrets_.find(text).empty();
}

std::size_t Redaction::decided_bytes(std::string_view text) const {
    std::size_t decided = text.size() - secrets_.open_end(text);
    for (const Finding& one : merged(active_in(secrets_, text)))
        if (one.begin < decided && decided < one.end) decided = one.begin;
    while (decided > 0 && goes_on(text, decided)) --decided;
    return decided;
}

void RedactedStream::write(std::string_view piece) {
    held_ += piece;
    const std::size_t shown = redaction_.decided_bytes(held_);
    if (shown == 0) return;
    sink_(redaction_.without_active(std::string_view(held_).substr(0, shown)));
    held_.erase(0, shown);
}

void RedactedStream::end() {
    if (!held_.empty()) sink_(redaction_.without_active(held_));
    held_.clear();
}

}  // namespace chorus::policy
