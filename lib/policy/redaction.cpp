#include "policy/redaction.hpp"

#include <re2/re2.h>

#include <algorithm>
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

constexpr auto none = std::string_view::npos;

// A line of data/keys.txt, which says what it means. Compiled when a text first has its beginning.
class Shape {
  public:
    explicit Shape(std::string_view line) : fields_(base::split(line, ' ')) {
        if (once_a_run_) fields_[1].remove_prefix(1);
    }

    std::string_view beginning() const { return fields_[1]; }

    std::optional<Finding> match(std::string_view text, std::size_t at) const {
        const std::string_view head = text.substr(at, beginning().size());
        if (base::to_lower_ascii(head) != base::to_lower_ascii(beginning())) return std::nullopt;
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
    mutable std::once_flag once_;
    mutable std::vector<std::unique_ptr<const RE2>> compiled_;
};

constexpr std::string_view pem_header = "-----BEGIN ";
constexpr std::string_view pem_footer = "-----END ";
constexpr std::string_view dashes = "-----";

struct Shapes {
    std::deque<Shape> all;
    // Where one can begin, in any case: at the beginning of a word. "\nsk-…" in JSON has a letter
    // before the key that belongs to the escape.
    std::unique_ptr<const RE2> beginnings;

    Shapes() {
        std::string any;
        for (const std::string_view line : base::split_lines(embedded::policy_keys))
            if (!line.empty() && line.front() != '#')
                any += "|" + RE2::QuoteMeta(all.emplace_back(line).beginning());
        any = fmt::format(R"((?i)({})|(?:^|\W|\\[nrt])({}))", pem_header, any.substr(1));
        beginnings = std::make_unique<const RE2>(any, RE2::Latin1);
    }

    std::optional<Finding> match(std::string_view text, std::size_t at) const {
        for (const Shape& one : all)
            if (auto found = one.match(text, at)) return found;
        return std::nullopt;
    }
};

// A whole block, or the beginning of one that was cut off; a mere mention has no body. `footer` is
// a place at or before the next footer: it is found once, however many headers stand before it.
std::optional<Finding> match_pem(std::string_view text, std::size_t at, std::size_t& footer) {
    constexpr std::size_t most_label = 64;
    constexpr std::size_t most_block = 16U << 10U;
    constexpr std::size_t most_line = 96;
    constexpr std::size_t least_body = 32;
    constexpr std::string_view body_characters =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.~+/=\r\n\\";
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

// In the order of their beginnings; they do not overlap.
std::vector<Finding> find_keys(std::string_view text) {
    static const Shapes shapes;
    std::vector<Finding> all;
    std::size_t footer = 0;
    re2::StringPiece place[3];
    for (std::size_t from = 0;
         shapes.beginnings->Match(text, from, text.size(), RE2::UNANCHORED, place, 3);) {
        const bool is_pem = place[1].data() != nullptr;
        const auto at = static_cast<std::size_t>(place[is_pem ? 1 : 2].data() - text.data());
        const auto found = is_pem ? match_pem(text, at, footer) : shapes.match(text, at);
        if (found) all.push_back(*found);
        from = found ? found->end - 1 : at + 1;
    }
    return all;
}

// Whole characters: what is left stays UTF-8.
std::vector<Finding> active_in(const base::Fragments& secrets, std::string_view text) {
    std::vector<Finding> all;
    for (const auto [begin, end] : secrets.find(text))
        all.push_back({base::utf8_prefix(text, begin).size(),
                       text.size() - base::utf8_suffix(text, text.size() - end).size(), "key"});
    return all;
}

// What overlaps becomes one, with the name of what begins first, an active secret's before a
// shape's.
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
    return base::utf8_prefix(text, decided).size();
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
