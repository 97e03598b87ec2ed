#include "chat/json.hpp"

#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

using test::error_of;
using test::says;

std::string nested(std::size_t depth, const char* open, const char* close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
}

TEST(ParseJson, keeps_the_order_of_keys) {
    EXPECT_EQ(dump(parse_json(R"( {"z": 1, "a": [true, null]} )", "x")),
              R"({"z":1,"a":[true,null]})");
}

TEST(ParseJson, goes_64_levels_deep_and_no_deeper) {
    EXPECT_NO_THROW((void)parse_json(nested(64, "[", "]"), "x"));
    EXPECT_TRUE(try_parse_json(nested(64, "[", "]")));
    EXPECT_TRUE(says(error_of([] { (void)parse_json(nested(65, "[", "]"), "f.json"); }),
                     "f.json: nested deeper than 64 levels"));
    EXPECT_FALSE(try_parse_json(nested(65, "[", "]")));
    EXPECT_FALSE(try_parse_json(nested(64, R"({"a":)", "}").insert(64 * 5, "[]")));
    EXPECT_TRUE(try_parse_json(nested(63, R"({"a":)", "}").insert(63 * 5, "[]")));
}

TEST(ParseJson, survives_a_million_levels) {
    EXPECT_TRUE(says(error_of([] { (void)parse_json(std::string(1'000'000, '['), "x"); }),
                     "nested deeper"));
    EXPECT_FALSE(try_parse_json(std::string(1'000'000, '[')));
}

TEST(ParseJson, counts_no_brackets_inside_strings) {
    EXPECT_TRUE(
        try_parse_json("[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]"));
    // the quote is escaped, so what follows is still the string
    EXPECT_TRUE(try_parse_json(R"(["\\", [1]])"));
    EXPECT_FALSE(try_parse_json(R"(["\\",)" + std::string(100, '[') + std::string(100, ']') + "]"));
    EXPECT_FALSE(try_parse_json(R"({"a":"\"})"));
}

TEST(ParseJson, counts_siblings_at_one_level) {
    std::string text = "[";
    for (int i = 0; i < 1'000; ++i) text += "[],";
    EXPECT_TRUE(try_parse_json(text + "[]]"));
}

TEST(ParseJson, says_where_it_is_broken) {
    const base::Error error = error_of([] { (void)parse_json("{\n  \"a\": 1,\n}", "agent.json"); });
    EXPECT_TRUE(says(error, "agent.json: not JSON: ")) << error.message();
    EXPECT_TRUE(says(error, "line 3, column 1")) << error.message();
    EXPECT_FALSE(says(error, "[json.exception")) << error.message();
    EXPECT_EQ(error.code(), base::ErrorCode::failed);
}

TEST(ParseJson, refuses_what_is_not_json) {
    for (const char* text :
         {"", " ", "{", "[1,]", "{\"a\"}", "nul", "'a'", "{a:1}", "1 2", "// c\n1", "[1] x",
          "\"\xff\"", "\"\xed\xa0\x80\"", "\"a\nb\"", "NaN", "1e999", "\"\\ud800\""}) {
        EXPECT_FALSE(try_parse_json(text)) << text;
        (void)error_of([&] { (void)parse_json(text, "x"); });
    }
}

TEST(ParseJson, holds_to_the_size) {
    EXPECT_TRUE(try_parse_json("[1]", 3));
    EXPECT_FALSE(try_parse_json("[12]", 3));
    EXPECT_TRUE(says(error_of([] { (void)parse_json("[12]", "x", DuplicateKeys::last_wins, 3); }),
                     "x: more than 3 bytes"));
}

TEST(ParseJson, has_the_code_asked_for) {
    const auto code_for = [](const std::string& text, DuplicateKeys duplicates) {
        return error_of([&] {
                   (void)parse_json(text, "x", duplicates, 1'000, base::ErrorCode::config_invalid);
               })
            .code();
    };
    EXPECT_EQ(code_for("{", DuplicateKeys::last_wins), base::ErrorCode::config_invalid);
    EXPECT_EQ(code_for("{", DuplicateKeys::refuse), base::ErrorCode::config_invalid);
    EXPECT_EQ(code_for(nested(65, "[", "]"), DuplicateKeys::refuse),
              base::ErrorCode::config_invalid);
    EXPECT_EQ(code_for(R"({"a":1,"a":1})", DuplicateKeys::refuse), base::ErrorCode::config_invalid);
    EXPECT_EQ(code_for(std::string(1'001, ' '), DuplicateKeys::refuse),
              base::ErrorCode::config_invalid);
}

TEST(DuplicateKeys, the_last_one_wins_unless_refused) {
    EXPECT_EQ(dump(parse_json(R"({"a":1,"b":2,"a":3})", "x")), R"({"a":3,"b":2})");
    for (const char* text : {R"({"a":1,"a":1})", R"({"b":{"a":1,"a":2}})",
                             R"([{"c":[{"a":1,"b":2,"a":3}]}])", R"({"a":1,"\u0061":2})"})
        EXPECT_TRUE(says(error_of([&] { (void)parse_json(text, "f", DuplicateKeys::refuse); }),
                         "f: duplicate key 'a'"))
            << text;
    EXPECT_NO_THROW((void)parse_json(R"({"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}})", "f",
                                     DuplicateKeys::refuse));
}

TEST(Dump, replaces_invalid_bytes) {
    EXPECT_EQ(dump(Json("a\xff")), "\"a\xef\xbf\xbd\"");
    EXPECT_EQ(dump(Json::object()), "{}");
}

TEST(Members, have_their_type_or_the_fallback) {
    const Json object = Json::parse(R"({"s":"x","i":-7,"u":7,"f":1.5,"n":null,"b":true})");
    EXPECT_EQ(string_or(object, "s"), "x");
    for (const char* key : {"i", "f", "n", "b", "missing"})
        EXPECT_EQ(string_or(object, key, "no"), "no") << key;
    EXPECT_EQ(integer_or(object, "i"), -7);
    EXPECT_EQ(integer_or(object, "u"), 7);
    for (const char* key : {"s", "f", "n", "b", "missing"})
        EXPECT_EQ(integer_or(object, key, 9), 9) << key;
    for (const Json& other : {Json::array({1}), Json(nullptr), Json("s"), Json(1)}) {
        EXPECT_EQ(string_or(other, "s", "no"), "no");
        EXPECT_EQ(integer_or(other, "s", 9), 9);
    }
}

}  // namespace
}  // namespace chorus::chat
