#include "base/time.hpp"

#include <gtest/gtest.h>

namespace chorus::base {
namespace {

TEST(SecondsText, is_never_less_than_it_was) {
    EXPECT_EQ(seconds_text(600'000), "600 s");
    EXPECT_EQ(seconds_text(300), "0.3 s");
    EXPECT_EQ(seconds_text(1), "0.1 s");
    EXPECT_EQ(seconds_text(1'999), "2 s");
    EXPECT_EQ(seconds_text(0), "0 s");
}

TEST(Iso8601, is_utc_with_milliseconds) {
    EXPECT_EQ(iso8601(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(iso8601(1'770'892'200'123), "2026-02-12T10:30:00.123Z");
    EXPECT_EQ(iso8601(-1), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(iso8601(-1'000), "1969-12-31T23:59:59.000Z");
    EXPECT_EQ(iso8601(951'782'400'000), "2000-02-29T00:00:00.000Z");
}

TEST(Iso8601, comes_back_as_it_went) {
    for (const TimeMs time :
         {TimeMs{0}, TimeMs{1}, TimeMs{-1}, TimeMs{999}, TimeMs{1'770'892'200'123},
          TimeMs{4'102'444'799'999}, TimeMs{951'782'400'000}})
        EXPECT_EQ(parse_iso8601(iso8601(time)), time) << iso8601(time);
}

TEST(Iso8601, is_read_without_the_fraction_too) {
    EXPECT_EQ(parse_iso8601("2026-02-12T10:30:00Z"), 1'770'892'200'000);
    EXPECT_EQ(parse_iso8601("1970-01-01T00:00:60Z"), 60'000);
}

TEST(Iso8601, knows_offsets_and_takes_none_for_utc) {
    const TimeMs noon = *parse_iso8601("2026-02-12T12:00:00Z");
    for (const char* text :
         {"2026-02-12T12:00:00", "2026-02-12T14:00:00+02:00", "2026-02-12T06:30:00-0530",
          "2026-02-12T12:00:00+00:00", "2026-02-12T12:00:00.000999"})
        EXPECT_EQ(parse_iso8601(text), noon) << text;
    EXPECT_EQ(parse_iso8601("2026-02-12T12:00:00.5Z"), noon + 500);
    EXPECT_EQ(parse_iso8601("2026-02-12T14:00:00.123456+02:00"), noon + 123);
}

TEST(Iso8601, is_nothing_where_malformed) {
    for (const char* text : {"",
                             "2026",
                             "2026-02-12",
                             "2026-02-12 10:30:00Z",
                             "2026-02-12T10:30:00Z ",
                             " 2026-02-12T10:30:00Z",
                             "2026-2-12T10:30:00Z",
                             "2026/02/12T10:30:00Z",
                             "-026-02-12T10:30:00Z",
                             "2026--2-12T10:30:00Z",
                             "2026-02-12T-1:30:00Z",
                             "2026-02-12T10:30:00.-12Z",
                             "2026-02-12T10:30:00.Z",
                             "2026-02-12T10:30:00+2",
                             "2026-02-12T10:30:00+24:00",
                             "2026-02-12T10:30:00+02:0x",
                             "2026-02-12T10:30:00+02:00Z",
                             "2026-13-12T10:30:00Z",
                             "2026-00-12T10:30:00Z",
                             "2026-02-00T10:30:00Z",
                             "2026-02-12T24:30:00Z",
                             "2026-02-12T10:60:00Z",
                             "2026-02-12T10:30:61Z",
                             "2026-02-12t10:30:00z",
                             "2026-0x-12T10:30:00Z"})
        EXPECT_FALSE(parse_iso8601(text)) << text;
}

TEST(Iso8601, knows_how_long_months_are) {
    for (const char* text : {"2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z",
                             "1900-02-29T00:00:00Z", "2026-01-32T00:00:00Z"})
        EXPECT_FALSE(parse_iso8601(text)) << text;
    EXPECT_TRUE(parse_iso8601("2024-02-29T00:00:00Z"));
    EXPECT_TRUE(parse_iso8601("2000-02-29T00:00:00Z"));
}

TEST(CompactUtc, is_fourteen_digits) {
    EXPECT_EQ(compact_utc(1'770'892'200'123), "20260212103000");
    EXPECT_EQ(compact_utc(0), "19700101000000");
}

// What a time without a zone means depends on where one is.
class When : public testing::Test {
  protected:
    When() { live_in("UTC"); }
    ~When() override {
        unsetenv("TZ");
        tzset();
    }
    static void live_in(const char* zone) {
        setenv("TZ", zone, 1);
        tzset();
    }
    static constexpr TimeMs now = 1'770'892'200'000;  // 2026-02-12T10:30:00Z
    static constexpr TimeMs hour = 3'600'000;
};

TEST_F(When, is_a_time_a_day_or_so_long_ago) {
    for (const char* text :
         {"2026-02-12T10:30:00Z", "2026-02-12T10:30", "2026-02-12 10:30", "2026-02-12T10:30:00",
          "2026-02-12T12:30+02:00", "2026-02-12T05:30:00.0-0500", "now"})
        EXPECT_EQ(parse_when(text, now), now) << text;
    EXPECT_EQ(parse_when("2026-02-12T10:30:00.001Z", 0), now + 1);
    EXPECT_EQ(parse_when("2h", now), now - 2 * hour);
    EXPECT_EQ(parse_when("1h30m", now), now - 3 * hour / 2);
    EXPECT_EQ(parse_when("7d", now), now - 7 * 24 * hour);
    EXPECT_EQ(parse_when("1w", now), now - 7 * 24 * hour);
    for (const char* text : {"2026-02-12", "20260212", "today"})
        EXPECT_EQ(parse_when(text, now), now - 21 * hour / 2) << text;
    EXPECT_EQ(parse_when("yesterday", now), parse_when("2026-02-11", now));
    for (const char* text :
         {"", "Yesterday", "2026-02-30", "20260230", "2026-02-1", "-2h", "2 h", "0", "90", "202602",
          "2026-02-12T", "2026-02-12T1", "2026-02-12T10", "2026-02-12T10:3", "2026-02-12x10:30",
          "2026-02-12T10:30:", "2026-02-12T10:30:0", "2026-02-12T10:30x", "2026-02-12T25:30"})
        EXPECT_FALSE(parse_when(text, now)) << text;
}

TEST_F(When, without_a_zone_is_local) {
    live_in("CET-1CEST,M3.5.0,M10.5.0/3");
    EXPECT_EQ(parse_when("2026-02-12T10:30", 0), now - hour);
    EXPECT_EQ(parse_when("2026-02-12T10:30:00Z", 0), now);
    EXPECT_EQ(parse_when("today", now), now - 23 * hour / 2);
    EXPECT_EQ(parse_when("2026-07-12T10:30", 0), parse_when("2026-07-12T08:30Z", 0)) << "summer";
    // that day has 23 hours
    EXPECT_EQ(*parse_when("2026-03-30", 0) - *parse_when("2026-03-29", 0), 23 * hour);
    EXPECT_EQ(parse_when("yesterday", *parse_when("2026-03-30T12:00", 0)),
              parse_when("2026-03-29", 0));
}

TEST(Duration, is_seconds_unless_it_says_otherwise) {
    EXPECT_EQ(parse_duration_ms("90"), 90'000);
    EXPECT_EQ(parse_duration_ms("90s"), 90'000);
    EXPECT_EQ(parse_duration_ms("250ms"), 250);
    EXPECT_EQ(parse_duration_ms("10m"), 600'000);
    EXPECT_EQ(parse_duration_ms("2h"), 7'200'000);
    EXPECT_EQ(parse_duration_ms("1d"), 86'400'000);
    EXPECT_EQ(parse_duration_ms("0"), 0);
    EXPECT_EQ(parse_duration_ms("1w"), 604'800'000);
    EXPECT_EQ(parse_duration_ms("1h30m"), 5'400'000);
    EXPECT_EQ(parse_duration_ms("1w2d3h4m5s6ms"), 788'645'006);
    EXPECT_EQ(parse_duration_ms("11574d"), 999'993'600'000);
}

TEST(Duration, is_nothing_where_malformed) {
    for (const char* text : {"",
                             "s",
                             "-1",
                             "+1",
                             " 1",
                             "1 ",
                             "1 s",
                             "1.5h",
                             "1e3",
                             "0x10",
                             "1y",
                             "1S",
                             "1mss",
                             "1h 30m",
                             "1m1h",
                             "1h1h",
                             "1h30",
                             "h",
                             "1000000001",
                             "11575d",
                             "99999999999999999999",
                             "9223372036854775807d"})
        EXPECT_FALSE(parse_duration_ms(text)) << text;
}

}  // namespace
}  // namespace chorus::base
