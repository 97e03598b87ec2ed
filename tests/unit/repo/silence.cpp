#include "repo/silence.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/clock.hpp"
#include "sys/fd.hpp"

namespace chorus::repo {
namespace {

// A server that takes connections and says nothing.
class SilentServer {
  public:
    SilentServer() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address_;
        const auto* any = reinterpret_cast<sockaddr*>(&address_);
        if (bind(fd_.get(), any, size) != 0 || listen(fd_.get(), 4) != 0 ||
            getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address_), &size) != 0)
            throw std::runtime_error("no server");
    }
    sys::Fd connection() const {
        sys::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0)
            throw std::runtime_error("no connection");
        return fd;
    }

  private:
    sys::Fd fd_;
    sockaddr_in address_{};
};

TEST(Silence, EndsAWaitForAServerThatSaysNothing) {
    const SilentServer server;
    Silence silence(200);
    const sys::Fd connection = server.connection();
    char byte = 0;
    const std::int64_t began_ms = sys::monotonic_ms();
    EXPECT_EQ(recv(connection.get(), &byte, 1, 0), 0);
    EXPECT_LT(sys::monotonic_ms() - began_ms, 5'000);
    EXPECT_TRUE(silence.was_too_long());
}

TEST(Silence, LeavesAloneWhatWasOpenBefore) {
    const SilentServer server;
    const sys::Fd older = server.connection();
    const Silence silence(50);
    const sys::Fd newer = server.connection();
    char byte = 0;
    EXPECT_EQ(recv(newer.get(), &byte, 1, 0), 0);
    EXPECT_EQ(recv(older.get(), &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_EQ(errno, EAGAIN);
}

TEST(Silence, IsNoneWhileSomethingComes) {
    const SilentServer server;
    Silence silence(600);
    const sys::Fd connection = server.connection();
    char byte = 0;
    for (int i = 0; i < 12; ++i) {
        usleep(100'000);
        silence.heard();
    }
    EXPECT_EQ(recv(connection.get(), &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_FALSE(silence.was_too_long());
}

}  // namespace
}  // namespace chorus::repo
