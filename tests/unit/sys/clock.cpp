#include "sys/clock.hpp"

#include <cstdlib>
#include <ctime>

#include "base/error.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

class Zone {
  public:
    explicit Zone(const char* name) {
        if (const char* before = getenv("TZ")) before_ = before;
        setenv("TZ", name, 1);
        tzset();
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;
    ~Zone() {
        before_.empty() ? unsetenv("TZ") : setenv("TZ", before_.c_str(), 1);
        tzset();
    }

  private:
    std::string before_;
};

base::TimeMs at(const char* text) {
    return base::parse_iso8601(text).value();
}

TEST(Now, IsTheWallClock) {
    ASSERT_EQ(getenv("CHORUS_NOW_MS"), nullptr);
    const base::TimeMs before = std::time(nullptr);
    const base::TimeMs now = now_ms();
    EXPECT_GE(now, (before - 1) * 1000);
    EXPECT_LE(now, (before + 60) * 1000);
}

// The clock is read once a process, so each case has one of its own.
int in_process_at(const char* value, base::TimeMs expected) {
    // A fork would inherit what an earlier test of this process has already read.
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "CHORUS_NOW_MS='" + std::string(value) +
                                "' CHORUS_TEST_EXPECTED_MS=" + std::to_string(expected) + " '" +
                                self +
                                "' --gtest_also_run_disabled_tests --gtest_brief=1"
                                " --gtest_filter=Now.DISABLED_InItsOwnProcess >/dev/null";
    return std::system(command.c_str());
}

TEST(Now, DISABLED_InItsOwnProcess) {
    const char* expected = getenv("CHORUS_TEST_EXPECTED_MS");
    ASSERT_NE(expected, nullptr);
    if (std::string(expected) == "-1") {
        EXPECT_THROW(now_ms(), base::Error);
        return;
    }
    EXPECT_EQ(now_ms(), std::atoll(expected));
    setenv("CHORUS_NOW_MS", "5", 1);
    EXPECT_EQ(now_ms(), std::atoll(expected));
}

TEST(Now, ObeysTheTestsClock) {
    EXPECT_EQ(in_process_at("1767225600123", 1767225600123), 0);
    EXPECT_EQ(in_process_at("0", 0), 0);
    EXPECT_NE(in_process_at("1767225600123", 1), 0);
}

TEST(Now, RefusesAMalformedClock) {
    EXPECT_EQ(in_process_at("yesterday", -1), 0);
    EXPECT_EQ(in_process_at("12x", -1), 0);
}

TEST(Monotonic, NeverStepsBack) {
    std::int64_t last = monotonic_us();
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t now = monotonic_us();
        ASSERT_GE(now, last);
        last = now;
    }
    EXPECT_NEAR(static_cast<double>(monotonic_ms()), static_cast<double>(last) / 1000, 1000);
}

TEST(LocalDayStart, IsMidnightOfTheZone) {
    const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    EXPECT_EQ(local_day_start(at("2026-02-12T10:30:00Z")), at("2026-02-11T23:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-02-11T23:00:00Z")), at("2026-02-11T23:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-02-11T22:59:59.999Z")), at("2026-02-10T23:00:00Z"));
}

TEST(LocalDayStart, KnowsDaysOfTwentyThreeAndTwentyFiveHours) {
    const Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
    EXPECT_EQ(local_day_start(at("2026-03-29T12:00:00Z")), at("2026-03-28T23:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-10-25T12:00:00Z")), at("2026-10-24T22:00:00Z"));
}

TEST(LocalDayStart, KnowsDaysWithoutMidnight) {
    const Zone zone("XST4XDT,M10.3.0/0,M2.3.0/0");  // jumps from 00:00 to 01:00
    EXPECT_EQ(local_day_start(at("2026-10-18T15:00:00Z")), at("2026-10-18T04:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-10-18T04:00:00Z")), at("2026-10-18T04:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-10-18T03:59:59Z")), at("2026-10-17T04:00:00Z"));
}

TEST(LocalDayStart, KnowsDaysWithTwoMidnights) {
    const Zone zone("XST1XDT,M3.5.0/0,M10.5.0/1");  // steps back from 01:00 to 00:00
    EXPECT_EQ(local_day_start(at("2026-10-25T12:00:00Z")), at("2026-10-25T00:00:00Z"));
    EXPECT_EQ(local_day_start(at("2026-10-25T00:30:00Z")), at("2026-10-25T00:00:00Z"));
}

TEST(LocalDayStart, CountsBackwardsBeforeTheEpoch) {
    const Zone zone("UTC0");
    EXPECT_EQ(local_day_start(-1), -86'400'000);
}

}  // namespace
}  // namespace chorus::sys
