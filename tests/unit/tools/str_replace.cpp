#include <sys/stat.h>

#include "chat/json_text.hpp"
#include "tools/replacement.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class StrReplace : public Workspace {
  protected:
    static std::string json(const std::string& old_str, const std::string& new_str,
                            bool all = false) {
        chat::JsonText text;
        text.begin_object().key("path").string("a.txt").key("old_str").string(old_str);
        text.key("new_str").string(new_str).key("all").boolean(all).end_object();
        return text.take();
    }
};

TEST_F(StrReplace, ReplacesTheOneMatchAndShowsThreeLinesAround) {
    put("a.txt", "1\n2\n3\n4\nold\n6\n7\n8\n9\n");
    EXPECT_EQ(ok("str_replace", json("old", "new\nlines")),
              "replaced 1 match in a.txt\n     2\t2\n     3\t3\n     4\t4\n     5\tnew\n"
              "     6\tlines\n     7\t6\n     8\t7\n     9\t8\n");
    EXPECT_EQ(get("a.txt"), "1\n2\n3\n4\nnew\nlines\n6\n7\n8\n9\n");
}

TEST_F(StrReplace, AtTheEndsOfTheFile) {
    put("a.txt", "first\nlast");
    EXPECT_EQ(ok("str_replace", json("last", "end\n")),
              "replaced 1 match in a.txt\n     1\tfirst\n     2\tend\n");
    EXPECT_EQ(ok("str_replace", json("first\nend\n", "")), "replaced 1 match in a.txt\n");
    EXPECT_EQ(get("a.txt"), "");
}

TEST_F(StrReplace, SeveralMatchesNeedAll) {
    put("a.txt", "x\nx\n1\n2\n3\n4\n5\n6\n7\n8\nx\n");
    EXPECT_EQ(
        fails("str_replace", json("x", "y")),
        "a.txt: old_str was found 3 times, at lines 1, 2, 11; nothing was changed. Include more of "
        "the text around the one you mean, or set 'all'");
    EXPECT_EQ(get("a.txt").front(), 'x');
    EXPECT_EQ(ok("str_replace", json("x", "y", true)),
              "replaced 3 matches in a.txt\n     1\ty\n     2\ty\n     3\t1\n     4\t2\n     5\t3\n"
              "   ...\n     8\t6\n     9\t7\n    10\t8\n    11\ty\n");
    EXPECT_EQ(get("a.txt"), "y\ny\n1\n2\n3\n4\n5\n6\n7\n8\ny\n");
}

TEST_F(StrReplace, ManyPlacesAreShownInPart) {
    put("a.txt", repeated("x\n\n\n\n\n\n\n\n\n", 11));
    const std::string text = ok("str_replace", json("x", "y", true));
    EXPECT_TRUE(has(text, "replaced 11 matches"));
    EXPECT_TRUE(has(text, "[only the first 10 places are shown]"));
}

TEST_F(StrReplace, AReplacementMayHoldWhatItReplaces) {
    put("a.txt", "aaa");
    ok("str_replace", json("a", "aa", true));
    EXPECT_EQ(get("a.txt"), "aaaaaa");
}

TEST_F(StrReplace, NoMatchHintsAtWhiteSpace) {
    put("a.txt", "int main() {\n\treturn  0;\n}\n");
    EXPECT_EQ(fails("str_replace", json("{\n    return 0;\n}", "x")),
              "a.txt: old_str was not found; nothing was changed. It would match at line 1 if "
              "white space were ignored: view those lines and copy them exactly");
    EXPECT_EQ(fails("str_replace", json("return 1;", "x")),
              "a.txt: old_str was not found; nothing was changed");
    EXPECT_TRUE(has(fails("str_replace", json("int main() {\nreturn 2;", "x")),
                    "Only its first line was found, at line 1"));
    EXPECT_TRUE(has(fails("str_replace", json(" \n \n", "x")), "was not found"));
}

TEST_F(StrReplace, CallsThatChangeNothingAreErrors) {
    put("a.txt", "x");
    EXPECT_TRUE(has(fails("str_replace", json("", "y")), "old_str is empty"));
    EXPECT_TRUE(has(fails("str_replace", json("x", "x")), "are the same"));
    std::filesystem::remove(at("a.txt"));
    EXPECT_TRUE(has(fails("str_replace", json("x", "y")), "no such file"));
    put("a.txt", std::string("x\0", 2));
    EXPECT_TRUE(has(fails("str_replace", json("x", "y")), "binary file"));
}

TEST_F(StrReplace, KeepsModeAndOtherBytes) {
    put("a.txt", "\xff old \xfe\n");
    ASSERT_EQ(chmod(at("a.txt").c_str(), 0711), 0);
    ok("str_replace", json("old", "new"));
    EXPECT_EQ(get("a.txt"), "\xff new \xfe\n");
    struct stat status {};
    ASSERT_EQ(stat(at("a.txt").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0711U);
}

TEST_F(StrReplace, LineEndsOfAFileInCrlfAreKept) {
    put("a.txt", "one\r\ntwo\r\nthree\r\n");
    ok("str_replace", json("one\ntwo", "1\n2\n2b"));
    EXPECT_EQ(get("a.txt"), "1\r\n2\r\n2b\r\nthree\r\n");
    put("a.txt", "one\r\ntwo\n");
    fails("str_replace", json("one\ntwo", "x"));
    ok("str_replace", json("one\r\ntwo", "x"));
    EXPECT_EQ(get("a.txt"), "x\n");
}

TEST(Replacement, FindsWithoutOverlap) {
    EXPECT_EQ(find_all("aaaa", "aa"), (std::vector<std::size_t>{0, 2}));
    EXPECT_TRUE(find_all("", "a").empty());
}

TEST(Replacement, LinesBelongToTheNewText) {
    const Replaced result = replace_at("a\nX\nb\nX\n", {2, 6}, 1, "1\n2\n");
    EXPECT_EQ(result.text, "a\n1\n2\n\nb\n1\n2\n\n");
    ASSERT_EQ(result.changed.size(), 2U);
    EXPECT_EQ(result.changed[0].first, 2U);
    EXPECT_EQ(result.changed[0].last, 3U);
    EXPECT_EQ(result.changed[1].first, 6U);
}

}  // namespace
}  // namespace chorus::tools
