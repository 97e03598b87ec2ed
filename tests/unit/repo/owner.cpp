#include <unistd.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

// Whose a repository is, and in whose name commits are made.
class OwnerTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        ASSERT_EQ(geteuid(), 0U) << "the tests want root: they give files to another user";
        unsetenv("XDG_CONFIG_HOME");
        setenv("HOME", directory().c_str(), 1);
        initialise();
    }
    void give_away() const { shell("chown -R 12345 ."); }
    void write_global(const std::string& text) const {
        std::ofstream(directory() + "/.gitconfig") << text;
    }
    std::string refusal() const {
        return message_of([&] { open(); });
    }
    const std::string foreign_ = "git: the repository belongs to another user";
};

TEST_F(OwnerTest, AsRootAnotherUsersIsReadWhereTheUserSaysSo) {
    give_away();
    EXPECT_EQ(refusal(), foreign_);
    write("a", "1\n");
    for (const std::string& value : {workspace(), std::string("*"), directory() + "/*"}) {
        write_global("[safe]\n\tdirectory = " + value + "\n");
        EXPECT_EQ(open().status(), "branch main\n?? a\n") << value;
        EXPECT_EQ(open().log(1).size(), 1U);
        EXPECT_NE(open().diff("", "").find("+1\n"), std::string::npos);
    }
    write_global("");
    EXPECT_EQ(refusal(), foreign_);
}

TEST_F(OwnerTest, AsRootRootBySudoReadsThoseOfTheUser) {
    give_away();
    setenv("SUDO_UID", "12345", 1);
    EXPECT_EQ(open().status(), "branch main\n");
    setenv("SUDO_UID", "12346", 1);
    EXPECT_EQ(refusal(), foreign_);
    unsetenv("SUDO_UID");
}

TEST_F(OwnerTest, AsRootTheHintCanBeTyped) {
    give_away();
    try {
        open();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.hint(), "git config --global --add safe.directory " + workspace());
        shell(error.hint());
        EXPECT_EQ(open().status(), "branch main\n");
    }
}

TEST_F(OwnerTest, AsRootWhatIsSaidOfAnotherDirectoryOrTakenBackDoesNotCount) {
    give_away();
    for (const char* text :
         {"[safe]\ndirectory = /elsewhere\n", "[other]\ndirectory = *\n",
          "[safe \"x\"]\ndirectory=*\n", "[safe]\n\tdirectory = *\n\tdirectory =\n",
          "# [safe] directory = *\n"}) {
        write_global(text);
        EXPECT_EQ(refusal(), foreign_) << text;
    }
    shell("mkdir -p .config/git && printf '[safe]\\ndirectory=*\\n' > .git/../.gitconfig");
    EXPECT_EQ(refusal(), foreign_);
    git("config safe.directory '*'");
    EXPECT_EQ(refusal(), foreign_);
}

TEST_F(OwnerTest, AsRootTheOtherConfigurationFilesCountToo) {
    give_away();
    shell(
        "mkdir -p ~/.config/git && printf '[SAFE]\\n\\tDirectory = \"*\" ; all\\n' > "
        "~/.config/git/config");
    EXPECT_EQ(open().status(), "branch main\n");
    setenv("XDG_CONFIG_HOME", (directory() + "/x").c_str(), 1);
    EXPECT_EQ(refusal(), foreign_);
    shell("mkdir -p ~/x/git && mv ~/.config/git/config ~/x/git/");
    EXPECT_EQ(open().status(), "branch main\n");
    unsetenv("XDG_CONFIG_HOME");
}

TEST_F(OwnerTest, AsRootTheRepositorysNameIsTakenElseTheAgents) {
    git("config user.name rita");
    git("config user.email rita@x");
    write("a", "1\n");
    commit("m");
    EXPECT_EQ(git("log -1 --format='%an <%ae>%cn <%ce>%gn' -g"),
              "rita <rita@x>rita <rita@x>rita\n");
    git("config --unset user.name");
    write("a", "2\n");
    commit("m");
    EXPECT_EQ(git("log -1 --format='%an <%ae>%cn <%ce>'"), "alice <rita@x>alice <rita@x>\n");
    git("config --unset user.email");
    write("a", "3\n");
    commit("m");
    EXPECT_EQ(git("log -1 --format='%an <%ae>'"), "alice <alice@chorus.local>\n");
    EXPECT_EQ(git("reflog -1 --format='%gn <%ge>'"), "alice <alice@chorus.local>\n");
}

TEST_F(OwnerTest, AsRootSomebodysRepositoryKeepsItsConfiguration) {
    shell("rm -rf .git && git init -q -b main");
    const std::string config = read(".git/config");
    write("a", "1\n");
    initialise();
    EXPECT_EQ(read(".git/config"), config);
    EXPECT_EQ(git("log --format=%an%ae"), "alicealice@chorus.local\n");
}

TEST_F(OwnerTest, AsRootARepositoryOfSha256IsNamedAsSuch) {
    shell("rm -rf .git && git init -q --object-format=sha256");
    try {
        open();
        ADD_FAILURE();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.message(), "git: the repository has SHA-256 object names");
        EXPECT_NE(error.hint().find("bash"), std::string::npos);
    }
}

}  // namespace
}  // namespace chorus::repo
