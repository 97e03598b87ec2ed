#include "policy/key_shapes.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "base/text.hpp"

namespace chorus::policy {
namespace {

constexpr auto none = std::string_view::npos;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_alphanumeric(char c) {
    return is_digit(c) || is_upper(c) || (c >= 'a' && c <= 'z');
}
bool is_upper_or_digit(char c) {
    return is_digit(c) || is_upper(c);
}
bool is_url_safe(char c) {
    return is_alphanumeric(c) || c == '_' || c == '-';
}
bool is_token(char c) {
    return is_url_safe(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

using Characters = bool (*)(char);

std::size_t run_length(std::string_view text, std::size_t at, Characters characters) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    return static_cast<std::size_t>(std::find_if_not(begin, text.end(), characters) - begin);
}

// Where a match may fail only at the end of a long run, it is tried once for each run.
bool begins_run(std::string_view text, std::size_t at) {
    return at == 0 || text[at - 1] != '-';
}

// "sk-learn-is-no-key": a key has digits, and a long piece without separators.
bool looks_random(std::string_view body) {
    constexpr std::size_t least_piece = 16;
    if (std::none_of(body.begin(), body.end(), is_digit)) return false;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t piece = run_length(body, at, is_alphanumeric);
        if (piece >= least_piece) return true;
        at += piece + 1;
    }
    return false;
}

// A prefix, then `least` to `most` characters of a set; one more of them than `most` is no key.
struct Shape {
    std::string_view kind;
    std::string_view prefix;
    Characters characters;
    std::size_t least;
    std::size_t most = none;
    bool random = false;
};

// Of two prefixes where one begins the other the longer stands first.
constexpr std::array shapes{
    Shape{"anthropic-key", "sk-ant-", is_url_safe, 20},
    Shape{"openai-key", "sk-", is_url_safe, 20, none, true},
    Shape{"stripe-key", "sk_live_", is_alphanumeric, 20},
    Shape{"stripe-key", "rk_live_", is_alphanumeric, 20},
    Shape{"google-key", "AIza", is_url_safe, 35, 35},
    Shape{"github-token", "github_pat_", is_url_safe, 36},
    Shape{"github-token", "ghp_", is_alphanumeric, 36},
    Shape{"github-token", "gho_", is_alphanumeric, 36},
    Shape{"github-token", "ghu_", is_alphanumeric, 36},
    Shape{"github-token", "ghs_", is_alphanumeric, 36},
    Shape{"github-token", "ghr_", is_alphanumeric, 36},
    Shape{"gitlab-token", "glpat-", is_url_safe, 20},
    Shape{"slack-token", "xoxa-", is_url_safe, 10},
    Shape{"slack-token", "xoxb-", is_url_safe, 10},
    Shape{"slack-token", "xoxp-", is_url_safe, 10},
    Shape{"slack-token", "xoxr-", is_url_safe, 10},
    Shape{"slack-token", "xoxs-", is_url_safe, 10},
    Shape{"aws-key", "AKIA", is_upper_or_digit, 16, 16},
    Shape{"aws-key", "ASIA", is_upper_or_digit, 16, 16},
    Shape{"huggingface-token", "hf_", is_alphanumeric, 30},
    Shape{"groq-key", "gsk_", is_alphanumeric, 40},
    Shape{"xai-key", "xai-", is_alphanumeric, 40},
    Shape{"npm-token", "npm_", is_alphanumeric, 36},
    Shape{"pypi-token", "pypi-AgE", is_url_safe, 50},
};

constexpr std::string_view jwt_prefix = "eyJ";
constexpr std::string_view pem_prefix = "-----BEGIN ";

constexpr std::uint16_t pair_of(char first, char second) {
    return static_cast<std::uint16_t>((static_cast<unsigned char>(first) << 8U) |
                                      static_cast<unsigned char>(second));
}

// Which two bytes a shape can begin with: one look-up for each byte of plain text.
const std::bitset<1U << 16U>& beginnings() {
    static const auto table = [] {
        std::bitset<1U << 16U> set;
        for (const Shape& one : shapes) set.set(pair_of(one.prefix[0], one.prefix[1]));
        for (const std::string_view prefix : {jwt_prefix, pem_prefix})
            set.set(pair_of(prefix[0], prefix[1]));
        for (const char a : {'a', 'A'})
            for (const char u : {'u', 'U'}) set.set(pair_of(a, u));
        return set;
    }();
    return table;
}

// "\nsk-…" in JSON has a letter before the key that belongs to the escape.
bool begins_word(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    if (!is_alphanumeric(before) && before != '_') return true;
    return at > 1 && text[at - 2] == '\\' && (before == 'n' || before == 't' || before == 'r');
}

std::optional<Finding> match_shape(std::string_view text, std::size_t at, const Shape& shape) {
    if (text.compare(at, shape.prefix.size(), shape.prefix) != 0) return std::nullopt;
    if (shape.random && !begins_run(text, at)) return std::nullopt;
    const std::size_t body = at + shape.prefix.size();
    const std::string_view reach =
        shape.most == none ? text : text.substr(0, body + shape.most + 1);
    const std::size_t length = run_length(reach, body, shape.characters);
    if (length < shape.least || length > shape.most) return std::nullopt;
    const std::size_t end = body + length;
    if (shape.most != none && end < text.size() && is_url_safe(text[end])) return std::nullopt;
    if (shape.random && !looks_random(text.substr(body, length))) return std::nullopt;
    return Finding{at, end, shape.kind};
}

// RFC 7519 in its compact form: three parts, the first two JSON objects in base64url.
std::optional<Finding> match_jwt(std::string_view text, std::size_t at) {
    constexpr std::size_t least_part = 10;
    if (!begins_run(text, at)) return std::nullopt;
    std::size_t end = at;
    for (int part = 0; part < 3; ++part) {
        if (part < 2 && text.compare(end, jwt_prefix.size(), jwt_prefix) != 0) return std::nullopt;
        const std::size_t length = run_length(text, end, is_url_safe);
        if (length < least_part) return std::nullopt;
        end += length;
        if (part == 2) break;
        if (end >= text.size() || text[end] != '.') return std::nullopt;
        ++end;
    }
    return Finding{at, end, "jwt"};
}

bool is_key_body(char c) {
    return is_token(c) || c == '\r' || c == '\n' || c == '\\';
}

// Where the next footer of a PEM block is: found once, however many headers stand before it.
class Footers {
  public:
    explicit Footers(std::string_view text) : text_(text) {}

