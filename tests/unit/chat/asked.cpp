#include "chat/asked.hpp"

#include <gtest/gtest.h>

namespace chorus::chat {
namespace {

TEST(Asked, says_what_the_action_does_not) {
    const auto asked = [](const char* arguments) {
        return asked_action("tool:bash:make", arguments);
    };
    EXPECT_EQ(asked(R"({"command":"make"})"), "tool:bash:make");
    EXPECT_EQ(asked(R"({"command":"make background"})"), "tool:bash:make");
    EXPECT_EQ(asked(R"({"command":"make","background":false})"), "tool:bash:make");
    EXPECT_EQ(asked(R"({"command":"make","background":true})"),
              "tool:bash:make [in the background]");
    EXPECT_EQ(asked(R"({"command":"make","background":"true"})"),
              "tool:bash:make [in the background]");
    EXPECT_EQ(asked(R"({"background":true,"on_exit":"go on"})"),
              "tool:bash:make [in the background; when it ends, starts a turn with: go on]");
    EXPECT_EQ(asked("background {"), "tool:bash:make");
    EXPECT_EQ(asked(""), "tool:bash:make");
}

}  // namespace
}  // namespace chorus::chat
