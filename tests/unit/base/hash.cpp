#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

// FIPS 180-4, and a length on each side of a block.
TEST(Sha256, has_the_standard_s_values) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, sees_every_byte) {
    EXPECT_NE(sha256_hex(std::string("a\0b", 3)), sha256_hex(std::string("a\0c", 3)));
    EXPECT_NE(sha256_hex(std::string("a\0", 2)), sha256_hex("a"));
}

// The draft's test vectors (draft-eastlake-fnv).
TEST(Fnv1a, has_the_draft_s_values) {
    EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
    EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(fnv1a_hex("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace chorus::base
