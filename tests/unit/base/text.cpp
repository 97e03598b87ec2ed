#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace chorus::base {
namespace {

using std::string;
using std::string_view;

const string mark = "\xef\xbf\xbd";  // U+FFFD

// Encodes any number as UTF-8 would, valid or not.
string encoded(char32_t c) {
    const auto byte = [](char32_t value) { return string(1, static_cast<char>(value)); };
    if (c < 0x80) return byte(c);
    if (c < 0x800) return byte(0xc0 | c >> 6) + byte(0x80 | (c & 0x3f));
    if (c < 0x10000)
        return byte(0xe0 | c >> 12) + byte(0x80 | (c >> 6 & 0x3f)) + byte(0x80 | (c & 0x3f));
    return byte(0xf0 | c >> 18) + byte(0x80 | (c >> 12 & 0x3f)) + byte(0x80 | (c >> 6 & 0x3f)) +
           byte(0x80 | (c & 0x3f));
}

TEST(Utf8, takes_every_scalar_value_and_no_surrogate) {
    for (char32_t c = 0; c <= 0x10ffff; c += c < 0x11000 ? 1 : 37) {
        const bool surrogate = c >= 0xd800 && c <= 0xdfff;
        ASSERT_EQ(find_invalid_utf8(encoded(c)).has_value(), surrogate)
            << std::hex << std::uint32_t{c};
    }
    EXPECT_FALSE(find_invalid_utf8(encoded(0x10ffff)));
    EXPECT_TRUE(find_invalid_utf8(encoded(0x110000)));
}

// Every sequence of one and two bytes, and every second byte of three and four, against table 3-7.
TEST(Utf8, follows_the_table_of_well_formed_sequences) {
    const auto is_tail = [](int byte) { return byte >= 0x80 && byte <= 0xbf; };
    const auto second_fits = [&](int first, int second) {
        if (first == 0xe0) return second >= 0xa0 && second <= 0xbf;
        if (first == 0xed) return second >= 0x80 && second <= 0x9f;
        if (first == 0xf0) return second >= 0x90 && second <= 0xbf;
        if (first == 0xf4) return second >= 0x80 && second <= 0x8f;
        return is_tail(second);
    };
    for (int first = 0; first < 256; ++first) {
        const string one(1, static_cast<char>(first));
        ASSERT_EQ(!find_invalid_utf8(one), first < 0x80) << first;
        for (int second = 0; second < 256; ++second) {
            const string two = one + static_cast<char>(second);
            const bool two_ok = (first < 0x80 && second < 0x80) ||
                                (first >= 0xc2 && first <= 0xdf && is_tail(second));
            ASSERT_EQ(!find_invalid_utf8(two), two_ok) << first << ' ' << second;
            const bool three_ok = first >= 0xe0 && first <= 0xef && second_fits(first, second);
            ASSERT_EQ(!find_invalid_utf8(two + "\x80"),
                      three_ok || (first < 0x80 && second >= 0xc2 && second <= 0xdf))
                << first << ' ' << second;
            const bool four_ok = first >= 0xf0 && first <= 0xf4 && second_fits(first, second);
            if (first >= 0xf0) {
                ASSERT_EQ(!find_invalid_utf8(two + "\x80\xbf"), four_ok) << first << ' ' << second;
            }
        }
    }
}

TEST(Utf8, names_the_first_bad_byte) {
    EXPECT_EQ(find_invalid_utf8("abc\xff"), 3U);
    EXPECT_EQ(find_invalid_utf8("ä\x80"), 2U);
    EXPECT_EQ(find_invalid_utf8("a\xe2\x82"), 1U);
    EXPECT_EQ(find_invalid_utf8("a\xe2\x82z"), 1U);
    EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
    EXPECT_EQ(find_invalid_utf8(string_view("a\0b", 3)), std::nullopt);
}

// Table 3-8 of the standard: one mark for each maximal part.
TEST(ReplaceInvalid, puts_one_mark_for_each_maximal_part) {
    EXPECT_EQ(replace_invalid_utf8("\xc0\xaf"), mark + mark);
    EXPECT_EQ(replace_invalid_utf8("\xe0\x80\xbf"), mark + mark + mark);
    EXPECT_EQ(replace_invalid_utf8("\xf0\x81\x82\x41"), mark + mark + mark + "A");
    EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), mark + mark + mark);
    EXPECT_EQ(replace_invalid_utf8("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"),
              mark + mark + mark + mark + mark + "A" + mark + mark + "B");
    EXPECT_EQ(replace_invalid_utf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"),
              mark + mark + mark + mark + "A");
}

