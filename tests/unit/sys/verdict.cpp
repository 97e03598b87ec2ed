#include <sys/stat.h>

#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

TEST_F(SandboxTest, SelfTestRunsOncePerBoot) {
    const std::string state = top_ + "/state";
    // Stands in for bwrap and counts how often it is started.
    const std::string program = top_ + "/counting";
    std::ofstream(program) << "#!/bin/sh\necho x >> " << top_ << "/count\nexec bwrap \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
    sandbox_.program = program;
    const auto runs = [&] { return content_of(top_ + "/count").size() / 2; };

    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 1U);
    struct stat status {};
    ASSERT_EQ(stat(state.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_TRUE(content_of(state).starts_with(boot_id()));

    sandbox_.mode = SandboxMode::workspace_net;  // other arguments, a verdict of its own
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);
    sandbox_.mode = SandboxMode::workspace;
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);

    std::ofstream(state) << "another-boot workspace " << program << " 0.0\n";
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
    EXPECT_EQ(runs(), 3U);
    EXPECT_EQ(content_of(state).find("another-boot"), std::string::npos);
}

TEST_F(SandboxTest, AFailureIsToldAndTestedAgain) {
    const std::string state = top_ + "/state";
    const std::string program = top_ + "/broken";
    std::ofstream(program) << "#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n";
    fs::permissions(program, fs::perms::owner_all);
    sandbox_.program = program;
    EXPECT_EQ(sandbox_problem(sandbox_, state), "bwrap: no namespaces here");
    std::ofstream(program) << "#!/bin/sh\nexec bwrap \"$@\"\n";
    EXPECT_EQ(sandbox_problem(sandbox_, state), "");
}

}  // namespace
}  // namespace chorus::sys
