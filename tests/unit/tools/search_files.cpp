#include <sys/stat.h>

#include <chrono>

#include "base/text.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class SearchFiles : public Workspace {
  protected:
    std::string search(const std::string& pattern, const std::string& more = "") const {
        return ok("search_files", R"({"pattern":")" + pattern + "\"" + more + "}");
    }
};

TEST_F(SearchFiles, AnswersPathLineText) {
    put("b.txt", "one\ntwo\nthree two\n");
    put("a/x.txt", "two");
    EXPECT_EQ(search("two"), "a/x.txt:1:two\nb.txt:2:two\nb.txt:3:three two\n");
    EXPECT_EQ(search("t(w|h)", R"(,"path":"b.txt")"), "b.txt:2:two\nb.txt:3:three two\n");
    EXPECT_EQ(search("two", R"(,"path":"a")"), "a/x.txt:1:two\n");
    EXPECT_EQ(search("nowhere"), "no match\n");
}

TEST_F(SearchFiles, LinesAreMatchedOneByOne) {
    put("a", "one\ntwo\n\nfour\n");
    EXPECT_EQ(search("^two$"), "a:2:two\n");
    EXPECT_EQ(search("^$"), "a:3:\n");
    EXPECT_EQ(search("one\\\\stwo"), "no match\n");
    EXPECT_EQ(search("one[^x]two"), "no match\n");
    EXPECT_EQ(search("one\\ntwo"), "no match\n");
    EXPECT_EQ(search(""), "a:1:one\na:2:two\na:3:\na:4:four\n");
    EXPECT_EQ(search("x*$"), "a:1:one\na:2:two\na:3:\na:4:four\n");
    EXPECT_EQ(search("(?i)TWO"), "a:2:two\n");
    EXPECT_EQ(search("\\\\bfour\\\\b"), "a:4:four\n");
}

TEST_F(SearchFiles, LastLineWithoutNewlineAndCrlf) {
    put("a", "x\r\nlast");
    EXPECT_EQ(search("last$"), "a:2:last\n");
    EXPECT_EQ(search("x"), "a:1:x\n");
}

TEST_F(SearchFiles, GlobChoosesFiles) {
    put("a.cpp", "x\n");
    put("a.hpp", "x\n");
    put("src/b.cpp", "x\n");
    EXPECT_EQ(search("x", R"(,"glob":"*.cpp")"), "a.cpp:1:x\nsrc/b.cpp:1:x\n");
    EXPECT_EQ(search("x", R"(,"glob":"src/**")"), "src/b.cpp:1:x\n");
    EXPECT_EQ(search("x", R"(,"path":"src","glob":"b.*")"), "src/b.cpp:1:x\n");
}

TEST_F(SearchFiles, IgnoredBinaryAndGitFilesAndLinksAreSkipped) {
    put(".gitignore", "*.log\n");
    put("a.log", "needle\n");
    put("a.bin", std::string("needle\0\n", 8));
    put(".git/x", "needle\n");
    put("text", "needle\n");
    std::filesystem::create_symlink(home + "/outside.txt", at("out"));
    std::filesystem::create_symlink("text", at("link"));
    ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
    EXPECT_EQ(search("needle|outside"), "text:1:needle\n");
    EXPECT_EQ(search("needle", R"(,"path":"a.log")"), "a.log:1:needle\n");
    fails("search_files", R"({"pattern":"outside","path":"out"})");
    fails("search_files", R"({"pattern":"x","path":".."})");
}

TEST_F(SearchFiles, FiveHundredMatchesAreTheBound) {
    put("a", repeated("x\n", 500));
    EXPECT_FALSE(has(search("x"), "there are more"));
    put("b", "x\n");
    const std::string text = search("x");
    EXPECT_TRUE(has(text, "a:500:x\n[the first 500 matching lines are shown, there are more"));
    EXPECT_FALSE(has(text, "b:1"));
}

TEST_F(SearchFiles, TheResultIsBounded) {
    put("a", repeated(repeated("ü", 499) + "\n", 400));
    const std::string text = search("ü");
    EXPECT_LE(base::utf8_length(text), 50'000U);
    EXPECT_TRUE(has(text, "there are more"));
}

TEST_F(SearchFiles, LongLinesShowTheMatch) {
    put("a", repeated("a", 500) + "\n" + repeated("b", 501) + "\n");
    EXPECT_EQ(search("a+"), "a:1:" + repeated("a", 500) + "\n");
    EXPECT_EQ(search("b+"), "a:2:" + repeated("b", 500) + " [...]\n");
    put("a", repeated("x", 100'000) + "needle" + repeated("y", 100'000) + "\n");
    const std::string text = search("needle");
    EXPECT_TRUE(has(text, "a:1:[...] xxx")) << text.substr(0, 100);
    EXPECT_TRUE(has(text, "xneedley"));
    EXPECT_LT(text.size(), 600U);
}

TEST_F(SearchFiles, WrongPatternsAreExplained) {
    const auto refused = [&](const std::string& pattern) {
        return fails("search_files", "{\"pattern\":\"" + pattern + "\"}");
    };
    EXPECT_TRUE(has(refused("foo("), "'foo(' is not a valid regular expression"));
    EXPECT_TRUE(has(refused("(?=x)"), "no lookaround"));
    refused("a)|(b");
    refused("((a{1000}){1000}){1000}");
}

TEST_F(SearchFiles, InvalidUtf8IsSearchedAndReplaced) {
    put("a", "\xff needle \xfe\n");
    EXPECT_EQ(search("needle"), "a:1:\xef\xbf\xbd needle \xef\xbf\xbd\n");
}

TEST_F(SearchFiles, PatternsThatBacktrackersChokeOnAreLinear) {
    put("a", repeated("a", 1'000'000) + "\n");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(search("(a*)*b"), "no match\n");
    EXPECT_EQ(search("(a|aa)+$b"), "no match\n");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(SearchFiles, PatternsWhoseAutomatonExplodesEndInTime) {
    std::string text;
    for (unsigned i = 0, random = 1; i < 4'000'000; ++i) {
        random = random * 1664525U + 1013904223U;
        text += static_cast<char>('a' + (random >> 24U) % 17);
    }
    put("a", text);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(search("[a-q][^u-z]{400}x"), "no match\n");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    EXPECT_TRUE(
        has(fails("search_files", R"({"pattern":"[äöü].{999}(é.{999}[äöü]){1}"})"), "too large"));
}

TEST_F(SearchFiles, VeryLargeFilesAreSkippedAndSaid) {
    put("large", "needle\n");
    std::filesystem::resize_file(at("large"), (16U << 20) + 1);
    EXPECT_EQ(search("needle"), "no match\n[1 file larger than 16 MiB not searched]\n");
}

}  // namespace
}  // namespace chorus::tools
