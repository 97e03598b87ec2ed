#include <chrono>
#include <cstdlib>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class Bash : public Workspace {
  protected:
    std::string run(const std::string& command, const std::string& more = "") const {
        return ok("bash", "{\"command\":" + chat::quoted(command) + more + "}");
    }
    // The text without its duration, which is never the same.
    static std::string timeless(std::string text) {
        const std::size_t end = text.find(" s\n");
        const std::size_t start = text.rfind(' ', end - 1);
        return text.replace(start + 1, end - start - 1, "T");
    }
};

TEST_F(Bash, StatusAndStreamsApart) {
    EXPECT_EQ(timeless(run("echo out; echo err >&2")),
              "exit status 0, T s\nstdout:\nout\nstderr:\nerr\n");
    EXPECT_EQ(timeless(run("true")), "exit status 0, T s\nno output\n");
    EXPECT_EQ(timeless(run("printf x")), "exit status 0, T s\nstdout:\nx\n");
}

TEST_F(Bash, AnotherStatusIsNoFailureOfTheTool) {
    EXPECT_EQ(timeless(run("exit 3")), "exit status 3, T s\nno output\n");
    EXPECT_TRUE(has(run("no-such-program"), "exit status 127"));
    EXPECT_TRUE(has(run("kill -KILL $$"), "ended by signal 9 (KILL), "));
}

TEST_F(Bash, RunsInTheWorkspaceWithItsEnvironmentAndWithoutInput) {
    EXPECT_TRUE(has(run("pwd"), "stdout:\n" + root.path() + "\n"));
    setenv("CHORUS_TEST_SECRET", "secret", 1);
    EXPECT_FALSE(has(run("env"), "secret"));
    unsetenv("CHORUS_TEST_SECRET");
    EXPECT_TRUE(has(run("cat; echo end"), "stdout:\nend\n"));
}

TEST_F(Bash, ACommandIsNeverAnOption) {
    EXPECT_TRUE(has(run("-c 'echo x'"), "exit status 127"));
}

TEST_F(Bash, TimesOutAndSaysSo) {
    const auto start = std::chrono::steady_clock::now();
    const std::string text = run("echo begun; sleep 30", R"(,"timeout":1)");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
    EXPECT_EQ(text,
              "timed out after 1 s and was ended; 'timeout' may be up to 600\nstdout:\nbegun\n");
}

TEST_F(Bash, TooLongATimeoutIsClampedAndSaid) {
    workplace.bash_most_ms = 2'000;
    EXPECT_TRUE(
        has(run("true", R"(,"timeout":3)"), "[timeout 3 s is more than allowed, 2 s was used]"));
    EXPECT_FALSE(has(run("true", R"(,"timeout":2)"), "more than allowed"));
    EXPECT_FALSE(has(run("true"), "more than allowed"));
    EXPECT_TRUE(has(run("true", R"(,"timeout":9223372036854775807)"), "2 s was used"));
    fails("bash", R"({"command":"true","timeout":0})");
    fails("bash", R"({"command":"true","timeout":-1})");
}

TEST_F(Bash, TheTurnsEndStopsIt) {
    workplace.stop = [] { return true; };
    EXPECT_TRUE(has(run("sleep 30"), "stopped after "));
}

TEST_F(Bash, CommandsThatCannotBeAreRefused) {
    fails("bash", R"({"command":"  "})");
    fails("bash", R"({"command":"a\u0000b"})");
}

TEST_F(Bash, WithoutASandboxNothingRuns) {
    workplace.sandbox_problem.emplace(base::ErrorCode::failed, "bwrap: No such file or directory",
                                      "install it");
    const std::string text = fails("bash", R"({"command":"touch ran"})");
    EXPECT_TRUE(has(text, "bwrap: No such file or directory"));
    EXPECT_TRUE(has(text, "\nhint: install it"));
    EXPECT_FALSE(std::filesystem::exists(at("ran")));
}

TEST_F(Bash, TheEndOfLongOutputIsKept) {
    const std::string text = run("seq 1 100000; echo oops >&2");
    EXPECT_LE(base::utf8_length(text), 50'000U);
    EXPECT_TRUE(has(text, "100000\nstderr:\noops\n"));
    EXPECT_TRUE(has(text, "[588895 bytes in all, the last 200000 were kept]"));
    EXPECT_TRUE(has(text, "[cut: only the end of "));
}

TEST_F(Bash, BothStreamsKeepAShare) {
    const std::string text = run("seq 1 100000; seq 1 100000 >&2; echo the end >&2");
    EXPECT_LE(base::utf8_length(text), 50'000U);
    EXPECT_GT(text.find("stderr:"), 30'000U);
    EXPECT_TRUE(has(text, "\n100000\nstderr:"));
    EXPECT_TRUE(text.ends_with("100000\nthe end\n"));
}

TEST_F(Bash, OutputThatIsNoTextIsReplaced) {
    const std::string text =
        run("head -c 100000 /dev/zero | tr '\\0' '\\200' >&2; printf 'a\\377b'");
    EXPECT_FALSE(base::find_invalid_utf8(text));
    EXPECT_LE(base::utf8_length(text), 50'000U);
    EXPECT_TRUE(has(text,
                    "stdout:\na\xef\xbf\xbd"
                    "b\n"));
}

TEST_F(Bash, WhatItLeftRunningDiesWithIt) {
    const std::string pid = run("sleep 60 >/dev/null 2>&1 & echo $!");
    const std::string number = pid.substr(pid.find("stdout:\n") + 8);
    EXPECT_FALSE(std::filesystem::exists("/proc/" + number.substr(0, number.find('\n'))));
}

class Sandboxed : public Bash {
  protected:
    void SetUp() override {
        workplace.sandbox.mode = sys::SandboxMode::workspace;
        ASSERT_FALSE(sys::sandbox_problem(workplace.sandbox, home + "/sandbox.state"));
    }
};

TEST_F(Sandboxed, TheWorkspaceIsWritable) {
    EXPECT_EQ(timeless(run("echo x > made; cat made; exit 4")), "exit status 4, T s\nstdout:\nx\n");
    EXPECT_EQ(get("made"), "x\n");
}

TEST_F(Sandboxed, OtherFilesAndTheNetworkAreNotThere) {
    EXPECT_FALSE(has(run("cat " + home + "/outside.txt"), "outside\n"));
    run("echo evil > " + home + "/outside.txt");
    EXPECT_EQ(get("../outside.txt"), "outside\n");
    EXPECT_FALSE(has(run("cat /proc/net/dev"), "eth"));
}

TEST_F(Sandboxed, SignalsAndTimeoutsAreToldAsOutside) {
    EXPECT_TRUE(has(run("sleep 30", R"(,"timeout":1)"), "timed out after 1 s"));
}

}  // namespace
}  // namespace chorus::tools
