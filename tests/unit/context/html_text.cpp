#include "context/html_text.hpp"

#include <gtest/gtest.h>

namespace chorus::context {
namespace {

using namespace std::string_literals;

std::string hidden(const std::string& number) {
    return "<code class=\"hidden\">" + number + "</code>";
}

TEST(HtmlText, NothingBeginsATagAnEntityOrEndsAnAttribute) {
    EXPECT_EQ(html("</script><b x='1' y=\"2\">&amp;"),
              "&lt;/script&gt;&lt;b x=&#39;1&#39; y=&quot;2&quot;&gt;&amp;amp;");
    EXPECT_EQ(attribute("\" onclick='x' <"), "&quot; onclick=&#39;x&#39; &lt;");
    EXPECT_EQ(html("]]>-->"), "]]&gt;--&gt;");
}

TEST(HtmlText, PlainTextStaysAsItIs) {
    EXPECT_EQ(html(""), "");
    EXPECT_EQ(html("a\n\tb – ü 漢字 😀 שלום"), "a\n\tb – ü 漢字 😀 שלום");
    EXPECT_EQ(html("one\r\ntwo"), "one\ntwo");
}

TEST(HtmlText, WhatHasNoGlyphStandsThereByItsNumber) {
    EXPECT_EQ(html("a\u202eb"), "a" + hidden("U+202E") + "b");
    EXPECT_EQ(html("\u2066\u200b\ufeff"), hidden("U+2066") + hidden("U+200B") + hidden("U+FEFF"));
    EXPECT_EQ(html("x\0y"s), "x" + hidden("U+0000") + "y");
    EXPECT_EQ(html("\x1b[31m\x7f"), hidden("U+001B") + "[31m" + hidden("U+007F"));
    EXPECT_EQ(html("\r"), hidden("U+000D"));
    EXPECT_EQ(html("\xf3\xa0\x81\x81"), hidden("U+E0041"));
    EXPECT_EQ(attribute("a\u202eb"), "aU+202Eb");
}

TEST(HtmlText, InvalidBytesAreNamed) {
    EXPECT_EQ(html("a\xff<"), "a" + hidden("0xFF") + "&lt;");
    EXPECT_EQ(html("\xed\xa0\x80"), hidden("0xED") + hidden("0xA0") + hidden("0x80"));
    EXPECT_EQ(html("\xe2\x82"), hidden("0xE20x82"));
    EXPECT_EQ(html("\xc0\xbc"
                   "script"),
              hidden("0xC0") + hidden("0xBC") + "script");
}

// Whatever the bytes are, the markup is ours alone.
TEST(HtmlText, NoTwoBytesMakeMarkup) {
    for (int first = 0; first < 256; ++first)
        for (int second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            const std::string out = attribute(text);
            ASSERT_EQ(out.find_first_of("<>\"'"), std::string::npos) << first << " " << second;
            for (const char c : out)
                ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                    << first << " " << second;
        }
}

}  // namespace
}  // namespace chorus::context
