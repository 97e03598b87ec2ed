// A command that still runs exchanges what git tools go through for links that lead out.
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

#include "sys/fd.hpp"
#include "workspace.hpp"

namespace chorus::repo {
namespace {

class SwapsTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        shell("mkdir -p ../outside/heads ../outside/objects ../outside/sub/hooks ../secret");
        shell(
            "echo kept > ../outside/log && echo kept > ../outside/sub/f && chmod 751 ../outside/*");
        shell(
            "cd ../secret && git init -q -b main . && echo the secret > s && git add . && "
            "git -c user.name=p -c user.email=p@x commit -qm secret && "
            "touch -d '1 hour ago' $(find .git/objects -type f)");
        write("sub/f", "1\n");
        write("sub/hooks/pre-commit", "#!/bin/sh\n");
        initialise();
        git("branch other");
        for (const char* name : {"sub/f", "sub/g", "sub/hooks/pre-commit"}) write(name, "2\n");
        commit("second");
        secret_ = shell("git -C ../secret rev-parse HEAD").substr(0, 40);
        before_ = outside();
    }
    void TearDown() override {
        if (swapper_ == 0) return;
        kill(swapper_, SIGKILL);
        waitpid(swapper_, nullptr, 0);
    }

    // Everything of what lies outside that a tool could change.
    std::string outside() const {
        return shell(
            "cd .. && find outside secret -printf '%p %m %s %T@ %l\\n' | sort && "
            "find outside secret -type f -exec cat {} + | sha256sum");
    }
    void swap(std::vector<std::pair<std::string, std::string>> names) {
        swapper_ = fork();
        if (swapper_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            for (const auto& [name, other] : names)
                syscall(SYS_renameat2, AT_FDCWD, path(name).c_str(), AT_FDCWD, path(other).c_str(),
                        RENAME_EXCHANGE);
    }
    // What each says does not matter but for what it shows.
    void use_tools(int rounds = 1'000'000) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
        for (int round = 0; round < rounds && std::chrono::steady_clock::now() < until; ++round) {
            const std::string number = std::to_string(round);
            attempt([&] { open().checkout(round % 2 == 0 ? "other" : "main", false); });
            attempt([&] { write("w" + number, number); });
            attempt([&] { commit(number, {"w" + number}); });
            attempt([&] { open().create_branch("b" + number); });
            attempt([&] { shown_ += open().diff(secret_, ""); });
            attempt([&] { shown_ += open().status() + open().diff("", ""); });
            attempt([&] { commit("all " + number); });
            attempt([&] { open().delete_branch("b" + number); });
        }
    }
    template <typename Act>
    void attempt(Act act) {
        try {
            act();
        } catch (const std::exception&) {
            ++refused_;
        }
    }
    void expect_no_effect() {
        use_tools();
        EXPECT_EQ(outside(), before_);
        EXPECT_EQ(shown_.find("the secret"), std::string::npos);
    }

    pid_t swapper_ = 0;
    std::string secret_;
    std::string before_;
    std::string shown_;
    int refused_ = 0;
};

// The same without a race: what was planted leads out, and is no file that could be read to its
// end.
TEST_F(SwapsTest, WhatIsPlantedBefore) {
    std::vector<std::string> plants{
        "git config core.worktree ../../outside",
        "git config core.worktree ../../secret",
        "printf '[include]\n\tpath = ../../secret/.git/config\n' >> .git/config",
        "echo ../../../secret/.git/objects > .git/objects/info/alternates",
        "echo ../../secret/.git > .git/commondir",
        "echo '[include] path = /x' > .gitmodules"};
    for (const char* name : {"objects", "refs", "refs/heads", "refs/heads/main", "logs",
                             "logs/HEAD", "index", "config", "HEAD", "packed-refs", "info"}) {
        const std::string planted = std::string(".git/") + name;
        plants.push_back("rm -rf " + planted + " && ln -s " + directory() + "/secret/" + planted +
                         " " + planted);
        plants.push_back("rm -rf " + planted + " && mkfifo " + planted);
    }
    for (const char* name : {".gitignore", ".gitattributes", ".gitmodules", "sub/.gitignore"}) {
        plants.push_back(std::string("mkfifo ") + name);
        plants.push_back("ln -s " + directory() + "/secret/s " + name);
    }
    shell("cp -a . ../whole");
    alarm(60);
    for (const std::string& plant : plants) {
        shell("find . -mindepth 1 -delete; cp -a ../whole/. .");
        shell(plant);
        use_tools(2);
        EXPECT_EQ(outside(), before_) << plant;
        EXPECT_EQ(shown_.find("the secret"), std::string::npos) << plant;
    }
    alarm(0);
}

TEST_F(SwapsTest, TheLogOfHead) {
    link(directory() + "/outside/log", "link");
    swap({{".git/logs/HEAD", "link"}});
    expect_no_effect();
}

TEST_F(SwapsTest, TheBranches) {
    link(directory() + "/outside/heads", "link");
    link(directory() + "/outside/heads", "link2");
    swap({{".git/refs/heads", "link"}, {".git/logs/refs/heads", "link2"}});
    expect_no_effect();
}

TEST_F(SwapsTest, TheObjects) {
    link(directory() + "/outside/objects", "link");
    swap({{".git/objects", "link"}});
    expect_no_effect();
}

TEST_F(SwapsTest, TheObjectsOfAnotherRepository) {
    link(directory() + "/secret/.git/objects", "link");
    swap({{".git/objects", "link"}});
    expect_no_effect();
}

TEST_F(SwapsTest, BorrowedObjects) {
    write("alternates", directory() + "/secret/.git/objects\n");
    write(".git/objects/info/alternates", "");
    swap({{".git/objects/info/alternates", "alternates"}});
    expect_no_effect();
}

TEST_F(SwapsTest, ADirectoryOfTheWorkTree) {
    link(directory() + "/outside/sub", "link");
    swap({{"sub", "link"}});
    expect_no_effect();
}

// Sandboxed commands find the hooks read-only: tools do not write there for them.
TEST_F(SwapsTest, ADirectoryOfTheWorkTreeForTheRepository) {
    shell("mkdir -p .git/hooks");
    link(".git", "link");
    swap({{"sub", "link"}});
    use_tools();
    EXPECT_FALSE(exists(".git/hooks/pre-commit"));
    EXPECT_FALSE(exists(".git/f"));
    EXPECT_FALSE(exists(".git/g"));
}

// Somebody may write into it later: a read of it says "try again", and libgit2 does so for ever.
TEST_F(SwapsTest, AFifoThatAnotherProcessHoldsOpen) {
    shell("mkfifo fifo");
    const sys::Fd held(::open(path("fifo").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_TRUE(held);
    swap({{"sub/f", "fifo"}, {".git/refs/heads/main", "fifo"}});
    alarm(60);
    use_tools();
    alarm(0);
}

TEST_F(SwapsTest, NoLinkIsFollowedInsideEither) {
    shell("mv .git/refs/heads heads && ln -s ../../heads .git/refs/heads");
    const std::string before = shell("cat heads/*");
    write("sub/f", "3\n");
    attempt([&] { commit("third"); });
    attempt([&] { open().create_branch("new"); });
    EXPECT_EQ(shell("cat heads/*"), before);
}

}  // namespace
}  // namespace chorus::repo
