#include "tools/tool.hpp"

#include <gtest/gtest.h>

namespace chorus::tools {
namespace {

TEST(Arguments, ReadsEachTypeAndFallsBack) {
    const Arguments given =
        Arguments::parse(R"({"t":"x","i":7,"f":true,"l":["a","b"],"n":null,"o":{"a":1}})");
    EXPECT_EQ(given.problem(), "");
    EXPECT_EQ(given.text("t"), "x");
    EXPECT_EQ(given.integer("i", 1), 7);
    EXPECT_TRUE(given.flag("f"));
    EXPECT_EQ(given.list("l"), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(given.has("n"));
    EXPECT_TRUE(given.has("o"));
    EXPECT_EQ(given.text("i", "fallback"), "fallback");
    EXPECT_EQ(given.integer("missing", -3), -3);
    EXPECT_TRUE(given.flag("missing", true));
    EXPECT_TRUE(given.list("t").empty());
}

TEST(Arguments, TakesIntegersAsModelsWriteThem) {
    const auto integer = [](const std::string& json) {
        return Arguments::parse("{\"i\":" + json + "}").integer("i", -1);
    };
    EXPECT_EQ(integer("\"5\""), 5);
    EXPECT_EQ(integer("5.0"), 5);
    EXPECT_EQ(integer("1e3"), 1000);
    EXPECT_EQ(integer("-2"), -2);
    EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(integer("9223372036854775808"), -1);
    EXPECT_EQ(integer("5.5"), -1);
    EXPECT_EQ(integer("1e300"), -1);
    EXPECT_EQ(integer("\"5x\""), -1);
    EXPECT_EQ(integer("\"\""), -1);
}

TEST(Arguments, TakesFlagsAsModelsWriteThem) {
    EXPECT_TRUE(Arguments::parse(R"({"f":"true"})").flag("f"));
    EXPECT_FALSE(Arguments::parse(R"({"f":"False"})").flag("f", true));
    EXPECT_TRUE(Arguments::parse(R"({"f":"maybe"})").flag("f", true));
}

TEST(Arguments, CanonicalFormSortsKeysAtEveryDepth) {
    const Arguments one = Arguments::parse(R"( { "b" : [ {"z":1,"a":2} ], "a" : "ä\u0041" } )");
    const Arguments other = Arguments::parse(R"({"a":"\u00e4A","b":[{"a":2,"z":1}]})");
    EXPECT_EQ(one.canonical(), R"({"a":"äA","b":[{"a":2,"z":1}]})");
    EXPECT_EQ(one.canonical(), other.canonical());
}

TEST(Arguments, AnObjectIsItsJson) {
    const Arguments given = Arguments::parse(R"({"o": {"z": [1], "a": "ä"}, "t": "{}", "e": {}})");
    EXPECT_EQ(given.object("o"), R"({"z":[1],"a":"ä"})");
    EXPECT_EQ(given.object("e"), "{}");
    EXPECT_EQ(given.object("t"), "");
    EXPECT_EQ(given.object("missing"), "");
    EXPECT_EQ(given.text("o", "fallback"), "fallback");
    for (const char* name : {"o", "t"}) EXPECT_TRUE(given.fits(name, "string or object")) << name;
    EXPECT_FALSE(given.fits("o", "string"));
}

TEST(Arguments, NothingWrittenIsNoArguments) {
    EXPECT_EQ(Arguments::parse(" \n").problem(), "");
    EXPECT_EQ(Arguments::parse("").canonical(), "{}");
}

TEST(Arguments, WhatIsNoObjectIsAProblem) {
    for (const std::string text : {"[1]", "\"x\"", "3", "null", "{\"a\":", "{'a':1}", "{} {}"})
        EXPECT_NE(Arguments::parse(text).problem(), "") << text;
    EXPECT_NE(Arguments::parse("{\"a\":\"\xff\"}").problem(), "");
    EXPECT_NE(Arguments::parse("{\"a\":\"\\ud800\"}").problem(), "");
}

TEST(Arguments, DepthIsBounded) {
    const auto nested = [](std::size_t depth) {
        return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
    };
    EXPECT_EQ(Arguments::parse(nested(64)).problem(), "");
    EXPECT_NE(Arguments::parse(nested(65)).problem(), "");
    EXPECT_NE(Arguments::parse(nested(1'000'000)).problem(), "");
}

}  // namespace
}  // namespace chorus::tools
