// Commands without a sandbox: what they start ends with them and with us.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <set>
#include <thread>

#include "sys/clock.hpp"
#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

// Those whose environment holds `mark`, as everything does that the command started.
std::set<pid_t> marked_with(const std::string& mark) {
    std::set<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const pid_t pid = std::atoi(entry.path().filename().c_str());
        if (pid > 0 && content_of(entry.path() / "environ").find(mark) != std::string::npos)
            found.insert(pid);
    }
    return found;
}

bool ends(const std::string& mark) {
    for (int tries = 0; tries < 300; ++tries) {
        if (marked_with(mark).empty()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (const pid_t pid : marked_with(mark)) kill(pid, SIGKILL);
    return false;
}

class WatcherTest : public SandboxTest {
  protected:
    void SetUp() override {
        SandboxTest::SetUp();
        sandbox_.mode = SandboxMode::off;
    }
    std::string mark() const { return "MARK=" + top_; }
    ProcessCommand marked(const std::string& script) const {
        ProcessCommand command = bash(script);
        command.environment.push_back(mark());
        return command;
    }
    // A process that runs the command and is killed after `us`; true where nothing is left then.
    bool nothing_outlives(const std::string& script, int us) const {
        const pid_t owner = fork();
        if (owner == 0) {
            run(sandboxed(sandbox_, marked(script)), {.timeout_ms = 20'000});
            _exit(0);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(us));
        kill(owner, SIGKILL);
        waitpid(owner, nullptr, 0);
        return ends(mark());
    }
};

constexpr const char* runaways =
    "trap '' TERM HUP; (setsid setsid sleep 1000 &) ; nohup setsid bash -c 'sleep 1000 & sleep "
    "1000' >/dev/null 2>&1 & (setsid bash -c 'kill -STOP $$' &) ; ";

// At any time there are a hundred processes, each of which lives a fraction of a millisecond.
TEST_F(WatcherTest, ProcessesThatForkAndEndAreKilled) {
    sandbox_.belongings = top_ + "/commands";
    for (const SandboxMode mode : {SandboxMode::off, SandboxMode::landlock}) {
        sandbox_.mode = mode;
        const auto begin = std::chrono::steady_clock::now();
        run(sandboxed(
                sandbox_,
                marked("exec perl -e '$end = time + 60; $first = $$; "
                       "for (1 .. 100) { fork or last } exit if $$ == $first; "
                       "select undef, undef, undef, .1; while (time < $end) { exit if fork }'")),
            {.timeout_ms = 120'000});
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
        EXPECT_EQ(marked_with(mark()), std::set<pid_t>());
    }
}

TEST_F(WatcherTest, TheCommandEndsAsItWould) {
    EXPECT_EQ(inside("exit 0").exit_code, 0);
    EXPECT_EQ(inside("exit 255").exit_code, 255);
    for (const int number : {SIGHUP, SIGSEGV, SIGKILL, SIGTERM, SIGUSR1, SIGRTMIN + 2}) {
        const Finished finished = inside("kill -" + std::to_string(number) + " $$");
        EXPECT_EQ(finished.signal, number);
        EXPECT_EQ(finished.exit_code, -1);
    }
}

TEST_F(WatcherTest, ItIsTheCommandOfBefore) {
    const Finished finished = inside(
        "echo $0; pwd; no-such-program; tail -n +2 /proc/self/status | grep -E 'Sig(Blk|Ign)'");
    EXPECT_EQ(finished.out.text.substr(0, finished.out.text.find("Sig")),
              "bash\n" + sandbox_.workspace + "\n");
    EXPECT_EQ(finished.out.text.find("SigBlk:\t0000000000000000"), finished.out.text.find("Sig"));
    EXPECT_EQ(finished.err.text, "bash: line 1: no-such-program: command not found\n");
    EXPECT_EQ(inside("exec ls -1 /proc/self/fd").out.text, "0\n1\n2\n3\n");  // 3: ls itself
}

TEST_F(WatcherTest, AMissingProgramOrWatcherIsAnError) {
    ProcessCommand command = bash("true");
    command.arguments[0] = "no-such-program";
    EXPECT_THROW(sandboxed(sandbox_, command), base::Error);
    sandbox_.inner = top_ + "/chorus-sandbox";
    EXPECT_EQ(refusal(), "chorus-sandbox is not installed with this program");
    EXPECT_EQ(problem_of(sandbox_, top_ + "/state"), refusal());
    sandbox_.mode = SandboxMode::workspace;
    EXPECT_EQ(refusal(), "chorus-sandbox is not installed with this program");
    EXPECT_EQ(problem_of(sandbox_, top_ + "/state"), refusal());
    EXPECT_FALSE(fs::exists(top_ + "/state"));
}

TEST_F(WatcherTest, SigtermReachesTheWholeGroupAndTheStatusIsTheCommandsOwn) {
    const Finished finished =
        run(sandboxed(sandbox_, bash("trap 'echo bye; exit 3' TERM; sleep 1000 & wait")),
            {.timeout_ms = 300, .grace_ms = 10'000});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.out.text, "bye\n");
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(WatcherTest, KillZeroDoesNotReachTheWatcher) {
    const Finished finished = inside("trap 'exit 7' TERM; kill 0; sleep 5");
    EXPECT_EQ(finished.exit_code, 7);
    EXPECT_EQ(inside("kill -KILL 0").signal, SIGKILL);
}

TEST_F(WatcherTest, WhatIgnoresSigtermIsKilledWithAllItStarted) {
    const Finished finished = run(sandboxed(sandbox_, marked(runaways + std::string("sleep 1000"))),
                                  {.timeout_ms = 300, .grace_ms = 100});
    EXPECT_EQ(finished.signal, SIGKILL);
    EXPECT_TRUE(marked_with(mark()).empty());
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(WatcherTest, WhatItLeavesEndsShortlyAfterIt) {
    Finished finished;
    for (int tries = 0; tries < 50 && finished.out.text != "early\nlate\n"; ++tries)
        finished = run(sandboxed(sandbox_, marked("echo early; (sleep 0.05; echo late) & " +
                                                  std::string(runaways) + "exit 4")),
                       {.timeout_ms = 20'000});
    EXPECT_EQ(finished.exit_code, 4);
    EXPECT_EQ(finished.out.text, "early\nlate\n");
    EXPECT_TRUE(marked_with(mark()).empty());
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(WatcherTest, NothingOutlivesAProcessThatIsKilled) {
    for (int i = 0; i < 12; ++i)
        EXPECT_TRUE(nothing_outlives(runaways + std::string("sleep 1000"), 1'000 + i * 4'000)) << i;
}

TEST_F(WatcherTest, NothingOutlivesAProcessThatIsKilledWhileTheCommandEnds) {
    for (int i = 0; i < 12; ++i)
        EXPECT_TRUE(nothing_outlives("setsid sleep 1000 & exit 0", 4'000 + i * 3'000)) << i;
}

TEST_F(WatcherTest, NothingInASandboxOutlivesAProcessThatIsKilled) {
    sandbox_.mode = SandboxMode::workspace;
    for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(nothing_outlives(runaways + std::string("sleep 1000"), 200 + i * 900)) << i;
}

}  // namespace
}  // namespace chorus::sys
