#include "cli/time_text.hpp"

#include <gtest/gtest.h>

namespace chorus::cli {
namespace {

TEST(Spans, are_said_in_their_largest_unit) {
    EXPECT_EQ(span_text(-5), "0 sec");
    EXPECT_EQ(span_text(30'999), "30 sec");
    EXPECT_EQ(span_text(119'999), "119 sec");
    EXPECT_EQ(span_text(300'000), "5 min");
    EXPECT_EQ(span_text(7'200'000), "2 h");
    EXPECT_EQ(span_text(172'800'000), "2 days");
}

TEST(Durations, are_exact_where_they_are_short) {
    EXPECT_EQ(duration_text(-1), "0 ms");
    EXPECT_EQ(duration_text(12), "12 ms");
    EXPECT_EQ(duration_text(1'250), "1.2 sec");
    EXPECT_EQ(duration_text(59'999), "59.9 sec");
    EXPECT_EQ(duration_text(125'000), "2 min 5 sec");
    EXPECT_EQ(duration_text(3'600'000 + 120'000), "1 h 2 min");
}

}  // namespace
}  // namespace chorus::cli
