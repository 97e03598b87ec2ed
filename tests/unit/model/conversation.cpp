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

TEST(Conversation, MadeUpIdsDiffer) {
    EXPECT_NE(made_up_call_id(), made_up_call_id());
}

}  // namespace
}  // namespace chorus::model
