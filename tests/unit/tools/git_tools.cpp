#include "base/error.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

using Git = Workspace;

TEST_F(Git, WithoutARepositoryTheToolsSayHowToMakeOne) {
    for (const std::string name : {"git_status", "git_diff", "git_log"})
        EXPECT_TRUE(has(fails(name, "{}"), "git_init creates one"));
    fails("git_commit", R"({"message":"m"})");
    fails("git_branch", R"({"name":"b"})");
    fails("git_checkout", R"({"ref":"main"})");
    EXPECT_FALSE(std::filesystem::exists(at(".git")));
}

TEST_F(Git, ADaysWork) {
    put("a.txt", "one\n");
    EXPECT_TRUE(has(ok("git_init", "{}"), "created a git repository\nbranch main\n"));
    EXPECT_TRUE(has(ok("git_init", "{}"), "exists already"));
    EXPECT_EQ(ok("git_diff", "{}"), "no difference\n");
    put("a.txt", "two\n");
    put("b.txt", "new\n");
    EXPECT_TRUE(has(ok("git_status", "{}"), " M a.txt\n?? b.txt\n"));
    EXPECT_TRUE(has(ok("git_diff", "{}"), "-one\n+two\n"));
    EXPECT_TRUE(has(ok("git_commit", R"({"message":"change a\n\nbody","files":["a.txt"]})"),
                    " change a\n"));
    EXPECT_TRUE(has(ok("git_status", "{}"), "?? b.txt\n"));
    ok("git_commit", R"({"message":"add b"})");
    EXPECT_TRUE(
        has(ok("git_branch", R"({"name":"topic"})"), "created branch topic\n* main\n  topic\n"));
    EXPECT_TRUE(has(ok("git_checkout", R"({"ref":"topic"})"), "branch topic\n"));
    EXPECT_TRUE(has(ok("git_diff", R"({"ref1":"HEAD~2","ref2":"HEAD"})"), "+new\n"));
    const std::string log = ok("git_log", R"({"count":2})");
    EXPECT_TRUE(has(log, " ada <ada@chorus.local>: add b\n"));
    EXPECT_TRUE(has(log, " ada <ada@chorus.local>: change a\n"));
    EXPECT_TRUE(has(ok("git_branch", R"({"name":"main","delete":true})"), "deleted branch main\n"));
}

TEST_F(Git, AMergeIsSettledByNameAndASequenceIsTold) {
    const std::string git = "cd '" + at("") + "' && git -c user.name=p -c user.email=p@x ";
    const auto shell = [&](const std::string& command) {
        return std::system((git + command + " >/dev/null 2>&1").c_str());
    };
    put("a", "base\n");
    ok("git_init", "{}");
    ok("git_checkout", R"({"ref":"side","create":true})");
    put("a", "side\n");
    ok("git_commit", R"({"message":"side"})");
    put("b", "later\n");
    ok("git_commit", R"({"message":"later"})");
    ok("git_checkout", R"({"ref":"main"})");
    put("a", "main\n");
    ok("git_commit", R"({"message":"main"})");
    EXPECT_NE(shell("merge side"), 0);
    EXPECT_TRUE(has(ok("git_status", "{}"), "# a merge is in progress with 1 conflict: "));
    EXPECT_TRUE(has(ok("git_diff", "{}"), "* Unmerged path a\n"));
    EXPECT_THROW(call("git_commit", R"({"message":"m"})"), base::Error);
    EXPECT_THROW(call("git_checkout", R"({"ref":"side"})"), base::Error);
    put("a", "both\n");
    EXPECT_FALSE(has(ok("git_commit", R"({"message":"m","files":["a"]})"), "in progress"));
    EXPECT_EQ(shell("rev-parse -q --verify HEAD^2"), 0);
    EXPECT_EQ(shell("reset -q --hard HEAD^"), 0);
    EXPECT_NE(shell("cherry-pick side~1 side"), 0);
    put("a", "both\n");
    EXPECT_TRUE(
        has(ok("git_commit", R"({"message":"m","files":["a"]})"),
            "a cherry-pick of several commits is in progress: `git cherry-pick --continue`"));
}

TEST_F(Git, WrongArgumentsAreAnswered) {
    ok("git_init", "{}");
    fails("git_diff", R"({"ref2":"HEAD"})");
    fails("git_log", R"({"count":0})");
    fails("git_log", R"({"count":1001})");
    fails("git_commit", R"({"message":" \n"})");
    EXPECT_THROW(call("git_commit", R"({"message":"nothing changed"})"), base::Error);
    EXPECT_THROW(call("git_checkout", R"({"ref":"no-such"})"), base::Error);
}

}  // namespace
}  // namespace chorus::tools
