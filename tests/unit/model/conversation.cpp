#include "model/conversation.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"

namespace chorus::model {
namespace {

TEST(Conversation, ResultsComeFirstAfterTheirAnswer) {
    const std::vector<chat::Message> messages{user("a"),        answer("b"), user("c"),
                                              result("1", "d"), user("e"),   result("2", "f"),
                                              answer("g"),      user("h")};
    std::string order;
    for (const chat::Message* message : in_wire_order(messages)) order += message->content;
    EXPECT_EQ(order, "abdfcegh");
    EXPECT_TRUE(in_wire_order({}).empty());
}

TEST(Conversation, OnlyObjectsAreArguments) {
    EXPECT_EQ(sendable_arguments(" {\"a\": [1]}\n"), " {\"a\": [1]}\n");
    for (const char* text :
         {"", " ", "[]", "7", "null", "\"a\"", "{", "{}{}", "{\"a\":}", "{'a':1}"})
        EXPECT_EQ(sendable_arguments(text), "{}") << text;
    EXPECT_EQ(sendable_arguments(std::string(1'000'000, '{')), "{}");
}

TEST(Conversation, NamesFitEveryProvider) {
    EXPECT_EQ(sendable_name("create_file"), "create_file");
    EXPECT_EQ(sendable_name("a.b c/é"), "a_b_c___");
    EXPECT_EQ(sendable_name(""), "unnamed");
    EXPECT_EQ(sendable_name(std::string(100, 'a')).size(), 64U);
}

TEST(Conversation, ArraysAreOpened) {
    EXPECT_EQ(inside_array(" [ {\"a\":1},2 ] "), "{\"a\":1},2");
    for (const char* text : {"", "[", "[]", "[ ]", "{}"}) EXPECT_EQ(inside_array(text), "") << text;
}

TEST(Conversation, CallIdsAreCleanAndUnlikeEachOther) {
    std::set<std::string> taken;
    EXPECT_EQ(usable_call_id("toolu_1", taken), "toolu_1");
    EXPECT_EQ(usable_call_id("functions.f:0", taken), "functions_f_0");
    const std::string again = usable_call_id("functions f:0", taken);
    EXPECT_EQ(again.substr(0, 5), "call_");
    EXPECT_NE(usable_call_id("", taken), usable_call_id("", taken));
    EXPECT_EQ(usable_call_id(std::string(100, 'a'), taken).size(), 64U);
    EXPECT_EQ(usable_call_id(std::string(101, 'a'), taken).substr(0, 5), "call_");
}

}  // namespace
}  // namespace chorus::model
