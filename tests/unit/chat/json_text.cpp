#include "chat/json_text.hpp"

#include <cmath>
#include <limits>

#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

TEST(Quoted, escapes_what_json_wants_escaped) {
    EXPECT_EQ(chat::quoted(""), "\"\"");
    EXPECT_EQ(chat::quoted("a\"b\\c\n\r\t\b\f\x1f\x01"),
              R"("a\"b\\c\n\r\t\u0008\u000c\u001f\u0001")");
    EXPECT_EQ(chat::quoted(std::string_view("\0", 1)), R"("\u0000")");
    EXPECT_EQ(chat::quoted("/ä€\x7f"), "\"/ä€\x7f\"");
}

// Every byte below 0x80 and a character above it, at every distance from the ends of a word.
TEST(Quoted, is_read_back_at_every_alignment) {
    for (int special = 0; special < 0x80; ++special)
        for (std::size_t before = 0; before < 18; ++before)
            for (const std::size_t after : {0U, 1U, 7U, 8U, 9U}) {
                const std::string text =
                    std::string(before, 'x') + static_cast<char>(special) + std::string(after, '~');
                ASSERT_EQ(Json::parse(chat::quoted(text)).get<std::string>(), text)
                    << special << ' ' << before;
            }
    for (std::size_t before = 0; before < 18; ++before) {
        const std::string text = std::string(before, ' ') + "\U0010ffff€ä\"\x01ü\\\x1f\xc2\x80!#[]";
        EXPECT_EQ(Json::parse(chat::quoted(text)).get<std::string>(), text) << before;
    }
}

TEST(Quoted, is_read_back_whatever_stands_in_it) {
    std::uint32_t seed = 7;
    for (int round = 0; round < 2'000; ++round) {
        std::string text;
        for (int i = 0; i < round % 70; ++i) {
            seed = seed * 1664525 + 1013904223;
            const std::uint32_t pick = seed >> 24;
            if (pick < 40)
                text += "\"";
            else if (pick < 60)
                text += "\\";
            else if (pick < 90)
                text += static_cast<char>(pick % 32);
            else if (pick < 120)
                text += "\xf0\x9f\x98\x80";
            else
                text += static_cast<char>(' ' + pick % 95);
        }
        ASSERT_EQ(Json::parse(chat::quoted(text)).get<std::string>(), text);
    }
}

TEST(AppendQuoted, appends) {
    std::string out = "a=";
    append_quoted(out, "b");
    EXPECT_EQ(out, "a=\"b\"");
}

TEST(JsonText, puts_the_commas) {
    JsonText out;
    out.begin_object().key("a").number(1).key("b").begin_array().string("x").boolean(false).null();
    out.begin_object().end_object().begin_array().end_array().raw("[1,2]").end_array();
    out.key("c").begin_object().key("d").real(0.5).end_object().end_object();
    EXPECT_EQ(out.text(), R"({"a":1,"b":["x",false,null,{},[],[1,2]],"c":{"d":0.5}})");
    EXPECT_EQ(out.take(), R"({"a":1,"b":["x",false,null,{},[],[1,2]],"c":{"d":0.5}})");
}

TEST(JsonText, quotes_any_key) {
    EXPECT_EQ(JsonText().begin_object().any_key("a\"").number(0).end_object().take(),
              R"({"a\"":0})");
}

TEST(JsonText, writes_numbers_whole) {
    EXPECT_EQ(JsonText().number(std::numeric_limits<std::int64_t>::min()).take(),
              "-9223372036854775808");
    EXPECT_EQ(JsonText().number(std::numeric_limits<std::int64_t>::max()).take(),
              "9223372036854775807");
    EXPECT_EQ(JsonText().real(0.1).take(), "0.1");
    EXPECT_EQ(JsonText().real(-12.25).take(), "-12.25");
}

TEST(JsonText, writes_null_for_what_is_no_number) {
    EXPECT_EQ(JsonText().begin_array().real(NAN).real(INFINITY).real(1).end_array().take(),
              "[null,null,1]");
}

}  // namespace
}  // namespace chorus::chat
