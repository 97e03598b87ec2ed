#include "chat/message.hpp"

#include <string>

#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

TEST(Role, comes_back_from_its_name) {
    for (const Role role : {Role::user, Role::assistant, Role::tool_result})
        EXPECT_EQ(parse_role(name(role)), role);
    EXPECT_EQ(name(Role::tool_result), "tool_result");
}

TEST(Role, is_none_under_another_name) {
    for (const char* text : {"", "tool", "User", "system", "user "})
        EXPECT_TRUE(test::says(test::error_of([&] { (void)parse_role(text); }),
                               "unknown role '" + std::string(text) + "'"));
}

TEST(Usage, adds_up_each_kind) {
    Usage usage{1, 2, 3, 4};
    usage += {10, 20, 30, 40};
    EXPECT_EQ(usage, (Usage{11, 22, 33, 44}));
}

}  // namespace
}  // namespace chorus::chat
