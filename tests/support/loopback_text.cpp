#include "loopback_text.hpp"

#include <cstdint>
#include <cstdio>

namespace loopback {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t code_point_end(std::string_view text, std::size_t at) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
    return at;
}

std::uint32_t code_point(std::string_view sequence) {
    static constexpr std::uint32_t lead_mask[] = {0x7F, 0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t value = static_cast<unsigned char>(sequence[0]) & lead_mask[sequence.size()];
    for (const char c : sequence.substr(1))
        value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    return value;
}

std::string escape_unit(std::uint32_t unit) {
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", unit);
    return text;
}

std::string escape(std::uint32_t value) {
    if (value < 0x10000) return escape_unit(value);
    value -= 0x10000;
    return escape_unit(0xD800 + (value >> 10U)) + escape_unit(0xDC00 + (value & 0x3FFU));
}

bool begins_escape(std::string_view text, std::size_t at) {
    std::size_t backslashes = 0;
    while (backslashes <= at && text[at - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
}

}  // namespace

std::string with_some_escapes(std::string_view json, bool& escape_next) {
    std::string out;
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = code_point_end(json, at);
        const std::string_view sequence = json.substr(at, end - at);
        at = end;
        const bool is_ascii = sequence.size() == 1;
        out += !is_ascii && escape_next ? escape(code_point(sequence)) : std::string(sequence);
        if (!is_ascii) escape_next = !escape_next;
    }
    return out;
}

std::vector<std::string> pieces(std::string_view text, std::size_t bytes) {
    std::vector<std::string> out;
    while (!text.empty()) {
        std::size_t end = 0;
        while (end < text.size() && end < bytes) end = code_point_end(text, end);
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

std::vector<std::string> argument_pieces(std::string_view json) {
    constexpr std::size_t usual_bytes = 9;
    std::vector<std::string> out(1);
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = code_point_end(json, at);
        out.back() += json.substr(at, end - at);
        const bool after_backslash = json[at] == '\\' && begins_escape(json, at);
        const bool inside_unicode =
            at >= 2 && json[at - 1] == 'u' && json[at - 2] == '\\' && begins_escape(json, at - 2);
        at = end;
        if (at < json.size() &&
            (after_backslash || inside_unicode || out.back().size() >= usual_bytes))
            out.emplace_back();
    }
    return out;
}

std::vector<std::string_view> cut_characters(std::string_view body) {
    std::vector<std::string_view> out;
    std::size_t from = 0;
    const auto cut = [&](std::size_t at) {
        if (at <= from || at >= body.size()) return;
        out.push_back(body.substr(from, at - from));
        from = at;
    };
    for (std::size_t at = 0; at < body.size(); ++at) {
        if (is_continuation(body[at])) cut(at);
        if (body[at] != '\\' || !begins_escape(body, at)) continue;
        cut(at + 1);
        if (at + 1 < body.size() && body[at + 1] == 'u') cut(at + 3);
    }
    if (from < body.size()) out.push_back(body.substr(from));
    return out;
}

}  // namespace loopback
