#include <sys/stat.h>
#include <unistd.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

class StatusTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        for (const char* name : {"a", "b", "c", "d", "e", "f"})
            write(name, std::string(name) + " 1\n");
        initialise();
    }
    // What git says, under the line that names the branch.
    std::string expected() const {
        return "branch main\n" + git("-c core.quotePath=off status --porcelain");
    }
};

TEST_F(StatusTest, IsThatOfGit) {
    EXPECT_EQ(open().status(), "branch main\n");
    write("a", "changed\n");
    remove("b");
    git("rm -q c");
    git("mv d moved");
    write("e", "staged\n");
    git("add e");
    write("e", "and changed again\n");
    write("new", "");
    git("add new");
    write("untracked dir/x", "");
    write(".gitignore", "*.o\n");
    write("x.o", "");
    write("with blank", "");
    write("quote\"back\\slash\ttab\x01", "");
    write("caf\xc3\xa9", "");
    git("rm -q --cached f");
    const std::string status = open().status();
    EXPECT_EQ(status, expected());
    EXPECT_NE(status.find("D  f\n"), std::string::npos);
    EXPECT_NE(status.find("?? f\n"), std::string::npos);
    EXPECT_NE(status.find("R  d -> moved\n"), std::string::npos);
}

TEST_F(StatusTest, ShowsAChangeOfType) {
    remove("a");
    link("b", "a");
    EXPECT_EQ(open().status(), expected());
}

TEST_F(StatusTest, NamesEveryKindOfConflict) {
    git("checkout -q -b side");
    write("a", "side\n");
    write("both", "side\n");
    remove("b");
    write("c", "side\n");
    commit("side");
    git("checkout -q main");
    write("a", "main\n");
    write("both", "main\n");
    write("b", "main\n");
    remove("c");
    commit("main");
    git("merge side");
    std::string status = open().status();
    const std::size_t told = status.find("# a merge is in progress with 4 conflicts");
    ASSERT_EQ(told, std::string("branch main\n").size());
    status.erase(told, status.find('\n', told) + 1 - told);
    EXPECT_EQ(status, expected());
    for (const char* line : {"UU a\n", "AA both\n", "UD b\n", "DU c\n"})
        EXPECT_NE(status.find(line), std::string::npos) << line;
}

TEST_F(StatusTest, NamesADetachedHeadAndAnUnbornBranch) {
    git("checkout -q --detach");
    EXPECT_EQ(open().status(),
              "branch HEAD (detached at " + git("rev-parse HEAD").substr(0, 7) + ")\n");
    git("checkout -q --orphan fresh");
    git("rm -q -r --cached .");
    EXPECT_TRUE(open().status().starts_with("branch fresh\n?? a\n"));
}

TEST_F(StatusTest, DoesNotGoIntoARepositoryInside) {
    shell("git init -q inner && echo x > inner/x");
    EXPECT_EQ(open().status(), expected());
}

TEST_F(StatusTest, IsNotHeldUpByAFifo) {
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    EXPECT_EQ(open().status(), "branch main\n");
    alarm(20);
    std::filesystem::create_directory(path("sub"));
    ASSERT_EQ(mkfifo(path("sub/.gitignore").c_str(), 0600), 0);
    EXPECT_EQ(open().status(), "branch main\n");
    EXPECT_EQ(open().diff("", ""), "");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: nothing to commit");
    open().checkout("main", false);
    alarm(0);
}

}  // namespace
}  // namespace chorus::repo
