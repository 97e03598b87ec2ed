#include "chat/stored.hpp"

#include "chat/json.hpp"
#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

// A call that the model wrote badly is stored as it was written.
TEST(StoredCalls, come_back_as_they_were) {
    const std::vector<ToolCall> calls{{"call_1", "bash", R"({"command":"ls \"a\"\n"})"},
                                      {"call_2", "no such tool", "{\"broken\": "},
                                      {"", "", ""}};
    const std::string stored = store_tool_calls(calls);
    EXPECT_EQ(load_tool_calls(stored), calls);
    EXPECT_TRUE(Json::accept(stored));
}

TEST(StoredCalls, keep_the_model_s_own_text_byte_for_byte) {
    const std::string odd = "{ \"b\" : 1.0, \"a\":1e2,\"a\": 123456789012345678901234567890 }";
    EXPECT_EQ(load_tool_calls(store_tool_calls({{"x", "y", odd}})).at(0).arguments, odd);
    const std::string deep(500, '[');
    EXPECT_EQ(load_tool_calls(store_tool_calls({{"x", "y", deep}})).at(0).arguments, deep);
}

TEST(StoredCalls, are_nothing_for_none) {
    EXPECT_EQ(store_tool_calls({}), "");
    EXPECT_TRUE(load_tool_calls("").empty());
}

TEST(StoredCalls, that_are_damaged_are_an_error_or_empty) {
    (void)test::error_of([] { (void)load_tool_calls("[{"); });
    EXPECT_EQ(load_tool_calls(R"([1,{"id":5}])"), (std::vector<ToolCall>{{}, {}}));
}

Message full() {
    Message message;
    message.role = Role::assistant;
    message.opaque = Opaque{"anthropic", "claude", R"([{"type":"thinking","signature":"ab=="}])"};
    message.status = "<status>\n…\n</status>";
    message.is_error = true;
    message.starts_turn = true;
    message.attachments = {{std::string(64, 'a'), "photo \"1\".png", "image/png", 1234},
                           {std::string(64, 'b'), "page.pdf", "application/pdf", 5}};
    return message;
}

Message loaded(const std::string& stored) {
    Message message;
    message.role = Role::assistant;
    load_extra(stored, message);
    return message;
}

TEST(StoredExtra, comes_back_whole) {
    EXPECT_EQ(loaded(store_extra(full())), full());
    for (int part = 0; part < 16; ++part) {
        Message message = full();
        if ((part & 1) == 0) message.opaque.reset();
        if ((part & 2) == 0) message.status.clear();
        message.is_error = (part & 4) != 0;
        message.starts_turn = (part & 8) != 0;
        EXPECT_EQ(loaded(store_extra(message)), message) << part;
    }
}

TEST(StoredExtra, is_nothing_for_a_plain_message) {
    EXPECT_EQ(store_extra({}), "");
    EXPECT_EQ(loaded(""), [] {
        Message m;
        m.role = Role::assistant;
        return m;
    }());
}

TEST(StoredExtra, of_a_turn_s_first_message_is_read_without_a_tree_and_with_one) {
    Message message;
    message.starts_turn = true;
    EXPECT_EQ(store_extra(message), R"({"starts_turn":true})");
    EXPECT_TRUE(loaded(R"({"starts_turn":true})").starts_turn);
    EXPECT_TRUE(loaded(R"({ "starts_turn": true })").starts_turn);
}

TEST(StoredExtra, with_members_of_another_type_is_read_as_without_them) {
    const Message message = loaded(
        R"({"is_error":1,"starts_turn":"yes","status":[1],"wire":5,"provider":null,"new":{"a":1}})");
    EXPECT_FALSE(message.is_error);
    EXPECT_FALSE(message.starts_turn);
    EXPECT_EQ(message.status, "");
    EXPECT_EQ(message.opaque, (Opaque{}));
    for (const char* stored : {"[]", "[1,2]", "null", "3", "\"x\""})
        EXPECT_FALSE(loaded(stored).starts_turn);
    (void)test::error_of([] { (void)loaded("{"); });
}

}  // namespace
}  // namespace chorus::chat
