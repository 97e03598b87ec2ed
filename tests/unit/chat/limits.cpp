// The bounds of JSON, at one less, at themselves and at one more.
#include "base/limits.hpp"

#include <gtest/gtest.h>

#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

namespace limits = base::limits;

std::string text_of_size(std::size_t bytes) {
    return '"' + std::string(bytes - 2, 'x') + '"';
}

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

void expect_taken(const std::string& text) {
    EXPECT_NO_THROW((void)parse_json(text, "x"));
    EXPECT_TRUE(try_parse_json(text));
}

void expect_refused(const std::string& text, const std::string& why) {
    EXPECT_TRUE(test::says(test::error_of([&] { (void)parse_json(text, "x"); }), why));
    EXPECT_FALSE(try_parse_json(text));
}

TEST(Limits, JsonText) {
    expect_taken(text_of_size(limits::json_bytes - 1));
    expect_taken(text_of_size(limits::json_bytes));
    expect_refused(text_of_size(limits::json_bytes + 1), "x: more than 10485760 bytes");
}

TEST(Limits, JsonDepth) {
    expect_taken(nested(limits::json_depth - 1));
    expect_taken(nested(limits::json_depth));
    expect_refused(nested(limits::json_depth + 1), "x: nested deeper than 64 levels");
}

}  // namespace
}  // namespace chorus::chat
