#include "base/fragments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace chorus::base {
namespace {

const std::string key = "sk-test-Zq81xVb07Ludw93KfT";

Fragments of(std::initializer_list<std::string> known) {
    Fragments fragments;
    for (const std::string& one : known) fragments.add(one);
    return fragments;
}

// What is left when all that was found is taken out.
std::string left(const Fragments& fragments, const std::string& text) {
    std::string kept;
    const auto spans = fragments.find(text);
    for (std::size_t at = 0; at < text.size(); ++at)
        if (std::none_of(spans.begin(), spans.end(),
                         [&](const auto& span) { return span.begin <= at && at < span.end; }))
            kept += text[at];
    return kept;
}

TEST(Fragments, AnyRunOfTwelveBytesIsFoundWhereverItStands) {
    const Fragments fragments = of({key});
    for (std::size_t before = 0; before < 20; ++before)
        for (std::size_t at = 0; at < key.size(); ++at)
            for (std::size_t size = 1; at + size <= key.size(); ++size) {
                const std::string head(before, '.');
                const std::string text = head + key.substr(at, size) + "|";
                EXPECT_EQ(left(fragments, text), size < 12 ? text : head + "|") << text;
            }
    EXPECT_TRUE(fragments.find("").empty());
    EXPECT_TRUE(Fragments().find(key).empty());
}

TEST(Fragments, AShortTextIsFoundAsAWhole) {
    for (const std::string& known : {std::string("12345678"), std::string("12345678901")}) {
        const Fragments fragments = of({key, known});
        for (std::size_t before = 0; before < 20; ++before) {
            const std::string head(before, '.');
            EXPECT_EQ(left(fragments, head + known), head);
            EXPECT_EQ(left(fragments, head + known.substr(1)), head + known.substr(1));
            EXPECT_EQ(left(fragments, head + key), head);
        }
    }
    EXPECT_TRUE(of({"1234567"}).find("1234567").empty());
}

TEST(Fragments, AnEndThatMayGoOnIsToldByItsLength) {
    const Fragments fragments = of({key});
    EXPECT_EQ(fragments.open_end(""), 0U);
    EXPECT_EQ(fragments.open_end("a word "), 0U);
    EXPECT_EQ(fragments.open_end("x " + key.substr(0, 5)), 5U);
    EXPECT_EQ(fragments.open_end("x " + key.substr(3, 9)), 9U);
    EXPECT_EQ(fragments.open_end(key.substr(0, key.size() - 1)), key.size() - 1);
    // nothing can follow that makes it longer
    EXPECT_EQ(fragments.open_end("x " + key.substr(4)), 0U);
}

TEST(Fragments, Base64IsTheSameWhateverStandsAroundIt) {
    // base64 of "x", "xy" and nothing before the key
    const Fragments fragments = [] {
        Fragments all;
        for (const std::string& form : base64_forms(key)) all.add(form);
        return all;
    }();
    for (const std::string text :
         {"c2stdGVzdC1acTgxeFZiMDdMdWR3OTNLZlQ=", "eHNrLXRlc3QtWnE4MXhWYjA3THVkdzkzS2ZU",
          "eHlzay10ZXN0LVpxODF4VmIwN0x1ZHc5M0tmVA=="})
        EXPECT_LE(left(fragments, text).size(), 6U) << text;
    const auto forms = base64_forms("\xfb\xff\xbe\xfb\xff\xbe");
    EXPECT_NE(std::find(forms.begin(), forms.end(), "+/+++/++"), forms.end());
    EXPECT_NE(std::find(forms.begin(), forms.end(), "-_---_--"), forms.end());
}

// Twenty keys, all their forms, ten megabytes: little more than one look at every eighth place, and
// what repeats itself costs no more than a bound times that.
TEST(Fragments, TheWorkIsBoundedByTheText) {
    Fragments fragments;
    for (int i = 0; i < 20; ++i) {
        std::string one = key + std::to_string(i * 7919);
        std::reverse(one.begin() + (i % 10), one.end());
        fragments.add(one);
        for (const std::string& form : base64_forms(one)) fragments.add(form);
    }
    std::string text;
    for (unsigned i = 0; text.size() < (10U << 20U); ++i)
        text += "line " + std::to_string(i * 2654435761U) + " of a log, and words\n";
    std::size_t work = 0;
    EXPECT_TRUE(fragments.find(text, &work).empty());
    EXPECT_LT(work, text.size() / 4);
    fragments.add(std::string(100, 'a'));
    (void)fragments.find(std::string(1U << 20U, 'a'), &work);
    EXPECT_LT(work, std::size_t{400} << 20U);
}

}  // namespace
}  // namespace chorus::base
