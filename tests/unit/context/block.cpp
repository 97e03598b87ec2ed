#include "context/block.hpp"

#include <gtest/gtest.h>

namespace chorus::context {
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

}  // namespace
}  // namespace chorus::context
