#include "base/width.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

TEST(Width, is_of_columns_not_of_bytes_or_characters) {
    EXPECT_EQ(display_width(""), 0U);
    EXPECT_EQ(display_width("npm test"), 8U);
    EXPECT_EQ(display_width("naïve"), 5U);
    EXPECT_EQ(display_width("日本語"), 6U);
    EXPECT_EQ(display_width("한국어"), 6U);
    EXPECT_EQ(display_width("ｆｕｌｌ"), 8U);
    EXPECT_EQ(display_width("e\u0301"), 1U);  // an accent of its own
    EXPECT_EQ(display_width("🚀"), 2U);
    EXPECT_EQ(display_width("…"), 1U);
}

TEST(Width, takes_what_is_no_utf8_too) {
    EXPECT_EQ(display_width("\xff\x80"), 2U);
    EXPECT_EQ(display_width("a\xe6\x97"), 3U);
    EXPECT_EQ(display_width("a\xf0"), 2U);
}

TEST(Width, cut_text_fits_and_says_so) {
    EXPECT_EQ(cut_to_width("npm test", 8), "npm test");
    EXPECT_EQ(cut_to_width("npm test", 7), "npm te…");
    EXPECT_EQ(cut_to_width("npm test", 1), "…");
    EXPECT_EQ(cut_to_width("npm test", 0), "");
    EXPECT_EQ(cut_to_width("", 0), "");
    EXPECT_EQ(cut_to_width("日本語", 6), "日本語");
    EXPECT_EQ(cut_to_width("日本語", 5), "日本…");
    EXPECT_EQ(cut_to_width("日本語", 4), "日…");  // a half of a wide one is none of it
    EXPECT_EQ(cut_to_width("ae\u0301bc", 3), "ae\u0301…");
}

// Whatever is cut to, it takes no more.
TEST(Width, never_takes_more_than_it_was_cut_to) {
    const std::string text = "a日e\u0301🚀ｆ한…z\xff";
    for (std::size_t columns = 0; columns < 16; ++columns) {
        EXPECT_LE(display_width(cut_to_width(text, columns)), columns);
        EXPECT_GE(display_width(cut_to_width(text, columns)) + 2,
                  std::min(columns, display_width(text)));
    }
}

}  // namespace
}  // namespace chorus::base