TEST(ReplaceInvalid, leaves_what_is_valid) {
    const string text = "a\tä€\U0001f600\n";
    EXPECT_EQ(replace_invalid_utf8(text), text);
    EXPECT_EQ(replace_invalid_utf8(""), "");
    EXPECT_EQ(replace_invalid_utf8("ok\xe2\x82"), "ok" + mark);
}

TEST(ReplaceInvalid, makes_every_pair_of_bytes_valid) {
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second) {
            const string text{static_cast<char>(first), static_cast<char>(second), 'x'};
            const string replaced = replace_invalid_utf8(text);
            ASSERT_FALSE(find_invalid_utf8(replaced)) << first << ' ' << second;
            ASSERT_EQ(replaced.back(), 'x');
        }
}

TEST(Utf8Prefix, never_ends_inside_a_code_point) {
    const string text = "aä€\U0001f600z";
    for (std::size_t bytes = 0; bytes <= text.size() + 2; ++bytes) {
        const string_view prefix = utf8_prefix(text, bytes);
        EXPECT_LE(prefix.size(), bytes);
        EXPECT_GT(prefix.size() + 4, std::min(bytes, text.size()));
        EXPECT_FALSE(find_invalid_utf8(prefix)) << bytes;
        EXPECT_EQ(text.substr(0, prefix.size()), prefix);
        const string_view suffix = utf8_suffix(text, bytes);
        EXPECT_LE(suffix.size(), bytes);
        EXPECT_GT(suffix.size() + 4, std::min(bytes, text.size()));
        EXPECT_FALSE(find_invalid_utf8(suffix)) << bytes;
        EXPECT_EQ(text.substr(text.size() - suffix.size()), suffix);
    }
    EXPECT_EQ(utf8_prefix(text, 3), "aä");
    EXPECT_EQ(utf8_prefix(text, 4), "aä");
    EXPECT_EQ(utf8_suffix(text, 4), "z");
    EXPECT_EQ(utf8_suffix(text, 5), "\U0001f600z");
}

TEST(Utf8Prefix, of_continuation_bytes_alone_is_empty) {
    const string text(10, '\x80');
    EXPECT_EQ(utf8_prefix(text, 5), "");
    EXPECT_EQ(utf8_suffix(text, 5), "");
}

TEST(Utf8Length, counts_code_points) {
    EXPECT_EQ(utf8_length(""), 0U);
    EXPECT_EQ(utf8_length("aä€\U0001f600"), 4U);
}

TEST(Visible, leaves_plain_text_as_it_is) {
    const string text = "a b\tc\nä € \U0001f600 日本 עברית";
    EXPECT_EQ(visible(text), text);
}

