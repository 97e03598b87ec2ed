#include "tools/line_search.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <string>
#include <vector>

#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

std::vector<LineMatch> search(const std::string& pattern, std::string_view text) {
    RE2::Options options;
    options.set_never_nl(true);
    const RE2 compiled("(?m)" + pattern, options);
    const std::function<bool()> never = [] { return false; };
    LineSearch lines(compiled, text, never);
    std::vector<LineMatch> found;
    while (const std::optional<LineMatch> match = lines.next()) found.push_back(*match);
    return found;
}

TEST(LineSearch, EveryLineOnceAcrossPieces) {
    std::string text;
    for (std::size_t i = 1; i <= 10'000; ++i) text += std::to_string(i) + " x x\n";
    ASSERT_GT(text.size(), LineSearch::piece_bytes * 3);
    for (const std::string pattern : {"x", "^", "$", "", "x$", "^[0-9]+ "}) {
        const std::vector<LineMatch> found = search(pattern, text);
        ASSERT_EQ(found.size(), 10'000U) << pattern;
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].number, i + 1) << pattern;
            ASSERT_EQ(found[i].line, std::to_string(i + 1) + " x x") << pattern;
        }
    }
}

TEST(LineSearch, APieceEndsNoLine) {
    for (std::size_t more = 0; more < 3; ++more) {
        const std::string text = repeated("a", LineSearch::piece_bytes - 1 + more) + "\nb\n";
        EXPECT_EQ(search("$", text).size(), 2U) << more;
        EXPECT_EQ(search("^", text).size(), 2U) << more;
        EXPECT_EQ(search("b", text).size(), 1U) << more;
        EXPECT_EQ(search("^a", text).size(), 1U) << more;
        EXPECT_EQ(search("a$", text).size(), 1U) << more;
    }
}

TEST(LineSearch, MatchesAtEveryPlaceOfALongLine) {
    constexpr std::size_t length = LineSearch::piece_bytes * 2 + 100;
    const std::string needle = repeated("n", LineSearch::overlap_bytes - 1) + "m";
    for (std::size_t at = 0; at + needle.size() <= length; at += 777) {
        std::string text = "first\n" + repeated("x", length) + "\nlast\n";
        text.replace(6 + at, needle.size(), needle);
        const std::vector<LineMatch> found = search("n[^m]*m", text);
        ASSERT_EQ(found.size(), 1U) << at;
        EXPECT_EQ(found[0].number, 2U);
        EXPECT_EQ(found[0].start, at);
    }
}

TEST(LineSearch, AnAnchorHoldsOnlyAtTheLinesEnds) {
    const std::string text = repeated("x", LineSearch::piece_bytes * 3) + "\n";
    EXPECT_TRUE(search("^y|xy$|x$y", text).empty());
    EXPECT_EQ(search("x$", text).at(0).start, text.size() - 2);
}

TEST(LineSearch, ItIsLateBetweenPieces) {
    const RE2 pattern("y");
    const std::string text = repeated("x\n", LineSearch::piece_bytes * 5);
    int asked = 0;
    const std::function<bool()> late = [&] { return ++asked == 3; };
    EXPECT_FALSE(LineSearch(pattern, text, late).next());
    EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace chorus::tools
