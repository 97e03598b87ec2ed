#include "cli/live_view.hpp"

#include <gtest/gtest.h>

namespace chorus::cli {
namespace {

using Lines = std::vector<std::string>;

TEST(Frame, overwrites_the_one_before_without_clearing_the_screen_first) {
    const std::string text = frame_text({"one", "two"}, {.rows = 24, .columns = 80});
    EXPECT_EQ(text, "\x1b[Hone\x1b[K\r\ntwo\x1b[K\r\n\x1b[J");
    EXPECT_EQ(text.find("\x1b[2J"), std::string::npos);
}

// A frame that filled the last row too would scroll with its last newline.
TEST(Frame, is_never_higher_than_the_screen) {
    Lines lines(30, "x");
    for (const std::size_t rows : {1, 2, 3, 24, 30, 31, 40}) {
        const std::string text = frame_text(lines, {.rows = rows, .columns = 80});
        std::size_t newlines = 0;
        for (const char c : text) newlines += c == '\n' ? 1 : 0;
        EXPECT_LT(newlines, std::max<std::size_t>(rows, 2)) << rows;
        const bool cut = rows < 31;
        EXPECT_EQ(text.find("more lines") != std::string::npos, cut) << rows;
    }
    EXPECT_NE(frame_text(lines, {.rows = 24, .columns = 80}).find("… 8 more lines"),
              std::string::npos);
}

TEST(NewLines, are_those_that_were_not_in_the_frame_before) {
    NewLines fresh;
    EXPECT_EQ(fresh.of({"a", "b"}), (Lines{"a", "b"}));
    EXPECT_EQ(fresh.of({"a", "b"}), Lines{});
    EXPECT_EQ(fresh.of({"a", "c"}), Lines{"c"});
    EXPECT_EQ(fresh.of({"c", "a", "b"}), Lines{"b"});  // it came back
    EXPECT_EQ(fresh.of({}), Lines{});
}

}  // namespace
}  // namespace chorus::cli
