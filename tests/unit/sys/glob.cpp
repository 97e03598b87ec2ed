#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "sys/beneath.hpp"

namespace chorus::sys {
namespace {

TEST(Glob, StarStaysInItsComponent) {
    EXPECT_TRUE(glob_matches("*.cpp", "a.cpp"));
    EXPECT_TRUE(glob_matches("*", ""));
    EXPECT_FALSE(glob_matches("*.cpp", "src/a.cpp"));
    EXPECT_TRUE(glob_matches("src/*.cpp", "src/a.b.cpp"));
    EXPECT_FALSE(glob_matches("src/*", "src/a/b"));
    EXPECT_TRUE(glob_matches("a*b*c", "aXbXbXc"));
    EXPECT_FALSE(glob_matches("a*b*c", "aXbX/c"));
}

TEST(Glob, DoubleStarCrossesComponents) {
    EXPECT_TRUE(glob_matches("**", "a/b/c"));
    EXPECT_TRUE(glob_matches("**", ""));
    EXPECT_TRUE(glob_matches("**/*.cpp", "a.cpp"));
    EXPECT_TRUE(glob_matches("**/*.cpp", "x/y/a.cpp"));
    EXPECT_TRUE(glob_matches("src/**", "src/a/b"));
    EXPECT_FALSE(glob_matches("src/**", "src"));
    EXPECT_TRUE(glob_matches("a/**/b", "a/b"));
    EXPECT_TRUE(glob_matches("a/**/b", "a/x/y/b"));
    EXPECT_FALSE(glob_matches("a/**/b", "a/xb"));
    EXPECT_FALSE(glob_matches("a/**/b", "ab"));
    EXPECT_TRUE(glob_matches("**/node_modules/**", "web/node_modules/x/y.js"));
    EXPECT_TRUE(glob_matches("**/node_modules/**", "node_modules/y.js"));
    EXPECT_FALSE(glob_matches("**/node_modules/**", "my_node_modules/y.js"));
    EXPECT_TRUE(glob_matches("/home/me/ws/**", "/home/me/ws/a/b"));
    EXPECT_FALSE(glob_matches("/home/me/ws/**", "/home/me/ws-other/a"));
    EXPECT_TRUE(glob_matches("a**c", "a/b/c"));
}

TEST(Glob, QuestionMarkIsOneCharacterButSlash) {
    EXPECT_TRUE(glob_matches("a?c", "abc"));
    EXPECT_FALSE(glob_matches("a?c", "a/c"));
    EXPECT_FALSE(glob_matches("a?c", "ac"));
    EXPECT_TRUE(glob_matches("caf?", "caf\u00e9"));
    EXPECT_FALSE(glob_matches("caf??", "caf\u00e9"));
    EXPECT_FALSE(glob_matches("*??", "\u00e9"));
    EXPECT_TRUE(glob_matches("?", "\xff"));
}

TEST(Glob, ClassesAreOneCharacterButSlash) {
    EXPECT_TRUE(glob_matches("[abc]", "b"));
    EXPECT_TRUE(glob_matches("[a-c]x", "cx"));
    EXPECT_FALSE(glob_matches("[a-c]", "d"));
    EXPECT_TRUE(glob_matches("[!a-c]", "d"));
    EXPECT_TRUE(glob_matches("[^a-c]", "d"));
    EXPECT_FALSE(glob_matches("[!a]", "/"));
    EXPECT_FALSE(glob_matches("a[/]b", "a/b"));
    EXPECT_TRUE(glob_matches("[]]", "]"));
    EXPECT_TRUE(glob_matches("[!]]", "x"));
    EXPECT_TRUE(glob_matches("[a-]", "-"));
    EXPECT_TRUE(glob_matches("[[:digit:]_]", "7"));
    EXPECT_TRUE(glob_matches("[[:digit:]_]", "_"));
    EXPECT_FALSE(glob_matches("[[:digit:]_]", "x"));
    EXPECT_TRUE(glob_matches("[\u00e0-\u00ef]", "\u00e9"));
    EXPECT_TRUE(glob_matches("[\\]]", "]"));
    EXPECT_TRUE(glob_matches("[a", "[a"));
    EXPECT_FALSE(glob_matches("[a", "a"));
}

TEST(Glob, BackslashTakesTheNextLiterally) {
    EXPECT_TRUE(glob_matches("\\*", "*"));
    EXPECT_FALSE(glob_matches("\\*", "a"));
    EXPECT_TRUE(glob_matches("a\\", "a\\"));
    EXPECT_TRUE(glob_matches("line\nbreak*", "line\nbreak.txt"));
}

// The definition, without its speed.
bool slowly(std::string_view pattern, std::string_view path, bool component = true) {
    if (pattern.empty()) return path.empty();
    if (component && pattern.starts_with("**/")) {
        if (slowly(pattern.substr(3), path)) return true;
        const std::size_t slash = path.find('/');
        return slash != std::string_view::npos && slowly(pattern, path.substr(slash + 1));
    }
    if (pattern.starts_with("**")) {
        for (std::size_t i = 0; i <= path.size(); ++i)
            if (slowly(pattern.substr(2), path.substr(i), false)) return true;
        return false;
    }
    if (pattern.front() == '*') {
        for (std::size_t i = 0; i <= path.size(); ++i) {
            if (slowly(pattern.substr(1), path.substr(i), false)) return true;
            if (i < path.size() && path[i] == '/') return false;
        }
        return false;
    }
    if (path.empty()) return false;
    if (pattern.front() == '?' ? path.front() == '/' : pattern.front() != path.front())
        return false;
    return slowly(pattern.substr(1), path.substr(1), pattern.front() == '/');
}

std::string random_text(std::mt19937& random, std::string_view alphabet, std::size_t most) {
    std::string text;
    const std::size_t size = random() % (most + 1);
    while (text.size() < size) text += alphabet[random() % alphabet.size()];
    return text;
}

TEST(Glob, AgreesWithItsDefinition) {
    std::mt19937 random(20260212);
    int matches = 0;
    for (int i = 0; i < 300'000; ++i) {
        const std::string pattern = random_text(random, "ab/**?", 9);
        if (pattern.find("***") != std::string::npos) continue;
        const std::string path = random_text(random, "aab//", 9);
        const bool expected = slowly(pattern, path);
        matches += expected ? 1 : 0;
        ASSERT_EQ(glob_matches(pattern, path), expected) << pattern << " against " << path;
    }
    EXPECT_GT(matches, 10'000);
}

TEST(Glob, HostilePatternsEndSoon) {
    std::string stars;
    for (int i = 0; i < 100; ++i) stars += "*a";
    std::string double_stars;
    for (int i = 0; i < 100; ++i) double_stars += "**a";
    std::string components;
    for (int i = 0; i < 16; ++i) components.append(250, 'a').append("/");
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(glob_matches(stars + "b", std::string(4096, 'a')));
    EXPECT_FALSE(glob_matches(double_stars + "b", components));
    EXPECT_FALSE(glob_matches("**" + stars + "/" + stars + "b", components));
    EXPECT_FALSE(glob_matches("**/" + stars + "/" + stars + "b", components));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace
}  // namespace chorus::sys
