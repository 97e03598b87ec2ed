// Text as bytes: UTF-8 checks, making untrusted text visible, small string work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::base {

struct Decoded {
    char32_t code_point = 0;
    std::size_t size = 1;  // bytes taken; for an invalid part, its maximal length
    bool valid = false;
};
// Decodes the first character of a text that is not empty.
Decoded decode(std::string_view text);
// The offset of the first byte that is not valid UTF-8 (overlong forms, surrogates and values over
// U+10FFFF are not), or nothing.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
// Each maximal invalid part becomes one U+FFFD (the Unicode standard's recommended practice).
std::string replace_invalid_utf8(std::string_view text);
// The longest prefix of at most `bytes` bytes that does not end inside a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);
// Likewise for the longest suffix.
std::string_view utf8_suffix(std::string_view text, std::size_t bytes);
std::size_t utf8_length(std::string_view text);
// Returns how many bytes at the end belong to an unfinished character.
std::size_t unfinished_utf8(std::string_view text);

enum class Newlines { keep, escape };
// Makes untrusted text safe for a terminal, a log or a question. C0 except newline and tab, DEL,
// C1, bidirectional, zero-width and tag characters and invalid bytes are shown as escapes (\x1b,
// \u202e). A run of more than 40 blanks of any kind, or of more than 40 empty lines, is replaced by
// its count. Nothing is cut. With Newlines::escape a newline becomes "\n".
std::string visible(std::string_view text, Newlines newlines = Newlines::keep);

// Returns 'text' in quotes, made visible with Newlines::escape, for messages that quote input.
std::string quoted(std::string_view text);

// A part that visible() escapes, apart from runs of blanks and newlines: one hidden character or a
// maximal invalid part.
struct Hidden {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::optional<char32_t> code_point;  // empty: invalid bytes
};
// The first one at or after `from`.
std::optional<Hidden> find_hidden(std::string_view text, std::size_t from = 0);

std::string_view trim(std::string_view text);
std::string_view trim_end(std::string_view text);
// The user part of a URL, before the "@" of its host, which may hold a password: "u:p".
std::optional<std::string_view> user_of_url(std::string_view url);
// Without a byte order mark at the beginning.
std::string_view without_bom(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
// Lines without their newline; a last line without one counts.
std::vector<std::string_view> split_lines(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// "a, b and 7 more": names at most `most` of them.
std::string first_few(const std::vector<std::string>& parts, std::size_t most);
// "1 line", "12 lines"
std::string counted(std::int64_t number, std::string_view noun);
std::string to_lower_ascii(std::string_view text);
inline bool is_one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}
// "a, b and c", each in quotes: for messages that list the valid values.
std::string quoted_list(const std::vector<std::string>& values);
// Lower case, [a-z0-9-], runs of other characters become one '-', trimmed, at most `most` bytes.
std::string slug(std::string_view text, std::size_t most);
std::string hex(std::string_view bytes);
// "9 (KILL)"
std::string signal_name(int number);
// Estimate for budgets until a provider reports token counts: bytes / 4.
std::size_t estimated_tokens(std::string_view text);

}  // namespace chorus::base
