#include "cli/call_line.hpp"

#include <gtest/gtest.h>

#include "base/width.hpp"

namespace chorus::cli {
namespace {

chat::CallComplete done(std::string tool, std::string action, const std::string& outcome,
                        std::int64_t duration_ms = 0) {
    return {"c1",
            std::move(tool),
            std::move(action),
            outcome,
            outcome == "ok" ? "exit status 0, 3.2 s" : "exit status 2, 3.2 s\nx",
            duration_ms,
            {}};
}

TEST(CallLine, SaysToolDetailAndEnd) {
    EXPECT_EQ(end_line(done("bash", "tool:bash:make test", "ok", 3'200), 80),
              "bash  make test  ok 3.2 s");
    EXPECT_EQ(end_line(done("bash", "tool:bash:true", "ok", 12), 80), "bash  true  ok");
    EXPECT_EQ(end_line(done("bash", "tool:bash:a:b", "denied"), 80), "bash  a:b  denied");
    EXPECT_EQ(end_line(done("bash", "tool:bash:make", "error", 3'200), 80),
              "bash  make  exit status 2, 3.2 s");
    EXPECT_EQ(end_line(done("nosuch", "", "error"), 80), "nosuch  exit status 2, 3.2 s");
    chat::CallComplete failed = done("bash", "tool:bash:make", "ok", 3'200);
    failed.text = "exit status 2, 3.2 s\nstderr:\n";
    EXPECT_EQ(end_line(failed, 80), "bash  make  exit status 2, 3.2 s");
    chat::CallComplete edit = done("str_replace", "tool:str_replace:src/a.c", "ok");
    edit.change = {"--- a\n", 3, 1};
    EXPECT_EQ(end_line(edit, 80), "str_replace  src/a.c  +3 -1");
}

TEST(CallLine, IsOneLineOfThatWidthAndItsEndIsSeen) {
    const auto call = done("bash", "tool:bash:echo " + std::string(200, 'x') + "\n\x1b[31m", "ok");
    for (const std::size_t width : {20U, 40U, 80U}) {
        const std::string line = end_line(call, width);
        EXPECT_LE(base::display_width(line), width);
        EXPECT_TRUE(line.ends_with("  ok")) << line;
        EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos);
    }
}

TEST(Patch, IsShownInColourAndPlaysNoTricks) {
    const std::string patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+\x1b[31mb\n";
    EXPECT_EQ(shown_patch(patch, ShownOn::terminal),
              "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+\\x1b[31mb\n");
    EXPECT_EQ(shown_patch(patch, ShownOn::color_terminal),
              "\x1b[1m--- a/f\x1b[0m\n\x1b[1m+++ b/f\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n"
              "\x1b[31m-a\x1b[0m\n\x1b[32m+\\x1b[31mb\x1b[0m\n");
    EXPECT_EQ(shown_patch("+\r\n", ShownOn::pipe), "+\r\n");
}

}  // namespace
}  // namespace chorus::cli
