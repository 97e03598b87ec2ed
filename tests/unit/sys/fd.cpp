#include "sys/fd.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

bool is_open(int number) {
    return fcntl(number, F_GETFD) >= 0;
}

TEST(Fd, ClosesItselfOnce) {
    int number = -1;
    {
        const Fd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
        number = fd.get();
        ASSERT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingHandsOverAndClosesWhatWasHeld) {
    Fd first(open("/dev/null", O_RDONLY | O_CLOEXEC));
    Fd second(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int kept = first.get();
    const int dropped = second.get();
    second = std::move(first);
    EXPECT_EQ(second.get(), kept);
    EXPECT_TRUE(is_open(kept));
    EXPECT_FALSE(is_open(dropped));
    EXPECT_FALSE(first);
}

TEST(Fd, ClosingKeepsErrno) {
    Fd broken(1'000'000);
    errno = ENOENT;
    broken.reset();
    EXPECT_EQ(errno, ENOENT);
}

TEST(Pipe, IsCloseOnExec) {
    const Pipe pipe = make_pipe();
    EXPECT_EQ(fcntl(pipe.read_end.get(), F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(fcntl(pipe.write_end.get(), F_GETFD), FD_CLOEXEC);
}

std::string through_pipe(const std::string& content, std::size_t most) {
    Pipe pipe = make_pipe();
    std::thread writer([&] {
        EXPECT_TRUE(try_write_all(pipe.write_end.get(), content));
        pipe.write_end.reset();
    });
    std::string text;
    std::string error;
    const bool whole = try_read_all(pipe.read_end.get(), most, text);
    const int why = errno;
    std::string rest;
    try_read_all(pipe.read_end.get(), SIZE_MAX, rest);
    writer.join();
    if (!whole) throw base::system_error("pipe", why);
    return text;
}

TEST(ReadAll, ReadsToTheEndInWhateverPieces) {
    const std::string content(3'000'000, 'x');
    EXPECT_EQ(through_pipe(content, content.size()), content);
    EXPECT_EQ(through_pipe("", 0), "");
}

TEST(ReadAll, RefusesMoreThanAllowed) {
    EXPECT_EQ(through_pipe("four", 4), "four");
    EXPECT_THROW(through_pipe("fives", 4), base::Error);
    const Fd zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));
    try {
        read_all(zeros.get(), 100'000, "zeros");
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.message(), "zeros: more than 100000 bytes");
    }
}

TEST(ReadAll, WaitsOnADescriptorMadeNonBlocking) {
    Pipe pipe = make_pipe();
    fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK);
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        write_all(pipe.write_end.get(), "late", "pipe");
        pipe.write_end.reset();
    });
    EXPECT_EQ(read_all(pipe.read_end.get(), 100, "pipe"), "late");
    writer.join();
}

TEST(WriteAll, WaitsOnADescriptorMadeNonBlocking) {
    Pipe pipe = make_pipe();
    fcntl(pipe.write_end.get(), F_SETFL, O_NONBLOCK);
    const std::string content(1'000'000, 'y');
    std::thread writer([&] {
        write_all(pipe.write_end.get(), content, "pipe");
        pipe.write_end.reset();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(read_all(pipe.read_end.get(), content.size(), "pipe"), content);
    writer.join();
}

TEST(WriteAll, ReportsAFullDisk) {
    const Fd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
    try {
        write_all(full.get(), "text", "stdout");
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.message(), "stdout: No space left on device");
    }
}

}  // namespace
}  // namespace chorus::sys
