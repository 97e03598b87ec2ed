#include "sys/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"

namespace chorus::sys {
namespace {

const std::vector<std::string> plain_environment{"PATH=/usr/local/bin:/usr/bin:/bin"};

ProcessCommand bash(std::string script) {
    return {.arguments = {"bash", "-c", std::move(script)}, .environment = plain_environment};
}

Finished run_bash(std::string script, const Bounds& bounds = {.timeout_ms = 20'000}) {
    return run(bash(std::move(script)), bounds);
}

std::string failure_of(const ProcessCommand& command) {
    try {
        run(command, {});
    } catch (const base::Error& error) {
        return error.message();
    }
    return "no error";
}

bool exists_process(pid_t pid) {
    return kill(pid, 0) == 0 || errno == EPERM;
}

// A number that a script has written to `file`.
pid_t pid_from(const std::string& file) {
    for (int tries = 0; tries < 500; ++tries) {
        pid_t pid = 0;
        std::ifstream stream(file);
        if (stream >> pid && pid > 0 && !stream.eof()) return pid;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
}

class ProcessTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = "/tmp/chorus-process-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string file(const std::string& name) const { return directory_ + "/" + name; }

    std::string directory_;
};

TEST_F(ProcessTest, ExitStatusAndBothOutputsComeApart) {
    const Finished finished = run_bash("echo out; echo err >&2; exit 7");
    EXPECT_EQ(finished.exit_code, 7);
    EXPECT_EQ(finished.signal, 0);
    EXPECT_EQ(finished.out.text, "out\n");
    EXPECT_EQ(finished.err.text, "err\n");
    EXPECT_EQ(finished.out.total_bytes, 4U);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_FALSE(finished.stopped);
}

TEST_F(ProcessTest, SignalIsTold) {
    const Finished finished = run_bash("kill -SEGV $$");
    EXPECT_EQ(finished.exit_code, -1);
    EXPECT_EQ(finished.signal, SIGSEGV);
}

TEST_F(ProcessTest, MissingProgramIsAnErrorWithItsName) {
    ProcessCommand command{.arguments = {"no-such-program"}, .environment = plain_environment};
    EXPECT_EQ(failure_of(command), "no-such-program: No such file or directory");
    command.arguments = {"/nowhere/program"};
    EXPECT_EQ(failure_of(command), "/nowhere/program: No such file or directory");
}

TEST_F(ProcessTest, ProgramThatMayNotRunIsAnError) {
    std::ofstream(file("plain")) << "text";
    EXPECT_EQ(failure_of({.arguments = {file("plain")}}), file("plain") + ": Permission denied");
    EXPECT_EQ(failure_of({.arguments = {directory_}}), directory_ + ": Permission denied");
}

TEST_F(ProcessTest, MissingDirectoryIsNamed) {
    ProcessCommand command = bash("true");
    command.directory = file("absent");
    EXPECT_EQ(failure_of(command), file("absent") + ": No such file or directory");
}

TEST_F(ProcessTest, ProgramsAreNotLookedForOnAnyPath) {
    for (const char* name : {"tool", "true"}) {
        std::ofstream(file(name)) << "#!/bin/sh\necho planted\n";
        std::filesystem::permissions(file(name), std::filesystem::perms::owner_all);
    }
    ASSERT_EQ(setenv("PATH", (directory_ + ":" + getenv("PATH")).c_str(), 1), 0);
    for (const char* name : {"tool", "./tool", "../tool", ""}) {
        ProcessCommand command{.arguments = {name}, .environment = {"PATH=.:" + directory_}};
        command.directory = directory_;
        EXPECT_EQ(failure_of(command), std::string(name) + ": No such file or directory");
    }
    EXPECT_EQ(program_path("true"), "/usr/bin/true");
    EXPECT_EQ(program_path(file("tool")), file("tool"));
}

TEST_F(ProcessTest, EnvironmentAndDirectoryAreExactlyWhatIsGiven) {
    const ProcessCommand command{.arguments = {"/usr/bin/env"},
                                 .environment = {"A=1", "B=two words"},
                                 .directory = directory_};
    EXPECT_EQ(run(command, {}).out.text, "A=1\nB=two words\n");
    ProcessCommand where{.arguments = {"/bin/pwd"}, .environment = {}, .directory = directory_};
    EXPECT_EQ(run(where, {}).out.text, directory_ + "\n");
}

TEST_F(ProcessTest, InputIsDevNullUnlessGiven) {
    EXPECT_EQ(run_bash("readlink /proc/self/fd/0; cat").out.text, "/dev/null\n");
    ProcessCommand command = bash("cat");
    command.input = "fed";
    EXPECT_EQ(run(command, {}).out.text, "fed");
}

TEST_F(ProcessTest, LargeInputIsFedWhileOutputIsRead) {
    ProcessCommand command = bash("cat");
    command.input.assign(4U << 20, 'x');
    const Finished finished = run(command, {.timeout_ms = 20'000, .output_bytes = 8U << 20});
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.out.text, command.input);
}

TEST_F(ProcessTest, InputMayHaveNoReader) {
    const auto before = ::signal(SIGPIPE, SIG_IGN);  // as harden_process() does
    ProcessCommand command = bash("exec 0<&-; sleep 0.1; echo done");
    command.input.assign(1U << 20, 'x');
    EXPECT_EQ(run(command, {.timeout_ms = 10'000}).out.text, "done\n");
    ::signal(SIGPIPE, before);
}

TEST_F(ProcessTest, OutputKeepsItsEnd) {
    const Finished finished =
        run_bash("head -c 10485760 /dev/zero | tr '\\0' a; printf end; printf oops >&2",
                 {.timeout_ms = 20'000, .output_bytes = 1000});
    EXPECT_EQ(finished.out.total_bytes, 10'485'763U);
    EXPECT_EQ(finished.out.text, std::string(997, 'a') + "end");
    EXPECT_EQ(finished.err.text, "oops");
}

TEST_F(ProcessTest, PiecesAreHandedOnAsTheyCome) {
    std::string out;
    std::string err;
    Identity main;
    Bounds bounds{.timeout_ms = 10'000};
    bounds.output_bytes = 2;
    bounds.started = [&](const Identity& identity) { main = identity; };
    bounds.output = [&](Bounds::Source source, std::string_view piece) {
        (source == Bounds::Source::out ? out : err) += piece;
    };
    run_bash("echo first; sleep 0.05; echo $$; echo bad >&2", bounds);
    EXPECT_EQ(out, "first\n" + std::to_string(main.pid) + "\n");
    EXPECT_EQ(err, "bad\n");
}

TEST_F(ProcessTest, DescriptorsAreNotInherited) {
    const int leaking = open("/dev/null", O_RDONLY);  // not close-on-exec, as a library's may be
    ASSERT_GE(leaking, 3);
    EXPECT_EQ(run_bash("exec ls -1 /proc/self/fd").out.text, "0\n1\n2\n3\n");  // 3: ls itself
    close(leaking);
}

TEST_F(ProcessTest, KeptDescriptorsKeepTheirNumbers) {
    const int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int high = fcntl(kept, F_DUPFD_CLOEXEC, 40);
    const int leaking = fcntl(kept, F_DUPFD, 20);
    ProcessCommand command = bash("exec ls -1v /proc/self/fd");
    command.keep_fds = {high, kept};
    const std::string listed = run(command, {}).out.text;
    const auto has = [&](int fd) {
        const auto lines = base::split_lines(listed);
        return std::count(lines.begin(), lines.end(), std::to_string(fd)) == 1;
    };
    EXPECT_TRUE(has(kept)) << listed;
    EXPECT_TRUE(has(high)) << listed;
    EXPECT_FALSE(has(leaking)) << listed;
    EXPECT_EQ(base::split_lines(listed).size(), 6U) << listed;
    for (const int fd : {kept, high, leaking}) close(fd);
}

TEST_F(ProcessTest, OwnSessionWithoutATerminal) {
    const Finished finished = run_bash(
        "read -r _ _ _ _ group session terminal _ < /proc/$$/stat;"
        "[ $group = $$ ] && [ $session = $$ ] && [ $terminal = 0 ] && echo own");
    EXPECT_EQ(finished.out.text, "own\n");
}

TEST_F(ProcessTest, SignalsAreDefaultAndUnblocked) {
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    sigset_t blocked;
    sigset_t mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &mask);
    const Finished finished = run_bash("grep -E 'SigIgn|SigBlk' /proc/self/status");
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    ::signal(SIGPIPE, before);
    for (const std::string_view line : base::split_lines(finished.out.text)) {
        const std::string value(line.substr(line.find('\t') + 1));
        // 32 and 33 are glibc's own.
        EXPECT_EQ(std::stoull(value, nullptr, 16) & 0x7fffffffU, 0U) << line;
    }
    EXPECT_EQ(base::split_lines(finished.out.text).size(), 2U);
}

TEST_F(ProcessTest, TimeoutEndsItWithSigterm) {
    const Finished finished = run_bash("trap 'echo bye; exit 3' TERM; while :; do sleep 0.01; done",
                                       {.timeout_ms = 500, .grace_ms = 10'000});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_EQ(finished.out.text, "bye\n");
    EXPECT_GE(finished.duration_ms, 500);
    EXPECT_LT(finished.duration_ms, 10'000);
}

// S-20
TEST_F(ProcessTest, WhatIgnoresSigtermIsKilledAfterTheGrace) {
    const Finished finished =
        run_bash("trap '' TERM; sleep 100 & sleep 100", {.timeout_ms = 1'500, .grace_ms = 200});
    EXPECT_TRUE(finished.timed_out);
    EXPECT_EQ(finished.signal, SIGKILL);
    EXPECT_GE(finished.duration_ms, 1'700);
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(ProcessTest, AStoppedProcessEndsToo) {
    const Finished finished = run_bash("kill -STOP $$", {.timeout_ms = 100, .grace_ms = 10'000});
    EXPECT_EQ(finished.signal, SIGTERM);
    EXPECT_LT(finished.duration_ms, 10'000);
}

// A watcher, bwrap, and bwrap's first process, which drops a SIGTERM that comes before it has
// started the command.
TEST_F(ProcessTest, ACommandThatItsSandboxHasNotStartedIsAskedThen) {
    ASSERT_EQ(mkfifo(file("fifo").c_str(), 0600), 0);
    ProcessCommand command =
        bash("set -m; bash -c 'set -m; bash -c \"$FIRST\" & wait $!' & wait $!");
    command.environment.push_back(
        "FIRST=trap 'kill $!' TERM; exec 5<>" + file("fifo") +
        "; end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do read -t 1 -u 5; done; "
        "sleep 100 & wait; wait");
    command.around = Around::watched_sandbox;
    const Finished finished = run(command, {.timeout_ms = 500, .grace_ms = 20'000});
    EXPECT_GE(finished.duration_ms, 1'000);
    EXPECT_LT(finished.duration_ms, 15'000);
    EXPECT_NE(finished.signal, SIGKILL);
}

TEST_F(ProcessTest, AStopHasAGraceOfItsOwnAskedForThen) {
    const std::string stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    bool ready = false;
    int asked = 0;
    const auto grace = [&] {
        ++asked;
        return std::int64_t{200};
    };
    const Finished stopped = run_bash(stubborn, {.timeout_ms = 60'000,
                                                 .grace_ms = 60'000,
                                                 .stop = [&] { return ready; },
                                                 .stop_grace_ms = grace,
                                                 .output = [&](auto, auto) { ready = true; }});
    EXPECT_TRUE(stopped.stopped);
    EXPECT_EQ(stopped.signal, SIGKILL);
    EXPECT_GE(stopped.duration_ms, 200);
    EXPECT_LT(stopped.duration_ms, 10'000);
    EXPECT_EQ(asked, 1);
    const Finished timed_out =
        run_bash(stubborn, {.timeout_ms = 1'500, .grace_ms = 100, .stop_grace_ms = grace});
    EXPECT_TRUE(timed_out.timed_out);
    EXPECT_EQ(asked, 1);
}

TEST_F(ProcessTest, StopIsAskedWhileNothingIsSaid) {
    int asked = 0;
    Bounds bounds{.timeout_ms = 20'000};
    bounds.stop = [&] { return ++asked == 4; };
    const Finished finished = run_bash("sleep 100", bounds);
    EXPECT_TRUE(finished.stopped);
    EXPECT_FALSE(finished.timed_out);
    EXPECT_EQ(finished.signal, SIGTERM);
    EXPECT_LT(finished.duration_ms, 10'000);
}

TEST_F(ProcessTest, AnExceptionOfACallbackLeavesNothingBehind) {
    Bounds bounds{.timeout_ms = 20'000};
    Identity main;
    bounds.started = [&](const Identity& identity) { main = identity; };
    bounds.stop = []() -> bool { throw base::Error(base::ErrorCode::internal, "fault"); };
    EXPECT_THROW(run_bash("sleep 100", bounds), base::Error);
    EXPECT_FALSE(exists_process(static_cast<pid_t>(main.pid)));
}

// The end of the main process counts, not that of the last one that holds a pipe.
TEST_F(ProcessTest, OrphanInAnotherSessionThatHoldsThePipesIsKilled) {
    const Finished finished =
        run_bash("setsid sh -c 'echo $$ > " + file("pid") + "; exec sleep 100' & while [ ! -s " +
                 file("pid") + " ]; do sleep 0.01; done; echo done");
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.out.text, "done\n");
    EXPECT_LT(finished.duration_ms, 10'000);
    const pid_t orphan = pid_from(file("pid"));
    ASSERT_GT(orphan, 0);
    EXPECT_FALSE(exists_process(orphan));
}

TEST_F(ProcessTest, OrphanThatHoldsNothingIsKilledToo) {
    const Finished finished = run_bash("setsid sh -c 'echo $$ > " + file("pid") +
                                       "; exec sleep 100' < /dev/null > /dev/null 2>&1 & "
                                       "while [ ! -s " +
                                       file("pid") + " ]; do sleep 0.01; done");
    EXPECT_LT(finished.duration_ms, 10'000);
    EXPECT_FALSE(exists_process(pid_from(file("pid"))));
}

TEST_F(ProcessTest, ATreeOfOrphansGoesAsAWhole) {
    run_bash("setsid bash -c 'setsid bash -c \"sleep 100 & echo \\$! > " + file("inner") +
             "; wait\" & echo $! > " + file("outer") + "; wait' & while [ ! -s " + file("inner") +
             " ] || [ ! -s " + file("outer") + " ]; do sleep 0.01; done");
    EXPECT_FALSE(exists_process(pid_from(file("inner"))));
    EXPECT_FALSE(exists_process(pid_from(file("outer"))));
}

TEST_F(ProcessTest, LateOutputOfAnOrphanIsWaitedForABit) {
    std::string out;
    for (int tries = 0; tries < 50 && out != "early\nlate\n"; ++tries)  // on a machine at work
        out = run_bash("(sleep 0.05; echo late) & echo early").out.text;
    EXPECT_EQ(out, "early\nlate\n");
}

TEST_F(ProcessTest, SubreaperOnlyWhileACommandRuns) {
    run_bash("true");
    EXPECT_THROW(run({.arguments = {"no-such-program"}, .environment = {}}, {}), base::Error);
    int subreaper = -1;
    ASSERT_EQ(prctl(PR_GET_CHILD_SUBREAPER, &subreaper), 0);
    EXPECT_EQ(subreaper, 0);
}

TEST_F(ProcessTest, OtherChildrenOfThisProcessAreLeftAlone) {
    std::string name = "sleep";
    std::string time = "100";
    char* arguments[] = {name.data(), time.data(), nullptr};
    pid_t older = 0;
    ASSERT_EQ(posix_spawn(&older, "/bin/sleep", nullptr, nullptr, arguments, environ), 0);
    Identity settled;
    Bounds bounds{.timeout_ms = 10'000};
    bounds.started = [&](const Identity&) { settled = start(bash("exec sleep 100"), {}); };
    run_bash("true", bounds);
    run_bash("true");
    EXPECT_TRUE(is_alive(settled));
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(older), &info, WEXITED | WNOHANG), 0);
    EXPECT_EQ(info.si_pid, 0);
    for (const pid_t pid : {older, static_cast<pid_t>(settled.pid)}) {
        kill(pid, SIGKILL);
        EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
    }
}

TEST_F(ProcessTest, ParallelCommandsDoNotTouchEachOther) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round < 10; ++round) {
                const std::string mark = std::to_string(i) + "." + std::to_string(round);
                // Short ones, long ones, and one that is a session of its own inside.
                const Finished finished = run_bash("(exec setsid bash -c 'sleep 0.0" +
                                                   std::to_string(i) + "; echo " + mark + "')");
                if (finished.exit_code != 0 || finished.out.text != mark + "\n") ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(ProcessTest, OrphanOfAParallelCommandGoesWithTheLastOne) {
    std::thread longer([&] { run_bash("sleep 0.5"); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    run_bash("setsid sh -c 'echo $$ > " + file("pid") +
             "; exec sleep 100' < /dev/null > /dev/null 2>&1 & while [ ! -s " + file("pid") +
             " ]; do sleep 0.01; done");
    const pid_t orphan = pid_from(file("pid"));
    longer.join();
    ASSERT_GT(orphan, 0);
    EXPECT_FALSE(exists_process(orphan));
}

TEST_F(ProcessTest, NoZombiesAreLeft) {
    for (int i = 0; i < 5; ++i) run_bash("sleep 100 & setsid sleep 100 & exit 0");
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST_F(ProcessTest, ChildrenAreWaitedForWhereSigchldIsIgnored) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    const Finished finished = run_bash("exit 5");
    ::signal(SIGCHLD, before);
    EXPECT_EQ(finished.exit_code, 5);
}

// What this process and its children have had.
std::int64_t processor_us() {
    std::int64_t sum = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& part : {used.ru_utime, used.ru_stime})
            sum += part.tv_sec * 1'000'000LL + part.tv_usec;
    }
    return sum;
}

TEST_F(ProcessTest, CostsLittleMoreThanStartingAndWaiting) {
    // Of the processor: others at work on the machine make everything take longer.
    constexpr int times = 20;
    const auto cost_us = [](const auto& once) {
        const std::int64_t before = processor_us();
        for (int i = 0; i < times; ++i) once();
        return (processor_us() - before) / times;
    };
    const std::int64_t bare = cost_us([] {
        const Identity child = start(bash("true"), {});
        waitpid(static_cast<pid_t>(child.pid), nullptr, 0);
    });
    const std::int64_t whole = cost_us([] { run_bash("true"); });
    // a sanitized process takes its time
    EXPECT_LT(whole - bare, std::max<std::int64_t>(3'000, bare)) << bare << " us bare";
}

TEST_F(ProcessTest, StartConnectsItsStreams) {
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    const Identity child = start({.arguments = {"cat"}, .environment = plain_environment},
                                 {.in = in.read_end.get(), .out = out.write_end.get()});
    in.read_end.reset();
    out.write_end.reset();
    EXPECT_TRUE(is_alive(child));
    write_all(in.write_end.get(), "through", "pipe");
    in.write_end.reset();
    EXPECT_EQ(read_all(out.read_end.get(), 100, "pipe"), "through");
    EXPECT_EQ(waitpid(static_cast<pid_t>(child.pid), nullptr, 0), child.pid);
    EXPECT_FALSE(is_alive(child));
}

TEST_F(ProcessTest, IdentityIsMoreThanAPid) {
    const Identity self = own_identity();
    EXPECT_EQ(self.pid, getpid());
    EXPECT_GT(self.start, 0);
    EXPECT_TRUE(is_alive(self));
    EXPECT_FALSE(is_alive({.pid = self.pid, .start = self.start + 1}));  // a reused pid
    EXPECT_FALSE(is_alive({.pid = 0, .start = 0}));
}

TEST_F(ProcessTest, AncestorsLeadToTheFirstProcess) {
    const std::vector<Identity> all = ancestors();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().pid, getppid());
    for (const Identity& process : all) EXPECT_TRUE(is_alive(process)) << process.pid;
    // a grandchild's lead through this process
    const Identity self = own_identity();
    const pid_t child = fork();
    if (child == 0) {
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            const std::vector<Identity> of_child = ancestors();
            _exit(of_child.size() > 1 && of_child[1] == self ? 0 : 1);
        }
        int status = -1;
        waitpid(grandchild, &status, 0);
        _exit(status == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(ProcessTest, DescendantsAreTheChildrenAndTheirs) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) setsid();
        alarm(60);
        [[maybe_unused]] const ssize_t written = write(ready[1], "x", 1);
        for (;;) pause();
    }
    std::string told(2, ' ');
    for (char& one : told) ASSERT_EQ(read(ready[0], &one, 1), 1);
    std::vector<Identity> all = descendants(own_identity());
    const auto found = std::find_if(all.begin(), all.end(),
                                    [child](const Identity& one) { return one.pid == child; });
    ASSERT_NE(found, all.end());
    const std::vector<Identity> below = descendants(*found);
    ASSERT_EQ(below.size(), 1U);
    EXPECT_NE(std::find(all.begin(), all.end(), below[0]), all.end());
    Identity another = *found;
    ++another.start;
    EXPECT_TRUE(descendants(another).empty()) << "its pid is another process's";
    kill(static_cast<pid_t>(below[0].pid), SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_F(ProcessTest, ANameWithParenthesesIsReadPast) {
    const std::string program = file("a) S 1 (b");
    std::filesystem::copy_file("/bin/sleep", program);
    const Identity child = start({.arguments = {program, "100"}, .environment = {}}, {});
    std::ifstream stat("/proc/" + std::to_string(child.pid) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(stat)), {});
    EXPECT_NE(text.find("(a) S 1 (b)"), std::string::npos);
    EXPECT_TRUE(is_alive(child));
    EXPECT_NE(text.find(" " + std::to_string(child.start) + " "), std::string::npos);
    kill(static_cast<pid_t>(child.pid), SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT);
    EXPECT_FALSE(is_alive(child));  // a zombie has ended
    waitpid(static_cast<pid_t>(child.pid), nullptr, 0);
}

TEST_F(ProcessTest, BootIdAndExecutable) {
    EXPECT_EQ(boot_id().size(), 36U);
    EXPECT_EQ(boot_id(), boot_id());
    EXPECT_TRUE(std::filesystem::equivalent(executable_path(), "/proc/self/exe"));
}

}  // namespace
}  // namespace chorus::sys