TEST(Visible, shows_control_characters) {
    EXPECT_EQ(visible("\x1b[31mred\x1b]0;title\x07"), "\\x1b[31mred\\x1b]0;title\\x07");
    EXPECT_EQ(visible("a\rb\b\x7f"), "a\\x0db\\x08\\x7f");
    EXPECT_EQ(visible(string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(visible(encoded(0x9b) + "31m"), "\\x9b31m");  // CSI in one character
    for (char32_t c = 0; c < 0xa0; ++c) {
        const bool shown = (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f;
        EXPECT_EQ(visible(encoded(c)) != encoded(c), shown) << std::uint32_t{c};
    }
}

TEST(Visible, shows_what_turns_or_hides_text) {
    for (const char32_t c : {0x202aU,  0x202bU,  0x202cU,  0x202dU,  0x202eU,
                             0x2066U,  0x2067U,  0x2068U,  0x2069U,  0x200eU,
                             0x200fU,  0x61cU,  // bidirectional
                             0x200bU,  0x200cU,  0x200dU,  0x2060U,  0xfeffU,
                             0xadU,    0x180eU,  // zero width
                             0x34fU,   0x115fU,  0x1160U,  0x3164U,  0xffa0U,
                             0x17b4U,  0x17b5U,  0x1d173U, 0x1d17aU, 0x180bU,
                             0xfe00U,  0x13430U, 0x1bca0U, 0x2028U,  0x2029U,
                             0xfff9U,  0xfffbU,  // separators, annotation
                             0xe0001U, 0xe0020U, 0xe0041U, 0xe007fU, 0xe0100U,
                             0xe01efU}) {  // tags, selectors
        const string shown = visible("a" + encoded(c) + "b");
        EXPECT_EQ(shown.find(encoded(c)), string::npos) << std::hex << std::uint32_t{c};
        EXPECT_EQ(shown.substr(0, 2), "a\\");
        EXPECT_EQ(shown.back(), 'b');
    }
    EXPECT_EQ(visible(encoded(0x202e)), "\\u202e");
    EXPECT_EQ(visible(encoded(0xe0041)), "\\U0e0041");
}

TEST(Visible, shows_invalid_bytes_one_by_one) {
    EXPECT_EQ(visible("a\xff\xe2\x82z"), "a\\xff\\xe2\\x82z");
    EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

TEST(Visible, is_valid_utf8_whatever_comes) {
    std::uint32_t seed = 1;
    for (int round = 0; round < 500; ++round) {
        string text;
        for (int i = 0; i < 40; ++i) {
            seed = seed * 1664525 + 1013904223;
            text.push_back(static_cast<char>(seed >> 24));
        }
        const string shown = visible(text, Newlines::escape);
        ASSERT_FALSE(find_invalid_utf8(shown));
        ASSERT_EQ(shown.find_first_of("\x1b\r\n\x7f"), string::npos);
    }
}

TEST(Visible, keeps_or_escapes_newlines) {
    EXPECT_EQ(visible("a\nb"), "a\nb");
    EXPECT_EQ(visible("a\nb\r\n", Newlines::escape), "a\\nb\\x0d\\n");
}

TEST(Visible, counts_long_runs_of_blanks) {
    EXPECT_EQ(visible("a" + string(40, ' ') + "b"), "a" + string(40, ' ') + "b");
    EXPECT_EQ(visible("a" + string(41, ' ') + "b"), "a[41 blanks]b");
    EXPECT_EQ(visible(string(5'000, ' ')), "[5000 blanks]");
    EXPECT_EQ(visible(string(41, ' ') + "x" + string(50, ' ')), "[41 blanks]x[50 blanks]");
    EXPECT_EQ(visible(string(50, '\t') + "x"), "[50 blanks]x");
    string mixed;
    for (const char32_t c : {0xa0U, 0x1680U, 0x2003U, 0x202fU, 0x205fU, 0x2800U, 0x3000U})
        for (int i = 0; i < 6; ++i) mixed += encoded(c);
    EXPECT_EQ(visible(mixed + "x"), "[42 blanks]x");
}

TEST(Visible, counts_many_empty_lines) {
    const string kept = "a" + string(41, '\n') + "b";
    EXPECT_EQ(visible(kept), kept);
    EXPECT_EQ(visible("a" + string(42, '\n') + "b"), "a\n[41 empty lines]\nb");
    string blanks;
    for (int i = 0; i < 100; ++i) blanks += " \t\n";
    EXPECT_EQ(visible("a" + blanks + "  b"), "a \t\n[99 empty lines]\n  b");
    EXPECT_EQ(visible(string(50, '\n'), Newlines::escape).size(), 100U);
}

TEST(Trim, takes_blanks_from_both_ends) {
    EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
    EXPECT_EQ(trim(" \n "), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim("x"), "x");
}

TEST(Split, keeps_empty_parts) {
    using Parts = std::vector<string_view>;
    EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
    EXPECT_EQ(split("", ','), (Parts{""}));
    EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
    EXPECT_EQ(split_lines("a\n\nb"), (Parts{"a", "", "b"}));
    EXPECT_EQ(split_lines("a\n"), (Parts{"a"}));
    EXPECT_EQ(split_lines("\n\n"), (Parts{"", ""}));
    EXPECT_EQ(split_lines(""), (Parts{}));
}

TEST(Join, puts_the_separator_between) {
    EXPECT_EQ(join({}, ","), "");
    EXPECT_EQ(join({"a"}, ","), "a");
    EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

TEST(Lower, changes_ascii_letters_alone) {
    EXPECT_EQ(to_lower_ascii("AZaz@[Ä"), "azaz@[Ä");
}

TEST(QuotedList, reads_like_a_sentence) {
    EXPECT_EQ(quoted_list({}), "");
    EXPECT_EQ(quoted_list({"a"}), "'a'");
    EXPECT_EQ(quoted_list({"a", "b"}), "'a' and 'b'");
    EXPECT_EQ(quoted_list({"a", "b", "c"}), "'a', 'b' and 'c'");
}

TEST(Slug, is_plain_and_short) {
    EXPECT_EQ(slug("Fix the  login/Page!", 48), "fix-the-login-page");
    EXPECT_EQ(slug("--a--", 48), "a");
    EXPECT_EQ(slug("Über ä", 48), "ber");
    EXPECT_EQ(slug("../../etc/passwd", 48), "etc-passwd");
    EXPECT_EQ(slug("日本", 48), "");
    EXPECT_EQ(slug("abc-def", 4), "abc");
    EXPECT_EQ(slug(string(100, 'x'), 48).size(), 48U);
}

TEST(Hex, is_two_digits_a_byte) {
    EXPECT_EQ(hex(string_view("\x00\x0f\xff\x10", 4)), "000fff10");
}

// C-67
TEST(EstimatedTokens, is_a_quarter_of_the_bytes) {
    EXPECT_EQ(estimated_tokens(""), 0U);
    EXPECT_EQ(estimated_tokens("abc"), 1U);
    EXPECT_EQ(estimated_tokens("abcd"), 1U);
    EXPECT_EQ(estimated_tokens("abcde"), 2U);
}

TEST(FindHidden, finds_what_visible_does_not_show) {
    EXPECT_FALSE(find_hidden("plain\n\ttext \u00fc \u6f22"));
    const auto found = find_hidden("ab\u202ec");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 2U);
    EXPECT_EQ(found->size, 3U);
    EXPECT_EQ(found->code_point, U'\u202e');
    EXPECT_FALSE(find_hidden("ab\u202ec", 5));
    const auto invalid = find_hidden("a\xe2\x82z");
    ASSERT_TRUE(invalid);
    EXPECT_EQ(invalid->offset, 1U);
    EXPECT_EQ(invalid->size, 2U);
    EXPECT_FALSE(invalid->code_point);
    for (char32_t c = 0; c <= 0x10ffff; ++c) {
        const string text = encoded(c);
        if (c == '\n' || c == '\t' || (c >= 0xd800 && c <= 0xdfff)) continue;
        ASSERT_EQ(find_hidden(text).has_value(), visible(text) != text)
            << static_cast<std::uint32_t>(c);
    }
}

TEST(Text, TrimEndKeepsTheBeginning) {
    EXPECT_EQ(trim_end(" a b \t\r\n\v\f"), " a b");
    EXPECT_EQ(trim_end(" \n"), "");
    EXPECT_EQ(trim_end(""), "");
}

TEST(Text, AByteOrderMarkCountsAtTheBeginningOnly) {
    EXPECT_EQ(without_bom("\xEF\xBB\xBF{}"), "{}");
    EXPECT_EQ(without_bom(" \xEF\xBB\xBF"), " \xEF\xBB\xBF");
    EXPECT_EQ(without_bom("\xEF\xBB"), "\xEF\xBB");
}

TEST(Text, TheUserOfAUrlIsBeforeItsHost) {
    EXPECT_EQ(user_of_url("https://u:p@h/v1"), "u:p");
    EXPECT_EQ(user_of_url("https://u:p@q@h"), "u:p@q");
    EXPECT_EQ(user_of_url("u@h:1"), "u");
    EXPECT_EQ(user_of_url("https://@h"), "");
    for (const char* url : {"https://h/team@1/v1", "https://h", "h", ""})
        EXPECT_FALSE(user_of_url(url)) << url;
}

}  // namespace
}  // namespace chorus::base
