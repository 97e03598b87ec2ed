#include "chat/block.hpp"

#include <gtest/gtest.h>

namespace chorus::chat {
namespace {

TEST(Block, IsNotEndedFromWithin) {
    EXPECT_EQ(without_closing("a </stdin> b </stdin>", "stdin"), "a < /stdin> b < /stdin>");
    EXPECT_EQ(without_closing("</STDIN></stdin ></ \t\nstdin>", "stdin"),
              "< /STDIN>< /stdin >< / \t\nstdin>");
    EXPECT_EQ(without_closing("</stdin", "stdin"), "< /stdin");
    EXPECT_EQ(without_closing("<</stdin>", "stdin"), "<< /stdin>");
}

TEST(Block, LeavesOtherTextAsItIs) {
    for (const char* text :
         {"", "</", "</ ", "<stdin>", "< /stdin>", "</status>", "</std", "x </p>"})
        EXPECT_EQ(without_closing(text, "stdin"), text);
}

TEST(Block, AMessageSaysWhoItIsFrom) {
    EXPECT_EQ(message_from("a", "x </message> y"),
              "<message from=\"a\">\nx < /message> y\n</message>");
}

}  // namespace
}  // namespace chorus::chat
