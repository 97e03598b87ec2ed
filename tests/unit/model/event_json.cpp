#include "model/event_json.hpp"

#include <gtest/gtest.h>

namespace chorus::model {
namespace {

TEST(EventJson, RepairsWhatServersLetThrough) {
    const auto text = [](const std::string& json) {
        const std::optional<Json> value = parse_event("[\"" + json + "\"]");
        return value ? std::string(text_of(value->front())) : std::string("none");
    };
    EXPECT_EQ(text("\\ud83d\\ude00"), "😀");
    EXPECT_EQ(text("\\uD83D\\uDE00"), "😀");
    EXPECT_EQ(text("\\ud83d"), "\ufffd");
    EXPECT_EQ(text("\\ude00\\ud83d"), "\ufffd\ufffd");
    EXPECT_EQ(text("\\ud83d\\ud83d\\ude00"), "\ufffd😀");
    EXPECT_EQ(text("\\\\ud83d \\n\\ud800x"), "\\ud83d \n\ufffdx");
    EXPECT_EQ(text("\xc3"), "\ufffd");
    EXPECT_EQ(text("\\ud83"), "none");
}

TEST(EventJson, JoinsASurrogatePairOfTwoEvents) {
    std::string half;
    const auto text = [&](const std::string& json) {
        return std::string(text_of(parse_event(json, &half).value(), "t"));
    };
    EXPECT_EQ(text(R"({"t":"a\ud83d"})"), "a");
    EXPECT_EQ(text(R"({"t":""})"), "");
    EXPECT_EQ(text(R"({"t":"\ude00b"})"), "😀b");
    EXPECT_EQ(half, "");
    EXPECT_EQ(text(R"({"t":"\ude00"})"), "\ufffd");
    EXPECT_EQ(text(R"({"t":"\ud83d"})"), "");
    EXPECT_EQ(text(R"({"t":"x\ude00"})"), "x\ufffd") << "not at the beginning";
}

TEST(EventJson, RefusesDepth) {
    EXPECT_FALSE(parse_event(std::string(100'000, '[')));
    EXPECT_FALSE(parse_event(std::string(65, '[') + std::string(65, ']')));
    EXPECT_TRUE(parse_event(std::string(64, '[') + std::string(64, ']')));
}

TEST(EventJson, MembersOfAnythingAreSafe) {
    const Json number = 7;
    EXPECT_TRUE(member(number, "a").is_null());
    EXPECT_EQ(text_of(number, "a"), "");
    EXPECT_FALSE(count_of(number, "a"));
    const Json object = Json::parse(R"({"a":-1,"b":1e300,"c":"7","d":12,"e":3.9})");
    EXPECT_FALSE(count_of(object, "a"));
    EXPECT_FALSE(count_of(object, "b"));
    EXPECT_EQ(count_of(object, "c"), 7);
    EXPECT_FALSE(count_of(Json::parse(R"({"c":"7 tokens"})"), "c"));
    EXPECT_EQ(count_of(object, "d"), 12);
    EXPECT_EQ(count_of(object, "e"), 3);
}

}  // namespace
}  // namespace chorus::model
