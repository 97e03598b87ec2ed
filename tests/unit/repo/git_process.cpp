#include "repo/git_process.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <stdexcept>
#include <thread>

#include "sys/clock.hpp"
#include "workspace.hpp"

namespace chorus::repo {
namespace {

// A server that takes connections and says nothing.
class SilentServer {
  public:
    SilentServer() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        address_.sin_family = AF_INET;
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address_;
        auto* any = reinterpret_cast<sockaddr*>(&address_);
        if (bind(fd_.get(), any, size) != 0 || listen(fd_.get(), 4) != 0 ||
            getsockname(fd_.get(), any, &size) != 0)
            throw std::runtime_error("no server");
    }
    std::string address() const {
        return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)) + "/x";
    }

  private:
    sys::Fd fd_;
    sockaddr_in address_{};
};

class GitProcessTest : public WorkspaceTest {
  protected:
    Message init() const { return {"init", workspace(), "alice", "alice@x"}; }
    Message status() const { return {"status", workspace()}; }
};

TEST_F(GitProcessTest, EndsAWaitForAServerThatSaysNothing) {
    const SilentServer server;
    for (const char* scheme : {"http://", "https://", "ssh://"}) {
        shell("find . -mindepth 1 -delete");
        GitProcess process({.writable = {workspace()}, .network = true}, {"HOME=/none"}, 400);
        const std::int64_t began_ms = sys::monotonic_ms();
        EXPECT_EQ(message_of([&] {
                      process.call(
                          {"clone", workspace(), scheme + server.address(), "", "", "n", "e", ""},
                          "clone: the server was silent");
                  }),
                  "clone: the server was silent for 0.4 s");
        EXPECT_LT(sys::monotonic_ms() - began_ms, 10'000);
        EXPECT_EQ(message_of([&] { process.call(status()); }), "git: chorus-git ended");
    }
}

TEST_F(GitProcessTest, WaitsForWorkThatTakesLong) {
    GitProcess process({.writable = {workspace()}}, {}, 300);
    process.call(init());
    shell("head -c 300000000 /dev/zero > large");
    const Message plan{"plan", workspace(), "m", "", "alice", "alice@x"};
    EXPECT_EQ(process.call(plan).size(), 2U);
}

TEST_F(GitProcessTest, TakesCallsOfSeveralThreads) {
    GitProcess process({.writable = {workspace()}}, {});
    process.call(init());
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 20; ++n)
                EXPECT_EQ(process.call(status()), (Message{"branch main\n"}));
        });
    for (std::thread& thread : threads) thread.join();
}

TEST_F(GitProcessTest, HasNoNetworkUnlessItIsGiven) {
    GitProcess process({.writable = {workspace()}}, {});
    const std::string said = message_of([&] {
        process.call({"clone", workspace(), "http://127.0.0.1:1/x", "", "", "n", "e", ""});
    });
    EXPECT_NE(said.find("not permitted"), std::string::npos) << said;
}

// As on a kernel without Landlock.
TEST_F(GitProcessTest, WorksAmongMountsToo) {
    shell("git init -q ../secret && echo secret > ../secret/s");
    GitProcess process({.writable = {workspace()}, .fence = sys::Fence::mounts}, {});
    process.call(init());
    write("new", "x");
    EXPECT_EQ(process.call(status()), (Message{"branch main\n?? new\n"}));
    const std::string beside = directory() + "/secret";
    EXPECT_EQ(process.call({"open", beside}), Message{});
    message_of([&] { process.call({"init", beside, "n", "e"}); });
    EXPECT_EQ(shell("git -C ../secret log 2>&1").find("Initial"), std::string::npos);
}

TEST_F(GitProcessTest, EndsWithItsCaller) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t caller = fork();
    if (caller == 0) {
        GitProcess process({.writable = {workspace()}}, {});
        process.call(init());
        const pid_t pid = process.pid();
        (void)!::write(ends[1], &pid, sizeof pid);
        pause();
    }
    pid_t pid = 0;
    ASSERT_EQ(::read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    EXPECT_EQ(kill(pid, 0), 0);
    kill(caller, SIGKILL);
    waitpid(caller, nullptr, 0);
    for (int i = 0;
         i < 200 && shell("cat /proc/" + std::to_string(pid) + "/comm") == "chorus-git\n"; ++i)
        usleep(10'000);
    EXPECT_NE(shell("cat /proc/" + std::to_string(pid) + "/stat | cut -d' ' -f2,3"),
              "(chorus-git) S\n");
    close(ends[0]);
    close(ends[1]);
}

TEST_F(GitProcessTest, InheritsNothing) {
    setenv("CHORUS_TEST_SECRET", "hidden", 1);
    GitProcess process({.writable = {workspace()}}, {"A=b"});
    process.call(init());
    const std::string place = "/proc/" + std::to_string(process.pid());
    EXPECT_EQ(shell("tr '\\0' '\\n' < " + place + "/environ"), "A=b\n");
    EXPECT_EQ(shell("ls " + place + "/fd | tr '\\n' ' '"), "0 1 2 3 ");
    unsetenv("CHORUS_TEST_SECRET");
}

}  // namespace
}  // namespace chorus::repo
