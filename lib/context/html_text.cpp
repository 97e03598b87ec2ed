#include "context/html_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace chorus::context {
namespace {

void append_plain(std::string& out, std::string_view text) {
    constexpr std::string_view special = "&<>\"'";
    constexpr std::array<const char*, special.size()> entities{"&amp;", "&lt;", "&gt;", "&quot;",
                                                               "&#39;"};
    for (std::size_t at = 0;;) {
        const std::size_t next = text.find_first_of(special, at);
        out += text.substr(at, next - at);
        if (next == std::string_view::npos) return;
        out += entities.at(special.find(text[next]));
        at = next + 1;
    }
}

// "U+202E", or "0xFF" for each invalid byte.
std::string number_of(std::string_view part, const base::Hidden& hidden) {
    if (hidden.code_point)
        return fmt::format("U+{:04X}", static_cast<std::uint32_t>(*hidden.code_point));
    std::string bytes;
    for (const char c : part) bytes += fmt::format("0x{:02X}", static_cast<unsigned char>(c));
    return bytes;
}

bool is_line_end(std::string_view text, std::size_t at) {
    return text.substr(at, 2) == "\r\n";
}

std::string escaped(std::string_view text, std::string_view before, std::string_view after) {
    std::string out;
    std::size_t start = 0;
    while (const auto hidden = base::find_hidden(text, start)) {
        append_plain(out, text.substr(start, hidden->offset - start));
        start = hidden->offset + hidden->size;
        if (is_line_end(text, hidden->offset)) continue;
        out += before;
        out += number_of(text.substr(hidden->offset, hidden->size), *hidden);
        out += after;
    }
    append_plain(out, text.substr(start));
    return out;
}

}  // namespace

std::string html(std::string_view text) {
    return escaped(text, "<code class=\"hidden\">", "</code>");
}

std::string attribute(std::string_view text) {
    return escaped(text, "", "");
}

}  // namespace chorus::context
