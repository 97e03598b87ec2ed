#include "net/retry_after.hpp"

namespace chorus::net {
namespace {

constexpr std::int64_t now_ms = 1'000'000;

std::time_t no_date(const std::string&) {
    return -1;
}
// "@1005" for a date.
std::time_t plain_date(const std::string& text) {
    return text.starts_with('@') ? std::stol(text.substr(1)) : -1;
}

TEST(RetryAfter, ReadsSecondsAndMilliseconds) {
    EXPECT_EQ(retry_after_ms({{"retry-after", "7"}}, now_ms, no_date), 7000);
    EXPECT_EQ(retry_after_ms({{"retry-after", "0.5"}}, now_ms, no_date), 500);
    EXPECT_EQ(retry_after_ms({{"retry-after-ms", "120"}, {"retry-after", "7"}}, now_ms, no_date),
              120);
    EXPECT_EQ(retry_after_ms({{"retry-after-ms", "x"}, {"retry-after", "7"}}, now_ms, no_date),
              7000);
}

TEST(RetryAfter, ReadsADateAgainstTheAnswersOwnClock) {
    EXPECT_EQ(retry_after_ms({{"retry-after", "@1005"}}, now_ms, plain_date), 5000);
    EXPECT_EQ(retry_after_ms({{"retry-after", "@9005"}, {"date", "@9000"}}, now_ms, plain_date),
              5000);
    EXPECT_EQ(retry_after_ms({{"retry-after", "@990"}}, now_ms, plain_date), 0);
}

TEST(RetryAfter, IsNothingWhereItMakesNoSense) {
    EXPECT_FALSE(retry_after_ms({}, now_ms, no_date));
    for (const char* text : {"", "-3", "soon", "nan", "3 s", "1e"})
        EXPECT_FALSE(retry_after_ms({{"retry-after", text}}, now_ms, no_date)) << text;
    EXPECT_EQ(retry_after_ms({{"retry-after", "1e300"}}, now_ms, no_date), 1'000'000'000'000);
}

}  // namespace
}  // namespace chorus::net
