#include "tools/patch.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "base/text.hpp"

namespace chorus::tools {
namespace {

constexpr std::string_view no_newline = "\\ No newline at end of file";

// As patch(1) obeys it, without any tolerance: every line that stays or goes has to be there.
class Patched {
  public:
    Patched(std::string_view before, std::string_view patch) : before_(before) {
        auto lines = base::split_lines(patch);
        std::size_t at = 0;
        while (at < lines.size() && !lines[at].starts_with("@@")) ++at;
        while (at < lines.size()) at = take_hunk(lines, at);
        while (!before_.empty()) keep();
    }
    std::string text() const { return text_; }
    std::int64_t added = 0;
    std::int64_t removed = 0;

  private:
    std::string_view next() {
        const std::size_t end = before_.find('\n');
        const std::string_view line = before_.substr(0, end == before_.npos ? end : end + 1);
        before_.remove_prefix(line.size());
        ++line_;
        return line;
    }
    void keep() { text_ += next(); }
    std::size_t take_hunk(const std::vector<std::string_view>& lines, std::size_t at) {
        std::istringstream head{std::string(lines[at])};
        std::size_t from = 0;
        std::size_t count = 1;
        head.ignore(4) >> from;
        if (head.peek() == ',') head.ignore() >> count;
        const std::size_t begin = count == 0 ? from + 1 : from;
        while (line_ < begin) keep();
        for (++at; at < lines.size() && !lines[at].starts_with("@@"); ++at) {
            std::string line(lines[at].substr(1));
            if (at + 1 == lines.size() || lines[at + 1] != no_newline) line += '\n';
            const char mark = lines[at].front();
            if (mark == '\\') continue;
            if (mark != '+') {
                EXPECT_EQ(next(), line);
                --count;
            }
            if (mark != '-') text_ += line;
            added += static_cast<int>(mark == '+');
            removed += static_cast<int>(mark == '-');
        }
        EXPECT_EQ(count, 0U);
        return at;
    }

    std::string_view before_;
    std::size_t line_ = 1;
    std::string text_;
};

void expect_patch(const std::string& before, const std::string& after) {
    const chat::Change change = change_of("f", before, after);
    const Patched patched(before, change.patch);
    EXPECT_EQ(patched.text(), after) << change.patch;
    EXPECT_EQ(patched.added, change.added) << change.patch;
    EXPECT_EQ(patched.removed, change.removed) << change.patch;
}

std::string numbered(int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
    return text;
}

TEST(Patch, IsAUnifiedDiff) {
    std::string after = numbered(1, 20);
    after.replace(after.find("\n10\n"), 4, "\nten\n");
    const chat::Change change = change_of("src/a.c", numbered(1, 20), after);
    EXPECT_EQ(change.patch,
              "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -7,7 +7,7 @@\n 7\n "
              "8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
    EXPECT_EQ(change.added, 1);
    EXPECT_EQ(change.removed, 1);
}

TEST(Patch, OfANewFileAndOfOneThatBecomesEmpty) {
    EXPECT_EQ(change_of("f", std::nullopt, "a\nb").patch,
              "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 "
              "@@\n+a\n+b\n\\ No newline at end of file\n");
    EXPECT_EQ(change_of("f", "a\n", "").patch,
              "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n");
    EXPECT_EQ(change_of("f", "", "a\n").patch,
              "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n");
}

TEST(Patch, WhatIsClosestIsOneHunkAndWhatIsFarIsTwo) {
    std::string near = numbered(1, 30);
    near.replace(near.find("\n10\n"), 4, "\nten\n");
    std::string far = near;
    near.replace(near.find("\n17\n"), 4, "\nx\n");
    far.replace(far.find("\n18\n"), 4, "\nx\n");
    const auto hunks = [](const std::string& after) {
        const std::string patch = change_of("f", numbered(1, 30), after).patch;
        std::size_t count = 0;
        for (const auto line : base::split_lines(patch)) count += line.starts_with("@@") ? 1U : 0U;
        return count;
    };
    EXPECT_EQ(hunks(near), 1U);
    EXPECT_EQ(hunks(far), 2U);
    expect_patch(numbered(1, 30), near);
    expect_patch(numbered(1, 30), far);
}

TEST(Patch, OfRandomTextsLeadsFromOneToTheOther) {
    std::mt19937 random(20261124);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same ones each time
    const auto text = [&](int most) {
        std::string lines;
        for (int i = static_cast<int>(random() % static_cast<unsigned>(most)); i > 0; --i)
            lines += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
        if (!lines.empty() && random() % 4 == 0) lines.pop_back();
        return lines;
    };
    for (int round = 0; round < 3'000; ++round) {
        const std::string before = text(40);
        std::string after = text(40);
        if (round % 2 == 0) after = before + after + before;
        if (before != after) expect_patch(before, after);
    }
}

TEST(Patch, OfManyLinesTakesNoTimeAndSaysWhereItEnds) {
    std::string before;
    std::string after;
    for (int i = 0; i < 100'000; ++i) {
        before += "before " + std::to_string(i) + "\n";
        after += "after " + std::to_string(i) + "\n";
    }
    const chat::Change change = change_of("f", before, after);
    EXPECT_EQ(change.added, 100'000);
    EXPECT_EQ(change.removed, 100'000);
    EXPECT_LE(change.patch.size(), 300'000U);
    EXPECT_TRUE(change.patch.ends_with(" more lines]\n")) << change.patch.substr(262'000);
}

TEST(Patch, OfWhatIsNoTextSaysSo) {
    EXPECT_EQ(change_of("f", std::string_view("\0", 1), "a\n").patch,
              "diff --git a/f b/f\nBinary files a/f and b/f differ\n");
    EXPECT_EQ(change_of("f", "\xff\n", "a\n").patch,
              "diff --git a/f b/f\nBinary files a/f and b/f differ\n");
}

TEST(Patch, ANameWithOddCharactersIsQuotedAsGitDoesIt) {
    const auto head = [](const std::string& path) {
        const std::string patch = change_of(path, "1\n", "2\n").patch;
        return patch.substr(0, patch.find('\n'));
    };
    EXPECT_EQ(head("a b/é"), "diff --git a/a b/é b/a b/é");
    EXPECT_EQ(head("q\tx\n\x1b\"\\"), R"(diff --git "a/q\tx\n\033\"\\" "b/q\tx\n\033\"\\")");
}

TEST(Patch, OfANewEmptyFileIsThatItIsThere) {
    EXPECT_EQ(change_of("f", std::nullopt, "").patch, "diff --git a/f b/f\nnew file mode 100644\n");
}

}  // namespace
}  // namespace chorus::tools
