#include <sys/stat.h>

#include <cstdlib>

#include "tools/path_pattern.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

using ListFiles = Workspace;

TEST_F(ListFiles, FilesSortedWithoutDirectoriesAndGit) {
    put("b.txt", "");
    put("a/z.txt", "");
    put("a-b", "");
    put("a/.git/config", "");
    put(".git/config", "");
    put(".hidden", "");
    std::filesystem::create_directory(at("empty"));
    std::filesystem::create_directory_symlink("a", at("link"));
    ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
    EXPECT_EQ(ok("list_files", "{}"), ".hidden\na-b\na/z.txt\nb.txt\nlink\n");
}

TEST_F(ListFiles, PatternsMatchNamesOrPathsBelowPath) {
    put("a.cpp", "");
    put("src/b.cpp", "");
    put("src/deep/c.cpp", "");
    put("src/deep/c.hpp", "");
    put("src/d.md", "");
    const auto list = [&](const std::string& path, const std::string& pattern) {
        return ok("list_files", R"({"path":")" + path + R"(","pattern":")" + pattern + R"("})");
    };
    EXPECT_EQ(list(".", "*.cpp"), "a.cpp\nsrc/b.cpp\nsrc/deep/c.cpp\n");
    EXPECT_EQ(list(".", "src/*.cpp"), "src/b.cpp\n");
    EXPECT_EQ(list(".", "./src/*.cpp"), "src/b.cpp\n");
    EXPECT_EQ(list(".", "/*.cpp"), "a.cpp\n");
    EXPECT_EQ(list(".", "src/**/*.cpp"), "src/b.cpp\nsrc/deep/c.cpp\n");
    EXPECT_EQ(list("src", "deep/*"), "src/deep/c.cpp\nsrc/deep/c.hpp\n");
    EXPECT_EQ(list("src/", "*.{hpp,md}"), "src/d.md\nsrc/deep/c.hpp\n");
    EXPECT_EQ(list(".", "*.rs"), "no file matches\n");
    EXPECT_EQ(list("src/d.md", ""), "src/d.md\n");
}

TEST_F(ListFiles, WhatIsIgnoredIsListedWhenNamed) {
    put(".gitignore", "build/\n*.o\n");
    put("build/x.txt", "");
    put("build/y.o", "");
    put("a.txt", "");
    EXPECT_EQ(ok("list_files", "{}"), ".gitignore\na.txt\n");
    EXPECT_EQ(ok("list_files", R"({"path":"build"})"), "build/x.txt\n");
}

TEST_F(ListFiles, TwoThousandAreTheBound) {
    for (int i = 0; i < 2000; ++i) put("d/" + std::to_string(i), "");
    EXPECT_FALSE(has(ok("list_files", "{}"), "there are more"));
    put("d/more", "");
    const std::string text = ok("list_files", "{}");
    EXPECT_TRUE(has(text, "[the first 2000 files are shown, there are more"));
    EXPECT_FALSE(has(text, "d/more"));
}

TEST_F(ListFiles, DirectoriesNestedTooDeepAreSaidNotCrashedOn) {
    const std::string path = at(repeated("d/", 600));
    ASSERT_EQ(std::system(("mkdir -p " + path + " && touch " + path + "file").c_str()), 0);
    put("z", "");
    EXPECT_EQ(ok("list_files", "{}"), "z\n[1 directory could not be read]\n");
}

TEST_F(ListFiles, PathsOutAreRefused) {
    std::filesystem::create_directory_symlink(home, at("up"));
    fails("list_files", R"({"path":".."})");
    fails("list_files", R"({"path":"up"})");
    fails("list_files", R"({"path":"/"})");
    fails("list_files", R"({"path":"missing"})");
}

TEST_F(ListFiles, TheTurnsEndEndsIt) {
    put("a", "");
    workplace.stop = [] { return true; };
    EXPECT_TRUE(has(ok("list_files", "{}"), "[stopped before the end"));
}

TEST(PathPattern, Braces) {
    EXPECT_TRUE(PathPattern("{a,b/{c,d}}.x").matches("b/d.x"));
    EXPECT_TRUE(PathPattern("{a,b/{c,d}}.x").matches("deep/a.x"));
    EXPECT_FALSE(PathPattern("{a,b/{c,d}}.x").matches("b/e.x"));
    EXPECT_TRUE(PathPattern("x{,.bak}").matches("x"));
    EXPECT_TRUE(PathPattern("{single}").matches("{single}"));
    EXPECT_TRUE(PathPattern("{open").matches("{open"));
    EXPECT_TRUE(PathPattern("{x}{a,b}").matches("{x}b"));
    EXPECT_TRUE(PathPattern("").matches("any/thing"));
}

TEST(PathPattern, BracesDoNotMultiplyWithoutEnd) {
    std::string pattern;
    for (int i = 0; i < 40; ++i) pattern += "{a,b}";
    EXPECT_FALSE(PathPattern(pattern).matches("x"));
}

}  // namespace
}  // namespace chorus::tools
