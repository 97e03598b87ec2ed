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

    EXPECT_EQ(problem_of(sandbox_, state), "");
    EXPECT_EQ(problem_of(sandbox_, state), "");
    EXPECT_EQ(runs(), 1U);
    struct stat status {};
    ASSERT_EQ(stat(state.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_TRUE(content_of(state).starts_with(boot_id()));

    sandbox_.mode = SandboxMode::workspace_net;  // other arguments, a verdict of its own
    EXPECT_EQ(problem_of(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);
    sandbox_.mode = SandboxMode::workspace;
    EXPECT_EQ(problem_of(sandbox_, state), "");
    EXPECT_EQ(runs(), 2U);

    EXPECT_NE(content_of(state).find(" landlock="), std::string::npos);

    std::ofstream(state) << "another-boot workspace " << program << " 0.0\n";
    EXPECT_EQ(problem_of(sandbox_, state), "");
    EXPECT_EQ(runs(), 3U);
    EXPECT_EQ(content_of(state).find("another-boot"), std::string::npos);
}

TEST_F(SandboxTest, AFailureIsToldAndTestedAgain) {
    const std::string state = top_ + "/state";
    const std::string program = top_ + "/broken";
    std::ofstream(program) << "#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n";
    fs::permissions(program, fs::perms::owner_all);
    sandbox_.program = program;
    EXPECT_EQ(problem_of(sandbox_, state), "bwrap: no namespaces here");
    EXPECT_TRUE(sandbox_problem(sandbox_, state)->hint().starts_with("see man chorus-sandbox"));
    sandbox_.program = top_ + "/missing";
    EXPECT_TRUE(sandbox_problem(sandbox_, state)->hint().starts_with("install bubblewrap, or"));
    sandbox_.program = program;
    std::ofstream(program) << "#!/bin/sh\nexec bwrap \"$@\"\n";
    EXPECT_EQ(problem_of(sandbox_, state), "");
}

// Programs that look like bubblewrap and do not confine.
TEST_F(SandboxTest, AsRootWhatDoesNotHoldInsideIsFound) {
    const auto problem_with = [&](const std::string& script) {
        const std::string program = top_ + "/pretends";
        std::ofstream(program) << "#!/bin/bash\n" << script;
        fs::permissions(program, fs::perms::owner_all);
        sandbox_.program = program;
        return problem_of(sandbox_, top_ + "/state");
    };
    const std::string without = "all=(); for word; do [ \"$word\" = ";
    const std::string rest = " ] || all+=(\"$word\"); done; exec bwrap \"${all[@]}\"";
    const std::string self_test = "chorus-sandbox: self-test: ";
    EXPECT_EQ(problem_with("while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\""),
              "chorus-sandbox: " + top_ + "/state-test/workspace: nothing is mounted there");
    const std::string outside = top_ + "/state-test/outside";
    EXPECT_EQ(problem_with("exec bwrap --ro-bind " + outside + " " + outside + " \"$@\""),
              self_test + "files outside the workspace are visible");
    EXPECT_EQ(problem_with("exec bwrap \"${@/CAP_SYS_ADMIN/CAP_CHOWN}\""),
              "chorus-sandbox: mount namespace: Operation not permitted");
    EXPECT_EQ(problem_with(without + "--unshare-net" + rest), self_test + "the network is not isolated");
    EXPECT_EQ(problem_with("exec bwrap \"${@/#--bind/--ro-bind}\""),
              self_test + "the workspace cannot be written: Read-only file system");
    EXPECT_EQ(problem_with("exit 0"), sandbox_.program + ": its self-test failed");
    EXPECT_FALSE(fs::exists(top_ + "/state"));
    EXPECT_EQ(problem_with("exec bwrap \"$@\""), "");
}

TEST_F(SandboxTest, AnotherInnerProgramIsAnotherVerdict) {
    ASSERT_EQ(problem_of(sandbox_, top_ + "/state"), "");
    sandbox_.inner = top_ + "/inner";
    std::ofstream(sandbox_.inner) << "#!/bin/sh\nshift 8\nexec true\n";
    fs::permissions(sandbox_.inner, fs::perms::owner_all);
    EXPECT_NE(problem_of(sandbox_, top_ + "/state"), "");
}

}  // namespace
}  // namespace chorus::sys
