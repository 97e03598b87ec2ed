#include "model/event_json.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace chorus::model {
namespace {

// The value of the escape \uXXXX at `at`, or nothing.
std::optional<unsigned> unicode_escape(std::string_view text, std::size_t at) {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
    unsigned value = 0;
    const char* const digits = text.data() + at + 2;
    const auto [end, error] = std::from_chars(digits, digits + 4, value, 16);
    if (error != std::errc() || end != digits + 4) return std::nullopt;
    return value;
}

bool is_high_surrogate(unsigned value) {
    return value >= 0xd800 && value <= 0xdbff;
}
bool is_low_surrogate(unsigned value) {
    return value >= 0xdc00 && value <= 0xdfff;
}

// Returns the length of the valid escape at `at`, or 0 for a lone surrogate.
std::size_t sound_escape(std::string_view text, std::size_t at) {
    const std::optional<unsigned> value = unicode_escape(text, at);
    if (!value) return 2;
    if (is_low_surrogate(*value)) return 0;
    if (!is_high_surrogate(*value)) return 6;
    const std::optional<unsigned> next = unicode_escape(text, at + 6);
    return next && is_low_surrogate(*next) ? 12 : 0;
}

// A first half at the very end of a string is stored in `half`; a second half at the beginning of
// one is joined with it.
std::string replace_lone_surrogates(std::string_view text, std::string* half) {
    std::string out;
    out.reserve(text.size());
    std::string before = half ? std::exchange(*half, {}) : std::string();
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '\\') {
            out.push_back(text[at++]);
            continue;
        }
        const std::size_t sound = sound_escape(text, at);
        const std::string_view escape = text.substr(at, sound == 0 ? 6 : sound);
        const std::string_view behind = text.substr(at + escape.size(), 1);
        const bool is_high = sound == 0 && is_high_surrogate(*unicode_escape(text, at));
        at += escape.size();
        if (sound != 0)
            out += escape;
        else if (half && is_high && behind == "\"")
            *half = escape;
        else if (!is_high && out.ends_with('"') && !before.empty())
            out += std::exchange(before, {}) + std::string(escape);
        else
            out += "\\ufffd";
    }
    return out;
}

bool may_hold_surrogates(std::string_view text) {
    return text.find("\\ud") != std::string_view::npos ||
           text.find("\\uD") != std::string_view::npos;
}

}  // namespace

std::optional<Json> parse_event(std::string_view data, std::string* half) {
    std::string repaired;
    if (base::find_invalid_utf8(data)) data = repaired = base::replace_invalid_utf8(data);
    if (may_hold_surrogates(data)) data = repaired = replace_lone_surrogates(data, half);
    return chat::try_parse_json(data, base::limits::sse_event_bytes);
}

bool is_complaint(const Json& event) {
    if (!member(event, "error").is_null() || text_of(event, "object") == "error") return true;
    const bool says = !text_of(event, "message").empty() || member(event, "detail").is_string();
    return says && !member(event, "type").is_string() && !member(event, "choices").is_array();
}

const Json& list_in(const Json& object, const char* key) {
    static const Json none = Json::array();
    const Json& value = member(object, key);
    return value.is_array() ? value : none;
}

std::string_view text_of(const Json& value) {
    return value.is_string() ? std::string_view(value.get_ref<const std::string&>())
                             : std::string_view();
}

std::string_view text_of(const Json& object, const char* key) {
    return text_of(member(object, key));
}

std::optional<std::int64_t> count_of(const Json& object, const char* key) {
    static constexpr double most = 1e12;
    const Json& value = member(object, key);
    const auto number = value.is_number() ? value.get<double>()
                                          : base::parse_number<double>(text_of(value)).value_or(-1);
    if (!(number >= 0 && number <= most)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

void take_larger(std::int64_t& count, const Json& object, const char* key) {
    count = std::max(count, count_of(object, key).value_or(0));
}

}  // namespace chorus::model
