#include "context/html_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

#include "base/text.hpp"

namespace chorus::context {
namespace {

std::string_view entity(char c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return {};
    }
}

void append_plain(std::string& out, std::string_view text) {
    constexpr std::string_view special = "&<>\"'";
    for (std::size_t at = 0;;) {
        const std::size_t next = text.find_first_of(special, at);
        out += text.substr(at, next - at);
        if (next == std::string_view::npos) return;
        out += entity(text[next]);
        at = next + 1;
    }
}

// "U+202E", or "0xFF" for each invalid byte.
void append_number(std::string& out, std::string_view part, const base::Hidden& hidden) {
    std::array<char, 16> text{};
    if (hidden.code_point) {
        std::snprintf(text.data(), text.size(), "U+%04X",
                      static_cast<std::uint32_t>(*hidden.code_point));
        out += text.data();
        return;
    }
    for (const char c : part) {
        std::snprintf(text.data(), text.size(), "0x%02X", static_cast<unsigned char>(c));
        out += text.data();
    }
}

bool is_line_end(std::string_view text, std::size_t at) {
    return text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
}

void append(std::string& out, std::string_view text, std::string_view before,
            std::string_view after) {
    std::size_t start = 0;
    while (const auto hidden = base::find_hidden(text, start)) {
        append_plain(out, text.substr(start, hidden->offset - start));
        start = hidden->offset + hidden->size;
        if (is_line_end(text, hidden->offset)) continue;
        out += before;
        append_number(out, text.substr(hidden->offset, hidden->size), *hidden);
        out += after;
    }
    append_plain(out, text.substr(start));
}

}  // namespace

void append_html(std::string& out, std::string_view text) {
    append(out, text, "<code class=\"hidden\">", "</code>");
}

void append_attribute(std::string& out, std::string_view text) {
    append(out, text, "", "");
}

std::string html(std::string_view text) {
    std::string out;
    append_html(out, text);
    return out;
}

std::string attribute(std::string_view text) {
    std::string out;
    append_attribute(out, text);
    return out;
}

}  // namespace chorus::context
