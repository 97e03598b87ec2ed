#include "sys/clock.hpp"

#include <cstdlib>
#include <ctime>

#include "base/error.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

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
    std::int64_t last = monotonic_ms();
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t now = monotonic_ms();
        ASSERT_GE(now, last);
        last = now;
    }
}

}  // namespace
}  // namespace chorus::sys
