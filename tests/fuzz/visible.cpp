// The escaper and the UTF-8 it rests on, against a second reading of both.
#include "base/text.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "chat/json_text.hpp"
#include "fuzz/property.hpp"

namespace chorus::base {
namespace {

using fuzz::is_utf8;
using fuzz::require;
using fuzz::require_equal;

// The code points of valid UTF-8.
std::vector<char32_t> code_points(std::string_view text) {
    std::vector<char32_t> all;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) == 0x80U)
            all.back() = (all.back() << 6U) | (byte & 0x3fU);
        else
            all.push_back(byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1fU : byte & 0x0fU);
    }
    return all;
}

bool is_between(char32_t c, char32_t first, char32_t last) {
    return c >= first && c <= last;
}

// Control, bidirectional, zero-width and tag characters.
bool deceives(char32_t c) {
    if (is_between(c, 0, 0x1f)) return c != '\n' && c != '\t';
    return is_between(c, 0x7f, 0x9f) || c == 0x61c || is_between(c, 0x200b, 0x200f) ||
           is_between(c, 0x2028, 0x202e) || is_between(c, 0x2060, 0x2069) || c == 0xfeff ||
           is_between(c, 0xe0000, 0xe007f);
}

void check_visible(std::string_view text, Newlines newlines) {
    const std::string shown = visible(text, newlines);
    require(is_utf8(shown), "what is shown is UTF-8", text);
    for (const char32_t c : code_points(shown)) require(!deceives(c), "nothing is hidden", text);
    require(shown.find(std::string(41, ' ')) == std::string::npos, "blanks are counted", text);
    require(newlines == Newlines::keep || shown.find('\n') == std::string::npos, "one line", text);
    require_equal("what is visible stays", shown, visible(shown, newlines));
    require(shown.find(std::string(43, '\n')) == std::string::npos, "empty lines are counted",
            text);
    const std::string kept = visible(text);
    if (newlines == Newlines::keep || kept.find(" empty lines]") != std::string::npos) return;
    std::string lines;
    for (const char c : kept) lines += c == '\n' ? std::string("\\n") : std::string(1, c);
    require_equal("newlines are all the difference", lines, shown);
}

// It writes no string that is not UTF-8.
bool nlohmann_takes(std::string_view text) {
    try {
        (void)nlohmann::json(text).dump();
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

void check_utf8(std::string_view text) {
    const std::string sound = replace_invalid_utf8(text);
    require(is_utf8(sound), "what was replaced is UTF-8", text);
    require(!is_utf8(text) || sound == text, "what is sound stays", text);
    require(is_utf8(text) == nlohmann_takes(text), "nlohmann thinks so too", text);
    const auto bad = find_invalid_utf8(text);
    if (bad) require(is_utf8(text.substr(0, *bad)), "sound up to there", text);
    const std::size_t half = fuzz::place_in(sound);
    const std::string_view prefix = utf8_prefix(sound, half);
    const std::string_view suffix = utf8_suffix(sound, half);
    require(prefix.size() <= half && half - prefix.size() < 4, "a prefix as long as can be", sound);
    require(suffix.size() <= half && half - suffix.size() < 4, "a suffix as long as can be", sound);
    require(is_utf8(prefix) && is_utf8(suffix), "cut between code points", sound);
    require(std::string_view(sound).starts_with(prefix), "a prefix", sound);
    require(std::string_view(sound).ends_with(suffix), "a suffix", sound);
    require(utf8_length(sound) == code_points(sound).size(), "its length", sound);
    require_equal("quoted and read again",
                  nlohmann::json::parse(chat::quoted(text)).get<std::string>(), sound);
}

void check_names(std::string_view text) {
    const std::string name = slug(text, 20);
    require(name.size() <= 20 && !name.starts_with('-') && !name.ends_with('-'), "a slug", name);
    require(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
            "of plain characters", name);
    require_equal("a slug's slug", slug(name, 20), name);
}

}  // namespace
}  // namespace chorus::base

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    const std::string_view text = fuzz::text_of(bytes, size);
    base::check_visible(text, base::Newlines::keep);
    base::check_visible(text, base::Newlines::escape);
    base::check_utf8(text);
    base::check_names(text);
    return 0;
}
