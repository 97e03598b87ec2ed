#include "sys/line_log.hpp"

#include <sys/stat.h>

#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

class LineLogTest : public testing::Test {
  protected:
    std::string path() const { return scratch_ / "log"; }
    LineLog::Tail tail_of(const std::string& content, std::size_t most = 1U << 20) const {
        test::put(path(), content);
        return LineLog(path()).tail(most);
    }
    test::Scratch scratch_;
};

TEST_F(LineLogTest, is_made_for_its_owner_alone_and_grows) {
    {
        LineLog log(path());
        log.append("one\n");
        log.append("two\nthree\n");
        EXPECT_EQ(log.tail(100).last, "three");
    }
    EXPECT_EQ(test::text_of(path()), "one\ntwo\nthree\n");
    struct stat status {};
    ASSERT_EQ(stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(LineLogTest, knows_its_last_line_and_what_was_broken_off) {
    const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
        {"", {"", ""}},        {"a\n", {"a", ""}},   {"a", {"", "a"}},
        {"a\nb\n", {"b", ""}}, {"a\nb", {"a", "b"}}, {"\n", {"", ""}},
        {"a\n\n", {"", ""}},   {"\na", {"", "a"}},   {"a\nb\nc", {"b", "c"}},
    };
    for (const auto& [content, tail] : cases) {
        const LineLog::Tail found = tail_of(content);
        EXPECT_EQ(found.last, tail.first) << content;
        EXPECT_EQ(found.torn, tail.second) << content;
        EXPECT_EQ(test::text_of(path()), content);
    }
}

TEST_F(LineLogTest, finds_long_lines) {
    for (const std::size_t size : {65'535U, 65'536U, 65'537U, 300'000U}) {
        const std::string line(size, 'x');
        EXPECT_EQ(tail_of("a\n" + line + "\n").last, line) << size;
        EXPECT_EQ(tail_of(line + "\n").last, line) << size;
        const LineLog::Tail torn = tail_of("a\n" + line);
        EXPECT_EQ(torn.last, "a") << size;
        EXPECT_EQ(torn.torn, line) << size;
        EXPECT_EQ(tail_of("a\n" + line + "\nb").last, line) << size;
    }
}

TEST_F(LineLogTest, gives_up_on_a_line_that_is_too_long) {
    const std::string line(5U << 20, 'x');
    EXPECT_EQ(tail_of("a\n" + line + "\n", 1U << 20).last, "");
    EXPECT_NE(tail_of("a\n" + line, 1U << 20).torn, "");
}

TEST_F(LineLogTest, takes_regular_files_only) {
    std::filesystem::create_directory(scratch_ / "directory");
    EXPECT_THROW(LineLog(scratch_ / "directory"), base::Error);
    ASSERT_EQ(mkfifo((scratch_ / "fifo").c_str(), 0600), 0);
    EXPECT_THROW(LineLog(scratch_ / "fifo"), base::Error);
    std::filesystem::create_symlink(path(), scratch_ / "link");
    EXPECT_THROW(LineLog(scratch_ / "link"), base::Error);
    EXPECT_THROW(LineLog(scratch_ / "none/log"), base::Error);
}

}  // namespace
}  // namespace chorus::sys
