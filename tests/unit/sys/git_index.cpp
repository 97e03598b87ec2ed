#include "sys/git_files.hpp"

#include <gtest/gtest.h>

namespace chorus::sys {
namespace {

using namespace std::string_literals;

std::string number(std::size_t value, int bytes = 4) {
    std::string text;
    for (int i = bytes; i-- > 0;)
        text += static_cast<char>(value >> (8U * static_cast<unsigned>(i)));
    return text;
}

std::string entry(const std::string& name, std::size_t hash_bytes = 20) {
    std::string text = std::string(40 + hash_bytes, 's') + number(name.size(), 2) + name;
    return text + std::string(8 - text.size() % 8, '\0');
}

std::string index_of(std::size_t count, const std::string& entries) {
    return "DIRC" + number(2) + number(count) + entries + std::string(20, 'h');
}

TEST(GitIndex, OddNames) {
    EXPECT_EQ(odd_index_names(index_of(0, ""), 20), "");
    EXPECT_EQ(odd_index_names(index_of(2, entry("a") + entry("b/c")), 20), "");
    EXPECT_EQ(odd_index_names(index_of(3, entry("/a") + entry("b") + entry("..")), 20),
              "/a\0..\0"s);
    EXPECT_EQ(odd_index_names(index_of(1, entry("/a", 32)) + std::string(12, 'h'), 32), "/a\0"s);
    const std::string longer(5000, 'x');
    std::string long_entry = entry("../" + longer);
    long_entry.replace(60, 2, number(0xfff, 2));
    EXPECT_EQ(odd_index_names(index_of(1, long_entry), 20), "../" + longer + "\0"s);
    // a split index, and a directory of a sparse one
    EXPECT_EQ(odd_index_names(index_of(2, entry("") + entry("a/")), 20), "");
}

TEST(GitIndex, WhatIsNone) {
    const std::string whole = index_of(2, entry("a") + entry("b"));
    for (std::size_t size = 0; size < whole.size() - 22; ++size)
        EXPECT_FALSE(odd_index_names(whole.substr(0, size), 20)) << size;
    EXPECT_FALSE(odd_index_names("dirc" + whole.substr(4), 20));
    EXPECT_FALSE(odd_index_names("DIRC" + number(5) + whole.substr(8), 20));
    EXPECT_FALSE(odd_index_names(index_of(0xffffffff, entry("a")), 20));
    EXPECT_FALSE(odd_index_names(index_of(1, entry("a\0b"s)), 20));
    std::string compressed = "DIRC" + number(4) + number(2);
    for (const std::string& name : {"\0a"s, "\x02z"s})
        compressed += std::string(60, 's') + number(1, 2) + name + '\0';
    EXPECT_FALSE(odd_index_names(compressed, 20));
}

// As threads of git would read them.
TEST(GitIndex, BlocksOfEntriesElsewhere) {
    const std::string entries = entry("a") + entry("b");
    const std::string hidden = "hide" + number(entry("../x").size()) + entry("../x");
    const std::size_t extensions = 12 + entries.size();
    const auto with_block = [&](std::size_t offset, std::size_t count) {
        return index_of(2, entries + hidden + "IEOT" + number(12) + number(1) + number(offset) +
                               number(count) + "EOIE" + number(24) + number(extensions) +
                               std::string(20, 'h'));
    };
    EXPECT_EQ(odd_index_names(with_block(12, 2), 20), "");
    EXPECT_EQ(odd_index_names(with_block(extensions + 8, 1), 20), "../x\0"s);
    EXPECT_FALSE(odd_index_names(with_block(12, 3), 20));
    EXPECT_FALSE(odd_index_names(with_block(0xffffffff, 1), 20));
}

}  // namespace
}  // namespace chorus::sys
