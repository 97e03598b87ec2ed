#include <unistd.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

// What a command can plant in .git, and what opening has to say about it.
class DirectoryTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "1\n");
        initialise();
        shell(
            "git init -q -b main ../other && cd ../other && echo secret > s && git add . && "
            "git -c user.name=p -c user.email=p@x commit -qm s");
    }
    std::string other() const { return directory() + "/other"; }
    std::string refusal() const {
        return message_of([&] { open(); });
    }
};

TEST_F(DirectoryTest, RefusesAWorkTreeElsewhere) {
    git("config core.worktree '" + other() + "'");
    EXPECT_EQ(refusal(), "git: " + path(".git/config") +
                             ": core.worktree or core.bare belongs to another directory");
}

TEST_F(DirectoryTest, RefusesABareRepository) {
    git("config core.bare true");
    EXPECT_EQ(refusal(), "git: " + path(".git/config") +
                             ": core.worktree or core.bare belongs to another directory");
}

TEST_F(DirectoryTest, IgnoresWhatTheConfigurationPointsTo) {
    git("config core.hooksPath '" + directory() + "/hooks'");
    git("config url." + other() + ".insteadOf x");
    write("new", "");
    EXPECT_EQ(open().status(), "branch main\n?? new\n");
}

TEST_F(DirectoryTest, ALinkInPlaceOfGitIsNoRepository) {
    remove(".git");
    link(other() + "/.git", ".git");
    EXPECT_EQ(refusal(), "git: " + path(".git") +
                             ": neither a directory nor the file of a worktree or submodule");
    remove(".git");
    write(".git", "gitdir: " + other() + "/.git\n");
    EXPECT_EQ(refusal(), "git: " + path(".git") + ": leads to " + other() +
                             "/.git, which is not the git directory of a worktree or submodule");
}

TEST_F(DirectoryTest, LeavesAPersonsLinkedHooksAlone) {
    remove(".git/hooks");
    link("../../hooks", ".git/hooks");
    EXPECT_TRUE(Repository::open(workspace()));
}

}  // namespace
}  // namespace chorus::repo
