#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace chorus::base {
namespace {

constexpr std::string_view blank_characters = " \t\r\n\v\f";
constexpr std::size_t longest_plain_blank_run = 40;
constexpr std::size_t most_plain_empty_lines = 40;

bool is_continuation(unsigned char byte) {
    return (byte & 0xc0U) == 0x80U;
}

// Table 3-7 of the Unicode standard: the second byte's range depends on the first.
bool second_byte_fits(unsigned char first, unsigned char second) {
    const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= least && second <= most;
}

bool is_hidden(char32_t c) {
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f) || c == 0xad ||
           c == 0x34f || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff) || c == 0x180e ||
           c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0 || c == 0x17b4 || c == 0x17b5 ||
           (c >= 0x1d173 && c <= 0x1d17a) || (c >= 0x180b && c <= 0x180f) ||
           (c >= 0xfe00 && c <= 0xfe0d) || (c >= 0x13430 && c <= 0x1345f) ||
           (c >= 0x1bca0 && c <= 0x1bca3) || c == 0x1d159;
}

bool is_blank(char32_t c) {
    return c == ' ' || c == '\t' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x202f || c == 0x205f || c == 0x2800 || c == 0x3000;
}

struct Run {
    std::size_t bytes = 0;
    std::size_t count = 0;
};

// The blanks at the beginning, of any width.
Run blanks_at_start(std::string_view text) {
    Run run;
    while (run.bytes < text.size()) {
        const Decoded next = decode(text.substr(run.bytes));
        if (!next.valid || !is_blank(next.code_point)) break;
        run.bytes += next.size;
        ++run.count;
    }
    return run;
}

// The newlines at the beginning, skipping blanks between them.
Run newlines_at_start(std::string_view text) {
    Run run;
    for (std::size_t at = 0; at < text.size() && text[at] == '\n';) {
        run.bytes = ++at;
        ++run.count;
        at += blanks_at_start(text.substr(at)).bytes;
    }
    return run;
}

// Replaces a run of blanks or newlines that would push text out of sight by its count. Returns the
// bytes consumed, 0 if there is no such run.
std::size_t append_counted(std::string& out, std::string_view text, Newlines newlines) {
    if (const Run blanks = blanks_at_start(text); blanks.count > longest_plain_blank_run) {
        out += "[" + std::to_string(blanks.count) + " blanks]";
        return blanks.bytes;
    }
    if (newlines == Newlines::escape) return 0;
    const Run lines = newlines_at_start(text);
    if (lines.count <= most_plain_empty_lines + 1) return 0;
    out += "\n[" + std::to_string(lines.count - 1) + " empty lines]\n";
    return lines.bytes;
}

std::string escaped(char32_t c) {
    const auto value = static_cast<std::uint32_t>(c);
    if (value <= 0xff) return fmt::format("\\x{:02x}", value);
    return value <= 0xffff ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:06x}", value);
}

}  // namespace

Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    if (length == 0) return {};
    char32_t value = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const bool fits = i < text.size() &&
                          (i == 1 ? second_byte_fits(first, byte(1)) : is_continuation(byte(i)));
        if (!fits) return {0, i, false};
        value = (value << 6U) | (byte(i) & 0x3fU);
    }
    return {value, length, true};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const Decoded next = decode(text.substr(at));
        if (!next.valid) return at;
        at += next.size;
    }
    return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::optional<std::size_t> bad = find_invalid_utf8(text);
        out += text.substr(0, bad.value_or(text.size()));
        if (!bad) break;
        text.remove_prefix(*bad);
        out += "\xef\xbf\xbd";
        text.remove_prefix(decode(text).size);
    }
    return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && is_continuation(static_cast<unsigned char>(text[bytes]))) --bytes;
    return text.substr(0, bytes);
}

std::string_view utf8_suffix(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    std::size_t start = text.size() - bytes;
    while (start < text.size() && is_continuation(static_cast<unsigned char>(text[start]))) ++start;
    return text.substr(start);
}

std::size_t unfinished_utf8(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (is_continuation(byte)) continue;
        const std::size_t wanted = byte >= 0xf0U ? 4 : byte >= 0xe0U ? 3 : byte >= 0xc0U ? 2 : 1;
        return wanted > back ? back : 0;
    }
    return 0;
}

std::size_t utf8_length(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return !is_continuation(static_cast<unsigned char>(c));
    }));
}

std::string visible(std::string_view text, Newlines newlines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (const std::size_t counted = append_counted(out, text, newlines); counted > 0) {
            text.remove_prefix(counted);
            continue;
        }
        const Decoded next = decode(text);
        if (!next.valid) {
            for (const char c : text.substr(0, next.size))
                out += escaped(static_cast<unsigned char>(c));
        } else if (is_hidden(next.code_point)) {
            out += escaped(next.code_point);
        } else if (next.code_point == '\n' && newlines == Newlines::escape) {
            out += "\\n";
        } else {
            out += text.substr(0, next.size);
        }
        text.remove_prefix(next.size);
    }
    return out;
}

std::optional<Hidden> find_hidden(std::string_view text, std::size_t from) {
    for (std::size_t at = from; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x20 && byte < 0x7f) {
            ++at;
            continue;
        }
        const Decoded next = decode(text.substr(at));
        if (!next.valid) return Hidden{at, next.size, std::nullopt};
        if (is_hidden(next.code_point)) return Hidden{at, next.size, next.code_point};
        at += next.size;
    }
    return std::nullopt;
}

std::string_view trim(std::string_view text) {
    return trim_end(text.substr(std::min(text.find_first_not_of(blank_characters), text.size())));
}

std::string_view trim_end(std::string_view text) {
    return text.substr(0, text.find_last_not_of(blank_characters) + 1);
}

std::optional<std::string_view> user_of_url(std::string_view url) {
    const std::size_t scheme = url.find("://");
    const std::size_t start = scheme == url.npos ? 0 : scheme + 3;
    const std::size_t at = url.rfind('@', url.find('/', start));
    if (at == url.npos || at < start) return std::nullopt;
    return url.substr(start, at - start);
}

std::string_view without_bom(std::string_view text) {
    constexpr std::string_view bom = "\xEF\xBB\xBF";
    return text.starts_with(bom) ? text.substr(bom.size()) : text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines = split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    return lines;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string first_few(const std::vector<std::string>& parts, std::size_t most) {
    if (parts.size() <= most) return join(parts, ", ");
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(most);
    return fmt::format("{} and {} more", fmt::join(parts.begin(), end, ", "), parts.size() - most);
}

std::string counted(std::int64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string to_lower_ascii(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string quoted(std::string_view text) {
    return "'" + visible(text, Newlines::escape) + "'";
}

std::string quoted_list(const std::vector<std::string>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += i + 1 == values.size() ? " and " : ", ";
        out += quoted(values[i]);
    }
    return out;
}

std::string slug(std::string_view text, std::size_t most) {
    std::string out;
    for (const char c : to_lower_ascii(text)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain || (!out.empty() && out.back() != '-')) out.push_back(plain ? c : '-');
    }
    out.resize(std::min(out.size(), most));
    while (out.ends_with('-')) out.pop_back();
    return out;
}

std::string hex(std::string_view bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += {digits[byte >> 4U], digits[byte & 15U]};
    }
    return out;
}

std::size_t estimated_tokens(std::string_view text) {
    return (text.size() + 3) / 4;
}

std::string signal_name(int number) {
    const char* name = sigabbrev_np(number);
    return name == nullptr ? std::to_string(number) : fmt::format("{} ({})", number, name);
}

}  // namespace chorus::base
