#include "context/pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "base/text.hpp"

namespace chorus::context {
namespace {

std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0) != 0x80) ++units;
        if (byte >= 0xf0) ++units;
    }
    return units;
}

// Whether the text ends inside a code block, looked at line by line.
bool ends_in_code(std::string_view text) {
    std::string open;
    for (std::string_view line : base::split(text, '\n')) {
        if (line.size() >= 200) continue;
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string_view::npos || indent > 3) continue;
        line.remove_prefix(indent);
        const char mark = line.front();
        if (mark != '`' && mark != '~') continue;
        const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
        if (length < 3 || length > 16) continue;
        const std::string_view info = base::trim(line.substr(length));
        if (mark == '`' && info.find('`') != std::string_view::npos) continue;
        if (open.empty())
            open = std::string(length, mark);
        else if (info.empty() && open.front() == mark && length >= open.size())
            open.clear();
    }
    return !open.empty();
}

void expect_sound(const std::string& text, std::size_t most) {
    const auto pieces = split_text(text, most);
    std::string joined;
    for (const Piece& piece : pieces) {
        ASSERT_FALSE(piece.text.empty()) << text;
        joined += piece.text;
        EXPECT_LE(utf16_length(piece.body()), most) << text;
        EXPECT_FALSE(base::find_invalid_utf8(piece.body())) << text;
        const bool is_last = &piece == &pieces.back();
        EXPECT_EQ(ends_in_code(piece.body()), is_last && ends_in_code(text))
            << piece.body() << "\nof\n"
            << text;
    }
    EXPECT_EQ(joined, text);
}

std::vector<std::string> bodies(const std::string& text, std::size_t most) {
    std::vector<std::string> all;
    for (const Piece& piece : split_text(text, most)) all.push_back(piece.body());
    return all;
}

std::string lines(std::size_t count, const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += line + "\n";
    return text;
}

TEST(Pieces, of_a_short_text_are_the_text) {
    EXPECT_TRUE(split_text("", 100).empty());
    EXPECT_EQ(bodies("hello", 100), std::vector<std::string>{"hello"});
    const std::string full(100, 'x');
    EXPECT_EQ(bodies(full, 100), std::vector<std::string>{full});
    EXPECT_EQ(bodies("```\nopen", 100), std::vector<std::string>{"```\nopen"});
}

TEST(Pieces, end_between_paragraphs_then_lines_then_words_then_characters) {
    const std::string paragraph = std::string(60, 'a') + "\n\n";
    EXPECT_EQ(bodies(paragraph + lines(3, std::string(20, 'b')), 100),
              (std::vector<std::string>{paragraph, lines(3, std::string(20, 'b'))}));
    const std::string line(30, 'c');
    EXPECT_EQ(bodies(lines(4, line), 100),
              (std::vector<std::string>{lines(3, line), lines(1, line)}));
    EXPECT_EQ(bodies(std::string(70, 'd') + " " + std::string(60, 'e'), 100),
              (std::vector<std::string>{std::string(70, 'd') + " ", std::string(60, 'e')}));
    EXPECT_EQ(bodies(std::string(150, 'f'), 100),
              (std::vector<std::string>{std::string(100, 'f'), std::string(50, 'f')}));
    // a paragraph's end right at the beginning is not worth a piece
    EXPECT_EQ(bodies("g\n\n" + std::string(150, 'h'), 100).front().size(), 100U);
}

TEST(Pieces, keep_a_code_block_whole_where_it_fits_in_one) {
    const std::string before = std::string(60, 'a') + "\n";
    const std::string block = "```cpp\n" + lines(4, "int value = 1;") + "```\n";
    EXPECT_EQ(bodies(before + block, 100), (std::vector<std::string>{before, block}));
}

TEST(Pieces, close_a_code_block_that_does_not_and_open_it_again) {
    const std::string line(38, 'x');
    const auto all = bodies("~~~cpp linenos\n" + lines(3, line) + "~~~\nend\n", 100);
    EXPECT_EQ(all, (std::vector<std::string>{"~~~cpp linenos\n" + line + "\n" + line + "\n~~~",
                                             "~~~cpp\n" + line + "\n~~~\nend\n"}));
}

// What is cut off of it makes a fence of a line that is none, and the other way round.
TEST(Pieces, see_a_line_that_is_cut_as_its_reader_does) {
    for (const std::string& line : std::vector<std::string>{
             "```" + std::string(150, 'a') + "```b", "~~~" + std::string(400, 'a'),
             std::string(99, '`') + "~~~", "``` " + std::string(97, ' ') + "text ```", "~~~ ~~~",
             "``` " + std::string(150, 'x')}) {
        expect_sound(line + "\nmore\n" + std::string(99, 'm'), 100);
        expect_sound("```\n" + line + "\nmore\n" + std::string(99, 'm'), 100);
    }
}

TEST(Pieces, never_split_a_character) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "\xf0\x9f\x8e\xb5";
    for (const Piece& piece : split_text(text, 101)) {
        EXPECT_EQ(piece.text.size() % 4, 0U);
        EXPECT_LE(piece.text.size(), 200U) << "two units each";
    }
    expect_sound(text, 101);
}

TEST(Pieces, of_a_huge_line_take_no_time) {
    std::string text;
    while (text.size() < (4U << 20)) text += "~~~ ```x ";
    const auto pieces = split_text(text, 2000);
    EXPECT_GT(pieces.size(), 2000U);
    EXPECT_LT(pieces.size(), 5000U);
}

TEST(Pieces, are_sound_whatever_the_text) {
    constexpr std::array<std::string_view, 24> parts{
        "a",       "word",      " ",     "  ",      "\n",        "\n\n",
        "```",     "~~~",       "\n```", "\n```\n", "````",      "\n````cpp\n",
        "\n~~~\n", "\n```py\n", "   ",   "`",       "~",         "ä",
        "😀",       "漢字漢字",  "\r\n",  "\t",      "    ```\n", "a long word that is a sentence"};
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        const std::size_t count = random() % 200;
        const std::size_t kinds = 2 + random() % (parts.size() - 1);
        const std::size_t first = random() % parts.size();
        for (std::size_t i = 0; i < count; ++i)
            text += parts[(first + random() % kinds) % parts.size()];
        expect_sound(text, 100 + random() % 100);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

}  // namespace
}  // namespace chorus::context
