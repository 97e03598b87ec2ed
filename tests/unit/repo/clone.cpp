#include "workspace.hpp"

namespace chorus::repo {
namespace {

class CloneTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "1\n");
        write("sub/b", "2\n");
        initialise();
        git("branch topic");
    }
    std::string copy() const { return directory() + "/copy"; }
    Repository clone(const std::string& source) {
        left_out_ = repo::clone(source, copy(), author);
        return std::move(Repository::open(copy()).value());
    }
    std::string in_copy(const std::string& arguments) const {
        return git("-C ../copy " + arguments);
    }

    std::vector<std::string> left_out_;
};

TEST_F(CloneTest, TakesAPath) {
    clone(workspace());
    EXPECT_EQ(in_copy("rev-parse HEAD"), git("rev-parse HEAD"));
    EXPECT_EQ(in_copy("status --porcelain"), "");
    EXPECT_EQ(in_copy("remote get-url origin"), workspace() + "\n");
    EXPECT_EQ(shell("git -C ../copy config --local user.email"), "alice@chorus.local\n");
    EXPECT_EQ(in_copy("fsck --strict --no-progress"), "");
    EXPECT_EQ(shell("find ../copy/.git/objects -type f -links +1"), "");
}

TEST_F(CloneTest, TakesAFileAddressAndEveryBranch) {
    Repository copied = clone("file://" + workspace());
    copied.checkout("topic", false);
    EXPECT_EQ(in_copy("symbolic-ref --short HEAD"), "topic\n");
}

TEST_F(CloneTest, TakesAFileAddressOfLocalhostAndOfNoOtherHost) {
    clone("file://localhost" + workspace());
    EXPECT_EQ(in_copy("rev-parse HEAD"), git("rev-parse HEAD"));
    EXPECT_EQ(in_copy("remote get-url origin"), "file://" + workspace() + "\n");
    EXPECT_EQ(message_of([&] { clone("file://h" + workspace()); }),
              "clone: file://h" + workspace() + ": a file URL must name a path on this machine");
}

TEST_F(CloneTest, TakesAnAddressWithColonsInItsHost) {
    for (const char* source :
         {"http://[::1]:1/x", "ssh://git@[::1]:1/x", "git@[::1]:x", "http://h/a::b"})
        EXPECT_EQ(message_of([&] { clone(source); }).find("only https"), std::string::npos)
            << source;
}

TEST_F(CloneTest, TakesABareRepositoryAndAnEmptyOne) {
    git("clone -q --bare . ../bare");
    clone(directory() + "/bare");
    EXPECT_EQ(in_copy("log --format=%s"), "Initial commit\n");
    std::filesystem::remove_all(copy());
    git("init -q -b trunk --bare ../empty");
    EXPECT_EQ(clone(directory() + "/empty").status(), "branch main\n");
}

TEST_F(CloneTest, SaysWhatIsWrongWithTheSource) {
    EXPECT_EQ(message_of([&] { clone(directory() + "/gone"); }, base::ErrorCode::not_found),
              "clone: " + directory() + "/gone: there is no such directory");
    std::filesystem::create_directory(directory() + "/plain");
    EXPECT_NE(message_of([&] { clone(directory() + "/plain"); }).find("could not find repository"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(copy()));
    EXPECT_NE(message_of([&] { clone("http://user:secret@127.0.0.1:1/x"); }), "nothing was thrown");
    EXPECT_EQ(message_of([&] { clone("http://user:secret@127.0.0.1:1/x"); }).find("secret"),
              std::string::npos);
}

TEST_F(CloneTest, SaysWhatItCannotRead) {
    shell(
        "git init -q --object-format=sha256 ../long && git init -q --bare --object-format=sha256 "
        "../bare");
    for (const char* name : {"/long", "/bare"})
        EXPECT_EQ(message_of([&] { clone(directory() + name); }),
                  "clone: " + directory() + name + ": the repository has SHA-256 object names");
}

TEST_F(CloneTest, RefusesOtherWays) {
    for (const char* source : {"git://h/x", "ftp://h/x", "ext::sh -c true"})
        EXPECT_EQ(message_of([&] { clone(source); }),
                  std::string("clone: ") + source +
                      ": only https, http, ssh and file URLs and paths can be cloned");
}

TEST_F(CloneTest, RefusesAWorkspaceThatIsNotEmpty) {
    std::filesystem::create_directory(copy());
    clone(workspace());
    EXPECT_NE(message_of([&] { clone(workspace()); }).find("not an empty directory"),
              std::string::npos);
}

TEST_F(CloneTest, TakesNoHookAndNoSubmodule) {
    write(".git/hooks/post-checkout", "#!/bin/sh\ntouch " + directory() + "/ran\n");
    shell("chmod +x .git/hooks/post-checkout");
    git("-c protocol.file.allow=always submodule add -q '" + workspace() + "' module");
    git("commit -qm module");
    Repository copied = clone(workspace());
    EXPECT_EQ(left_out_, std::vector<std::string>{"module/"});
    EXPECT_FALSE(std::filesystem::exists(directory() + "/ran"));
    EXPECT_FALSE(std::filesystem::exists(copy() + "/.git/hooks/post-checkout"));
    EXPECT_FALSE(std::filesystem::exists(copy() + "/module/a"));
    EXPECT_EQ(copied.status(), "branch main\n");
}

TEST_F(CloneTest, LeavesOutLinksThatLeadOut) {
    link("a", "inside");
    link("sub", "d");
    link("/etc/passwd", "absolute");
    link("sub/../../../etc/passwd", "above");
    link("d/../../x", "through");
    commit("links");
    Repository copied = clone(workspace());
    EXPECT_EQ(shell("cd ../copy && find . -type l | sort"), "./d\n./inside\n");
    EXPECT_EQ(left_out_, (std::vector<std::string>{"above", "absolute", "through"}));
    EXPECT_EQ(copied.status(), "branch main\n");
    EXPECT_EQ(copied.diff("", ""), "");
    EXPECT_EQ(in_copy("status --porcelain"), "");
    std::ofstream(copy() + "/new") << "x";
    commit_in(copied, "m", {}, author);
    EXPECT_EQ(in_copy("show --name-status --format=%s"), "m\n\nA\tnew\n");
}

TEST_F(CloneTest, ReadsNoConfigurationOfThePerson) {
    shell("git config --global url.file:///nowhere.insteadOf file://");
    setenv("HOME", directory().c_str(), 1);
    clone("file://" + workspace());
    EXPECT_EQ(in_copy("rev-parse HEAD"), git("rev-parse HEAD"));
}

}  // namespace
}  // namespace chorus::repo
