#include "workspace.hpp"

namespace chorus::repo {
namespace {

class DiffTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "1\n2\n3\n");
        write("b", "long enough to be found again\nwhen it has moved\n");
        initialise();
    }
};

TEST_F(DiffTest, OfTheWorkTreeIsThatOfGit) {
    EXPECT_EQ(open().diff("", ""), "");
    write("a", "1\ntwo\n3\n");
    remove("b");
    EXPECT_EQ(open().diff("", ""), git("diff HEAD"));
    git("add -A");
    write("a", "1\ntwo\nthree");
    EXPECT_EQ(open().diff("", ""), git("diff HEAD"));
}

TEST_F(DiffTest, HasTheContentOfUntrackedFiles) {
    write("new/file", "fresh\n");
    const std::string patch = open().diff("", "");
    EXPECT_NE(patch.find("+++ b/new/file\n@@ -0,0 +1 @@\n+fresh\n"), std::string::npos) << patch;
    EXPECT_EQ(shell("git init -q ../copy"), "");
    std::ofstream(directory() + "/patch") << patch;
    EXPECT_EQ(shell("git -C ../copy apply ../patch && cat ../copy/new/file"), "fresh\n");
}

TEST_F(DiffTest, BetweenCommitsFindsRenames) {
    git("mv b moved");
    commit("second");
    EXPECT_EQ(open().diff("HEAD~1", "HEAD"), git("diff -M HEAD~1 HEAD"));
    EXPECT_NE(open().diff("HEAD~1", "main").find("rename to moved"), std::string::npos);
    write("a", "x\n");
    EXPECT_EQ(open().diff("HEAD~1", ""), git("diff -M HEAD~1"));
}

TEST_F(DiffTest, WorksBeforeTheFirstCommit) {
    git("checkout -q --orphan fresh");
    git("rm -q -r --cached .");
    EXPECT_NE(open().diff("", "").find("+++ b/a"), std::string::npos);
}

TEST_F(DiffTest, RefusesWhatIsNoRef) {
    for (const char* ref : {"nowhere", "--output=x", "a b"})
        EXPECT_EQ(message_of([&] { open().diff(ref, ""); }),
                  std::string("git: '") + ref + "' is not a branch, tag or commit");
}

TEST_F(DiffTest, IsBounded) {
    const std::string line(100, 'x');
    for (int file = 0; file < 5; ++file) {
        std::string text;
        for (int i = 0; i < 30'000; ++i) text += line + std::to_string(i) + "\n";
        write("big" + std::to_string(file), text);
    }
    const std::string patch = open().diff("", "");
    EXPECT_LT(patch.size(), 9U << 20U);
    EXPECT_NE(patch.find("[the diff is cut off"), std::string::npos);
    write("binary", std::string(5U << 20U, 'y'));
    for (int file = 0; file < 5; ++file) remove("big" + std::to_string(file));
    EXPECT_NE(open().diff("", "").find("Binary files"), std::string::npos);
}

TEST_F(DiffTest, DoesNotReadThroughALinkOrIntoARepositoryInside) {
    link("/etc/passwd", "p");
    shell("git init -q inner && echo hidden > inner/x");
    const std::string patch = open().diff("", "");
    EXPECT_NE(patch.find("+/etc/passwd\n"), std::string::npos);
    EXPECT_EQ(patch.find("root:"), std::string::npos);
    EXPECT_EQ(patch.find("hidden"), std::string::npos) << patch;
}

}  // namespace
}  // namespace chorus::repo
