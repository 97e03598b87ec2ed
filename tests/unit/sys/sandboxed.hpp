// A sandbox in a directory of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {

namespace fs = std::filesystem;

inline std::string content_of(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string problem_of(const Sandbox& sandbox, const std::string& state_file) {
    const auto problem = sandbox_problem(sandbox, state_file);
    return problem ? problem->message() : "";
}

// Real bwrap and real git, in a temporary directory outside /tmp: that one is private inside.
class SandboxTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = "/var/tmp/chorus-sandbox-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        top_ = pattern;
        sandbox_.workspace = top_ + "/workspace";
        fs::create_directory(sandbox_.workspace);
    }
    void TearDown() override { fs::remove_all(top_); }

    ProcessCommand bash(const std::string& script) const {
        return {.arguments = {"bash", "-c", script},
                .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"},
                .directory = sandbox_.workspace};
    }
    Finished inside(const std::string& script) const {
        return run(sandboxed(sandbox_, bash(script)), {.timeout_ms = 20'000});
    }
    // Exit status 0, with the output of a failure.
    testing::AssertionResult works(const std::string& script) const {
        return judge(script, inside(script));
    }
    // On the host, in the workspace.
    testing::AssertionResult works_outside(const std::string& script) const {
        return judge(script, run(bash(script), {.timeout_ms = 20'000}));
    }
    static testing::AssertionResult judge(const std::string& script, const Finished& finished) {
        if (finished.exit_code == 0) return testing::AssertionSuccess();
        return testing::AssertionFailure() << script << ": " << finished.exit_code << " "
                                           << finished.out.text << finished.err.text;
    }
    std::string refusal() const {
        try {
            sandboxed(sandbox_, bash("true"));
        } catch (const base::Error& error) {
            EXPECT_EQ(error.code(), base::ErrorCode::failed);
            return error.message();
        }
        return "not refused";
    }
    void init_repository() const {
        ASSERT_TRUE(
            works_outside("git init -q -b main . && git config user.name n && git config "
                          "user.email e@example.org && "
                          "echo one > a && git add a && git commit -q -m first"));
    }
    std::string in_workspace(const std::string& name) const {
        return sandbox_.workspace + "/" + name;
    }

    std::string top_;
    Sandbox sandbox_;
};

}  // namespace chorus::sys