    // The place after the footer, or npos where none begins between `from` and `most` bytes later.
    std::size_t find_end(std::size_t from, std::size_t most) {
        if (next_ < from) next_ = text_.find(marker, from);
        if (next_ == none || next_ - from > most) return none;
        const std::size_t dashes =
            text_.substr(0, next_ + most_line).find("-----", next_ + marker.size());
        return dashes == none ? none : dashes + 5;
    }

  private:
    static constexpr std::string_view marker = "-----END ";
    static constexpr std::size_t most_line = 96;
    std::string_view text_;
    std::size_t next_ = 0;
};

// A whole block, or the beginning of one that was cut off; a mere mention has no body.
std::optional<Finding> match_pem(std::string_view text, std::size_t at, Footers& footers) {
    constexpr std::size_t most_label = 64;
    constexpr std::size_t least_body = 32;
    constexpr std::size_t most_block = 16U << 10U;
    if (!text.substr(at).starts_with(pem_prefix)) return std::nullopt;
    const std::size_t label = at + pem_prefix.size();
    const std::size_t label_end = text.substr(0, label + most_label).find("-----", label);
    if (label_end == none || text.substr(label, label_end - label).find("PRIVATE KEY") == none)
        return std::nullopt;
    const std::size_t body = label_end + 5;
    const std::size_t footer_end = footers.find_end(body, most_block);
    const std::size_t end =
        footer_end == none ? body + run_length(text, body, is_key_body) : footer_end;
    if (end - body < least_body) return std::nullopt;
    return Finding{at, end, "private-key"};
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
    return base::to_lower_ascii(text.substr(0, lower.size())) == lower;
}

// Authorization: Bearer …, also as JSON and as an argument of curl. Only the credential goes.
std::optional<Finding> match_authorization(std::string_view text, std::size_t at) {
    constexpr std::string_view header = "authorization";
    constexpr std::size_t least = 8;
    constexpr std::string_view between = "\"'\\: \t=";
    if (!starts_with_ignoring_case(text.substr(at), header)) return std::nullopt;
    const std::size_t scheme = text.find_first_not_of(between, at + header.size());
    if (scheme == none ||
        text.substr(at + header.size(), scheme - at - header.size()).find_first_of(":=") == none)
        return std::nullopt;
    for (const std::string_view name : {"bearer ", "basic ", "token "}) {
        if (!starts_with_ignoring_case(text.substr(scheme), name)) continue;
        const std::size_t begin =
            std::min(text.find_first_not_of(' ', scheme + name.size()), text.size());
        const std::size_t length = run_length(text, begin, is_token);
        if (length >= least) return Finding{begin, begin + length, "authorization"};
    }
    return std::nullopt;
}

std::optional<Finding> match_at(std::string_view text, std::size_t at, Footers& footers) {
    const char c = text[at];
    if (c == '-') return match_pem(text, at, footers);
    if (!begins_word(text, at)) return std::nullopt;
    for (const Shape& one : shapes) {
        if (one.prefix.front() != c) continue;
        if (auto found = match_shape(text, at, one)) return found;
    }
    if (c == 'e') return match_jwt(text, at);
    if (c == 'a' || c == 'A') return match_authorization(text, at);
    return std::nullopt;
}

}  // namespace

std::vector<Finding> find_keys(std::string_view text) {
    std::vector<Finding> all;
    Footers footers(text);
    const auto& table = beginnings();
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        if (!table.test(pair_of(text[at], text[at + 1]))) continue;
        const auto found = match_at(text, at, footers);
        if (!found) continue;
        all.push_back(*found);
        at = found->end - 1;
    }
    return all;
}

}  // namespace chorus::policy
