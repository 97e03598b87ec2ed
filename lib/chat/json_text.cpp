#include "chat/json_text.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"

namespace chorus::chat {
namespace {

// Examines eight bytes at once. Returns the high bit of each byte that needs an escape (below 0x20,
// quote, backslash), and possibly of bytes above the first such one.
std::uint64_t escapes_in(std::uint64_t word) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t high = 0x8080808080808080U;
    const auto zero_bytes = [](std::uint64_t value) { return (value - ones) & ~value & high; };
    const std::uint64_t control = (word - ones * 0x20) & ~word & high;
    return control | zero_bytes(word ^ (ones * '"')) | zero_bytes(word ^ (ones * '\\'));
}

bool is_plain(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

// The position of the first byte at or after `at` that needs an escape, or the end.
std::size_t plain_run(std::string_view text, std::size_t at) {
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (escapes_in(word) != 0) break;
    }
    while (at < text.size() && is_plain(text[at])) ++at;
    return at;
}

void append_escape(std::string& out, char c) {
    static constexpr std::string_view named = "\"\\\n\r\t";
    static constexpr std::string_view names = "\"\\nrt";
    if (const std::size_t at = named.find(c); at != named.npos)
        out.append({'\\', names[at]});
    else
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
    // a file name may be invalid UTF-8, JSON may not
    if (base::find_invalid_utf8(text)) return append_quoted(out, base::replace_invalid_utf8(text));
    out.push_back('"');
    std::size_t start = 0;
    for (std::size_t at = plain_run(text, 0); at < text.size(); at = plain_run(text, at + 1)) {
        out.append(text, start, at - start);
        append_escape(out, text[at]);
        start = at + 1;
    }
    out.append(text, start);
    out.push_back('"');
}

std::string quoted(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}

void JsonText::before_value() {
    if (needs_comma_) text_.push_back(',');
    needs_comma_ = true;
}

JsonText& JsonText::open(char bracket) {
    before_value();
    text_.push_back(bracket);
    needs_comma_ = false;
    return *this;
}

JsonText& JsonText::close(char bracket) {
    text_.push_back(bracket);
    needs_comma_ = true;
    return *this;
}

JsonText& JsonText::key(std::string_view name) {
    before_value();
    text_.push_back('"');
    text_ += name;
    text_ += "\":";
    needs_comma_ = false;
    return *this;
}

JsonText& JsonText::any_key(std::string_view name) {
    before_value();
    append_quoted(text_, name);
    text_.push_back(':');
    needs_comma_ = false;
    return *this;
}

JsonText& JsonText::string(std::string_view value) {
    before_value();
    append_quoted(text_, value);
    return *this;
}

JsonText& JsonText::raw(std::string_view json) {
    before_value();
    text_ += json;
    return *this;
}

JsonText& JsonText::real(double value) {
    return raw(std::isfinite(value) ? fmt::format("{:.10g}", value) : "null");
}

}  // namespace chorus::chat
