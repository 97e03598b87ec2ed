#include "cli/terminal_guard.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace chorus::cli {
namespace {

TEST(Guarded, shows_what_plays_tricks_and_keeps_the_rest) {
    EXPECT_EQ(guarded("plain, ünïcode 中文 🦓\n\t\x1b[1m"), "plain, ünïcode 中文 🦓\n\t\x1b[1m");
    EXPECT_EQ(guarded("a\u202eb"), "a\\u202eb");
    EXPECT_EQ(guarded("\u009b2J"), "\\u009b2J");
    EXPECT_EQ(guarded("\U000e0041x"), "\\udb40\\udc41x");
    EXPECT_EQ(guarded("a\x9b" "b"), "a\ufffdb");
}

TEST(Guarded, is_the_same_json) {
    const std::string text = R"({"a":"x)" "\u202e\u0085\U000e0041\u200b" R"(y\n","b":[1,"ü"]})";
    EXPECT_EQ(nlohmann::json::parse(guarded(text)), nlohmann::json::parse(text));
}

TEST(TerminalGuard, puts_characters_together_that_come_in_parts) {
    std::ostringstream stream;
    const std::string text = "ä\u202e🦓\U000e0041 end";
    {
        TerminalGuard guard(stream);
        for (const char byte : text) stream << byte;
        stream.flush();
    }
    EXPECT_EQ(stream.str(), "ä\\u202e🦓\\udb40\\udc41 end");
    stream << "\u202e";
    EXPECT_EQ(stream.str(), "ä\\u202e🦓\\udb40\\udc41 end\u202e") << "it is over";
}

TEST(TerminalGuard, gives_away_what_does_not_end) {
    std::ostringstream stream;
    {
        TerminalGuard guard(stream);
        stream << "a\xe2\x80";
    }
    EXPECT_EQ(stream.str(), "a\ufffd");
}

}  // namespace
}  // namespace chorus::cli
