#include <sys/stat.h>

#include "base/text.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class View : public Workspace {
  protected:
    std::string lines(std::size_t count) const {
        std::string text;
        for (std::size_t i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
        return text;
    }
};

TEST_F(View, NumbersLines) {
    put("a.txt", "one\n\n\tthree");
    EXPECT_EQ(ok("view", R"({"path":"a.txt"})"), "     1\tone\n     2\t\n     3\t\tthree\n");
}

TEST_F(View, OffsetAndLimitChooseLinesAndSayHowToGoOn) {
    put("a.txt", lines(10));
    EXPECT_EQ(ok("view", R"({"path":"a.txt","offset":3,"limit":2})"),
              "     3\tline 3\n     4\tline 4\n"
              "[lines 3-4 of 10 are shown; continue with offset 5]\n");
    EXPECT_EQ(ok("view", R"({"path":"a.txt","offset":10})"), "    10\tline 10\n");
    EXPECT_EQ(fails("view", R"({"path":"a.txt","offset":11})"),
              "a.txt: offset 11 is past the end, the file has 10 lines");
    fails("view", R"({"path":"a.txt","offset":0})");
    fails("view", R"({"path":"a.txt","limit":0})");
    EXPECT_TRUE(has(ok("view", R"({"path":"a.txt","offset":9,"limit":9223372036854775807})"),
                    "    10\tline 10"));
}

TEST_F(View, TwoThousandLinesAreTheDefault) {
    put("a.txt", lines(2000));
    EXPECT_FALSE(has(ok("view", R"({"path":"a.txt"})"), "are shown"));
    put("a.txt", lines(2001));
    const std::string text = ok("view", R"({"path":"a.txt"})");
    EXPECT_TRUE(has(text, "[lines 1-2000 of 2001 are shown; continue with offset 2001]"));
    EXPECT_FALSE(has(text, "line 2001\n"));
}

TEST_F(View, TheResultIsBoundedAtWholeLines) {
    put("a.txt", repeated(repeated("x", 1'000) + "\n", 60));
    const std::string text = ok("view", R"({"path":"a.txt"})");
    EXPECT_LE(base::utf8_length(text), 50'000U);
    EXPECT_TRUE(has(text, "[lines 1-49 of 60 are shown; continue with offset 50]"));
}

TEST_F(View, LongLinesAreCutAtTwoThousandCharacters) {
    put("a.txt", repeated("x", 2'000) + "\n" + repeated("ü", 2'001) + "\n" +
                     repeated("\xf0\x9f\x98\x80", 2'001) + "\nend\n");
    const std::string text = ok("view", R"({"path":"a.txt"})");
    EXPECT_TRUE(has(text, "     1\t" + repeated("x", 2'000) + "\n"));
    EXPECT_TRUE(has(text, "     2\t" + repeated("ü", 2'000) + " [line cut: 4002 bytes in all]\n"));
    EXPECT_TRUE(has(text, " [line cut: 8004 bytes in all]\n     4\tend\n"));
}

TEST_F(View, ALineLongerThanAChunkIsOneLine) {
    put("a.txt", repeated("x", 200'000) + "\nsecond\n");
    const std::string text = ok("view", R"({"path":"a.txt"})");
    EXPECT_TRUE(has(text, "[line cut: 200000 bytes in all]\n     2\tsecond\n"));
}

TEST_F(View, EmptyFilesAndLinesThatEndInCrlfAreSaid) {
    put("empty", "");
    EXPECT_EQ(ok("view", R"({"path":"empty"})"), "[empty is empty]\n");
    put("dos", "a\r\nb\r\n");
    EXPECT_EQ(ok("view", R"({"path":"dos"})"), "     1\ta\n     2\tb\n[lines end in CRLF]\n");
}

TEST_F(View, BinaryFilesAreRefusedWithTypeAndSize) {
    put("a.png", std::string("\x89PNG\r\n\x1a\n\0\0\0", 11));
    EXPECT_EQ(fails("view", R"({"path":"a.png"})"), "a.png: a binary file (PNG image, 11 bytes)");
    put("a.db", std::string("SQLite format 3\0\x10", 17));
    EXPECT_TRUE(has(fails("view", R"({"path":"a.db"})"), "SQLite database, 17 bytes"));
    put("a.bin", std::string("abc\0", 4));
    EXPECT_TRUE(has(fails("view", R"({"path":"a.bin"})"), "(data, 4 bytes)"));
}

TEST_F(View, BinaryIsANulInTheFirstEightKib) {
    put("last", repeated("x", 8191) + std::string(1, '\0'));
    fails("view", R"({"path":"last"})");
    put("after", repeated("x", 8192) + std::string(1, '\0'));
    ok("view", R"({"path":"after"})");
}

TEST_F(View, InvalidUtf8IsReplaced) {
    put("a.txt", "a\xff\n");
    EXPECT_EQ(ok("view", R"({"path":"a.txt"})"), "     1\ta\xef\xbf\xbd\n");
}

TEST_F(View, DirectoriesAreListed) {
    put("dir/b.txt", "12");
    put("dir/a/x", "");
    put("dir/.git/config", "");
    put("dir/new\nline", "");
    std::filesystem::create_symlink("b.txt", at("dir/link"));
    EXPECT_EQ(ok("view", R"({"path":"dir"})"),
              "a/\nb.txt (2 bytes)\nlink (link)\nnew\\nline (0 bytes)\n");
    EXPECT_EQ(ok("view", R"({"path":"dir","offset":2,"limit":1})"),
              "b.txt (2 bytes)\n[entries 2-2 of 4 are shown; continue with offset 3]\n");
    fails("view", R"({"path":"dir","offset":5})");
    std::filesystem::create_directory(at("none"));
    EXPECT_EQ(ok("view", R"({"path":"none"})"), "[none is an empty directory]\n");
}

TEST_F(View, MissingFilesGetSuggestions) {
    put("src/server.cpp", "");
    put("src/client.cpp", "");
    const std::string text = fails("view", R"({"path":"src/sever.cpp"})");
    EXPECT_TRUE(has(text, "src/sever.cpp: no such file; did you mean src/server.cpp?")) << text;
    EXPECT_TRUE(has(fails("view", R"({"path":"SRC"})"), "did you mean src?"));
    EXPECT_FALSE(has(fails("view", R"({"path":"src/other.txt"})"), "did you mean"));
    fails("view", R"({"path":"no/such/file"})");
}

TEST_F(View, HostilePathsAreRefused) {
    std::filesystem::create_symlink(home + "/outside.txt", at("out"));
    std::filesystem::create_directory_symlink(home, at("up"));
    ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
    for (const std::string path : {"../outside.txt", "/etc/passwd", "out", "up/outside.txt", "fifo",
                                   "a/../../outside.txt", "a\\u0000b"}) {
        const std::string text = fails("view", R"({"path":")" + path + R"("})");
        EXPECT_FALSE(has(text, "outside\n")) << path;
    }
}

TEST_F(View, LinksInsideAreFollowed) {
    put("a.txt", "x\n");
    std::filesystem::create_symlink("a.txt", at("link"));
    EXPECT_EQ(ok("view", R"({"path":"link"})"), "     1\tx\n");
}

}  // namespace
}  // namespace chorus::tools
