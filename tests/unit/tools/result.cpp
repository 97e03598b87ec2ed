#include "tools/result.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace chorus::tools {
namespace {

TEST(Bounded, FiftyThousandCharactersAreWhole) {
    const std::string whole(50'000, 'x');
    EXPECT_EQ(answer(whole, Keep::start, "how").text, whole);
    EXPECT_EQ(answer(whole, Keep::end, "how").text, whole);
}

TEST(Bounded, OneMoreIsCutAndSaysSo) {
    std::string text(50'001, 'x');
    text.front() = 'A';
    text.back() = 'Z';
    const std::string start = answer(text, Keep::start, "use view").text;
    EXPECT_EQ(base::utf8_length(start), 50'000U);
    EXPECT_EQ(start.front(), 'A');
    EXPECT_TRUE(start.ends_with("x\n[cut: only the start of 50001 characters is shown; use view]"));
    const std::string end = answer(text, Keep::end, "").text;
    EXPECT_EQ(base::utf8_length(end), 50'000U);
    EXPECT_EQ(end.back(), 'Z');
    EXPECT_TRUE(end.starts_with("[cut: only the end of 50001 characters is shown]\nx"));
}

TEST(Bounded, CountsCharactersNotBytes) {
    std::string umlauts;
    for (int i = 0; i < 50'000; ++i) umlauts += "ü";
    EXPECT_EQ(answer(umlauts, Keep::end, "").text, umlauts);
    for (const Keep keep : {Keep::start, Keep::end}) {
        const std::string cut = answer(umlauts + "ü", keep, "").text;
        EXPECT_EQ(base::utf8_length(cut), 50'000U);
        EXPECT_FALSE(base::find_invalid_utf8(cut));
    }
}

TEST(Bounded, InvalidBytesAreReplacedBeforeTheyAreCounted) {
    EXPECT_EQ(answer("a\xff"
                     "b",
                     Keep::start, "")
                  .text,
              "a\xef\xbf\xbd"
              "b");
    const std::string cut = answer(std::string(60'000, '\x80'), Keep::end, "").text;
    EXPECT_EQ(base::utf8_length(cut), 50'000U);
    EXPECT_FALSE(base::find_invalid_utf8(cut));
}

TEST(Bounded, ABoundSmallerThanTheNoteIsNoCrash) {
    EXPECT_TRUE(bounded_to(5, "0123456789", Keep::end, "").starts_with("[cut"));
}

TEST(Characters, FirstAndLast) {
    EXPECT_EQ(first_characters("äöü", 2), "äö");
    EXPECT_EQ(last_characters("äöü", 2), "öü");
    EXPECT_EQ(first_characters("äöü", 3), "äöü");
    EXPECT_EQ(last_characters("äöü", 0), "");
    EXPECT_EQ(first_characters("äöü", 0), "");
}

TEST(Listed, ANameStartsNoLineOfItsOwn) {
    EXPECT_EQ(listed("a\nb"), "a\\nb");
    EXPECT_EQ(listed("a  b ü"), "a  b ü");
    EXPECT_EQ(listed("a\xff"), "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace chorus::tools
