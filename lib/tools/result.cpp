#include "tools/result.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/limits.hpp"

namespace chorus::tools {
namespace {

using base::limits::tool_result_characters;

bool starts_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}

constexpr std::size_t most_captured = tool_result_characters - 500;  // header and titles
constexpr std::string_view rest_hint =
    "to see the rest, write the output to a file and use view or search_files";

// Also says how many bytes were dropped before.
std::string section(std::string_view title, std::string_view text, const sys::Captured& captured,
                    std::size_t characters) {
    if (text.empty()) return {};
    std::string shown = std::string(title) + ":\n";
    if (captured.total_bytes > captured.text.size())
        shown += "[" + std::to_string(captured.total_bytes) + " bytes in all, the last " +
                 std::to_string(captured.text.size()) + " were kept]\n";
    shown += bounded_to(characters, text, Keep::end, rest_hint);
    if (shown.back() != '\n') shown += '\n';
    return shown;
}

}  // namespace

std::string_view first_characters(std::string_view valid, std::size_t most) {
    if (valid.size() <= most) return valid;
    std::size_t at = 0;
    for (std::size_t seen = 0; at < valid.size(); ++at)
        if (starts_character(valid[at]) && ++seen > most) break;
    return valid.substr(0, at);
}

std::string_view last_characters(std::string_view valid, std::size_t most) {
    if (valid.size() <= most) return valid;
    std::size_t at = valid.size();
    for (std::size_t seen = 0; at > 0 && seen < most; --at)
        if (starts_character(valid[at - 1])) ++seen;
    return valid.substr(at);
}

std::string bounded_to(std::size_t most_characters, std::string_view text, Keep keep,
                       std::string_view how_to_get_the_rest) {
    std::string valid = base::replace_invalid_utf8(text);
    const std::size_t length = base::utf8_length(valid);
    if (length <= most_characters) return valid;
    std::string note = "[cut: only the " + std::string(keep == Keep::start ? "start" : "end") +
                       " of " + std::to_string(length) + " characters is shown";
    if (!how_to_get_the_rest.empty()) note += "; " + std::string(how_to_get_the_rest);
    note += "]";
    const std::size_t kept =
        most_characters - std::min(base::utf8_length(note) + 1, most_characters);
    if (keep == Keep::start) return std::string(first_characters(valid, kept)) + "\n" + note;
    return note + "\n" + std::string(last_characters(valid, kept));
}

chat::ToolResult answer(std::string_view text, Keep keep, std::string_view how_to_get_the_rest) {
    return {bounded_to(tool_result_characters, text, keep, how_to_get_the_rest), false};
}

chat::ToolResult failure(std::string_view text) {
    return {bounded_to(tool_result_characters, text, Keep::start, {}), true};
}

std::string captured_text(const sys::Captured& captured_out, const sys::Captured& captured_err) {
    const std::string out = base::replace_invalid_utf8(captured_out.text);
    const std::string err = base::replace_invalid_utf8(captured_err.text);
    if (out.empty() && err.empty()) return "no output\n";
    // stderr gets a third if both are long; each also gets what the other leaves.
    const std::size_t left = most_captured - std::min(base::utf8_length(out), most_captured);
    const std::size_t for_err = std::min(base::utf8_length(err), std::max(most_captured / 3, left));
    return section("stdout", out, captured_out, most_captured - for_err) +
           section("stderr", err, captured_err, for_err);
}

std::string numbered_line(std::size_t number, std::string_view line, std::size_t bytes) {
    const bool is_whole = line.size() == bytes;
    if (is_whole && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string valid = base::replace_invalid_utf8(line);
    const std::string_view shown = first_characters(valid, line_characters);
    std::string text = fmt::format("{:6}\t{}", number, shown);
    if (shown.size() < valid.size() || !is_whole)
        text += " [line cut: " + std::to_string(bytes) + " bytes in all]";
    return text + "\n";
}

std::string listed(std::string_view path) {
    for (const char c : path)
        if (static_cast<unsigned char>(c) < 0x20)
            return base::visible(path, base::Newlines::escape);
    return base::replace_invalid_utf8(path);
}

}  // namespace chorus::tools
