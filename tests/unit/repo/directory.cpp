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
    EXPECT_EQ(refusal(), "git: .git/config leads out of the workspace");
}

TEST_F(DirectoryTest, RefusesABareRepository) {
    git("config core.bare true");
    EXPECT_EQ(refusal(), "git: .git/config leads out of the workspace");
}

TEST_F(DirectoryTest, RefusesIncludedConfiguration) {
    const std::string plain = read(".git/config");
    for (const char* section :
         {"[include]\n\tpath = ../../x\n", "[IncludeIf \"gitdir:/\"]\npath=x\n",
          "[core] [ include ] path = x\n"}) {
        write(".git/config", plain + section);
        EXPECT_EQ(refusal(), "git: .git/config includes another file") << section;
    }
    write(".git/config", plain + "# [include]\n[alias]\n\tincluded = log\n");
    EXPECT_TRUE(Repository::open(workspace()));
}

TEST_F(DirectoryTest, RefusesBorrowedObjects) {
    write(".git/objects/info/alternates", other() + "/.git/objects\n");
    EXPECT_EQ(refusal(), "git: .git/objects/info/alternates leads out of the workspace");
}

TEST_F(DirectoryTest, RefusesACommonDirectory) {
    write(".git/commondir", other() + "/.git\n");
    EXPECT_EQ(refusal(), "git: .git/commondir leads out of the workspace");
}

TEST_F(DirectoryTest, RefusesLinksInGit) {
    for (const char* name : {"objects/ab", "refs/heads/x", "logs", "index", "config", "HEAD"}) {
        const std::string planted = std::string(".git/") + name;
        const std::string aside = directory() + "/aside";
        shell("test ! -e " + planted + " || mv " + planted + " " + aside);
        link(other() + "/" + planted, planted);
        EXPECT_EQ(refusal(), "git: " + planted + " is no regular file");
        remove(planted);
        shell("test ! -e " + aside + " || mv " + aside + " " + planted);
    }
    EXPECT_TRUE(Repository::open(workspace()));
}

TEST_F(DirectoryTest, RefusesAFifoInsteadOfWaitingForIt) {
    alarm(20);
    remove(".git/config");
    ASSERT_EQ(mkfifo(path(".git/config").c_str(), 0600), 0);
    EXPECT_EQ(refusal(), "git: .git/config is no regular file");
    alarm(0);
}

TEST_F(DirectoryTest, IgnoresWhatTheConfigurationPointsTo) {
    std::ofstream(directory() + "/excluded") << "new\n";
    git("config core.excludesFile '" + directory() + "/excluded'");
    git("config core.hooksPath '" + directory() + "/hooks'");
    git("config url." + other() + ".insteadOf x");
    write("new", "");
    EXPECT_EQ(open().status(), "branch main\n?? new\n");
}

TEST_F(DirectoryTest, ALinkInPlaceOfGitIsNoRepository) {
    remove(".git");
    link(other() + "/.git", ".git");
    EXPECT_FALSE(Repository::open(workspace()));
    remove(".git");
    write(".git", "gitdir: " + other() + "/.git\n");
    EXPECT_FALSE(Repository::open(workspace()));
}

TEST_F(DirectoryTest, LeavesAPersonsLinkedHooksAlone) {
    remove(".git/hooks");
    link("../../hooks", ".git/hooks");
    EXPECT_TRUE(Repository::open(workspace()));
}

TEST_F(DirectoryTest, RefusesALinkedIgnoreFileAndLinkedSubmodules) {
    link("/etc/passwd", ".gitattributes");
    EXPECT_EQ(message_of([&] { open().status(); }), "git: .gitattributes is no regular file");
    remove(".gitattributes");
    write(".gitmodules", "[include]\npath = /x\n");
    EXPECT_EQ(message_of([&] { open().status(); }), "git: .gitmodules includes another file");
}

TEST_F(DirectoryTest, ManagesAVeryDeepTree) {
    shell("d=.; for i in $(seq 1500); do d=$d/x; done; mkdir -p $d; mkfifo x/x/x/.gitignore");
    EXPECT_EQ(message_of([&] { open().status(); }), "git: x/x/x/.gitignore is no regular file");
    shell("rm -rf x");
}

}  // namespace
}  // namespace chorus::repo
