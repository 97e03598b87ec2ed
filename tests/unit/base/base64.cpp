#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

// RFC 4648, section 10
TEST(Base64, of_the_rfc) {
    EXPECT_EQ(base64_encode(""), "");
    EXPECT_EQ(base64_encode("f"), "Zg==");
    EXPECT_EQ(base64_encode("fo"), "Zm8=");
    EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, comes_back_whatever_the_bytes_and_the_length) {
    std::string bytes;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes) << i;
        bytes += static_cast<char>(i * 7);
    }
}

TEST(Base64, that_is_none_is_refused) {
    for (const char* text : {"Zg", "Zg=", "Z", "Zg==Zg==", "Zm9v!", "=", "Zg=v"})
        EXPECT_FALSE(base64_decode(text)) << text;
    EXPECT_FALSE(base64_decode(std::string("Zm9v\0Zm9v", 9)));
    EXPECT_EQ(base64_decode("Zm9v\nYmFy"), "foobar");
}

}  // namespace
}  // namespace chorus::base
