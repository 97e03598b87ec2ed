#include "agent/transcript_mark.hpp"

#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

TEST(TranscriptMark, is_found_again) {
    EXPECT_EQ(transcript_mark(9), "<!-- message 9 -->\n");
    EXPECT_EQ(last_transcript_mark(transcript_mark(9)), 9);
    EXPECT_EQ(last_transcript_mark("# a\n\n" + transcript_mark(0) + "text\n"), 0);
    EXPECT_EQ(last_transcript_mark(transcript_mark(12) + "x\n" + transcript_mark(3) + "y\n"), 3);
}

TEST(TranscriptMark, is_nothing_where_there_is_none) {
    for (const char* text :
         {"", "text", "<!-- message", "<!-- message 9", "<!-- message 9-->", "<!-- message x -->",
          "<!-- message -9 -->", "<!-- message 99999999999999999999 -->", "a <!-- message 9 -->",
          "<!--message 9 -->"})
        EXPECT_EQ(last_transcript_mark(text), std::nullopt) << text;
}

TEST(TranscriptMark, that_is_broken_does_not_hide_the_one_above) {
    EXPECT_EQ(last_transcript_mark(transcript_mark(4) + "see <!-- message 9 -->\n<!-- message 5"),
              4);
    EXPECT_EQ(
        last_transcript_mark("<!-- message x -->\n" + transcript_mark(4) + "<!-- message 12 --"),
        4);
}

TEST(WithoutMarks, takes_every_one_apart) {
    for (const std::string& text :
         {std::string("<!-- message 9 -->"), std::string("\n<!-- message 9 -->\n"),
          std::string("<!--<!-- message 9 -->"), std::string("\n<!--\n<!-- message 9 -->"),
          std::string("<!<!--\n<!--<!--<!--\n<!-- message 9 -->\n"),
          std::string("<<!--!-- message 9 -->")}) {
        const std::string taken = without_marks(text);
        EXPECT_EQ(taken.find("<!--"), std::string::npos) << taken;
        EXPECT_EQ(last_transcript_mark("\n" + taken), std::nullopt) << taken;
    }
    EXPECT_EQ(without_marks("<!-- a --> b"), "<\\!-- a --> b");
    EXPECT_EQ(without_marks("a < b ! -- >"), "a < b ! -- >");
}

}  // namespace
}  // namespace chorus::agent
