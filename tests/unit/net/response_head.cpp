#include "net/response_head.hpp"

#include "base/limits.hpp"

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

TEST(Head, LowersNamesTrimsValuesAndJoinsRepeated) {
    Head head;
    for (const char* line : {"HTTP/1.1 200 OK\r\n", "X-Request-ID:  abc \r\n", "Via: a\r\n",
                             "via: b\r\n", "no colon\r\n", ": no name\r\n", "\r\n"})
        EXPECT_TRUE(head.add_line(line));
    EXPECT_EQ(head.status(), 200);
    EXPECT_EQ(header_of(head.headers(), "x-request-id"), "abc");
    EXPECT_EQ(header_of(head.headers(), "via"), "a, b");
    EXPECT_EQ(head.headers().size(), 2U);
    EXPECT_EQ(header_of(head.headers(), "absent"), "");
}

TEST(Head, ForgetsAnInterimAnswer) {
    Head head;
    for (const char* line :
         {"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/2 529 \r\n", "A: b\r\n"})
        head.add_line(line);
    EXPECT_EQ(head.status(), 529);
    EXPECT_EQ(head.headers(), (Headers{{"a", "b"}}));
}

TEST(Head, IsBoundedOverAllLines) {
    Head head;
    const std::string half(base::limits::http_head_bytes / 2, 'x');
    EXPECT_TRUE(head.add_line(half));
    EXPECT_TRUE(head.add_line(half));
    EXPECT_FALSE(head.add_line("x"));
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
