#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

class CommitTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "1\n");
        write("dir/b", "2\n");
        initialise();
    }
    std::string head() const { return git("rev-parse HEAD").substr(0, 40); }
    std::string last() const { return git("show --no-renames --name-status --format=%s"); }
    std::string commit_files(const std::vector<std::string>& files) const {
        return commit("m", files);
    }
};

TEST_F(CommitTest, TakesEverything) {
    write("a", "changed\n");
    remove("dir/b");
    write("new/deep/c", "3\n");
    write("run", "#!/bin/sh\n");
    chmod(path("run").c_str(), 0700);
    link("a", "l");
    const std::string id = commit("  all of it \n\n");
    EXPECT_EQ(id, head());
    EXPECT_EQ(last(), "all of it\n\nM\ta\nD\tdir/b\nA\tl\nA\tnew/deep/c\nA\trun\n");
    EXPECT_EQ(git("ls-files -s run l").substr(0, 6), "120000");
    EXPECT_NE(git("ls-files -s run").find("100755"), std::string::npos);
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_EQ(git("reflog -1 --format=%gs%gn"), "commit: all of italice\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(CommitTest, IsInUtcByTheAuthorGiven) {
    write("a", "2\n");
    git("config --remove-section user");
    commit_in(open(), "m", {}, {"bob", "bob@x"});
    EXPECT_EQ(git("log -1 --format='%an %ae %cn %ad' --date=format:%z"), "bob bob@x bob +0000\n");
}

TEST_F(CommitTest, LeavesOutWhatIsIgnored) {
    write(".gitignore", "*.log\nbuild/\n");
    write("x.log", "");
    write("build/o", "");
    commit("m");
    EXPECT_EQ(git("ls-files"), ".gitignore\na\ndir/b\n");
    EXPECT_NE(message_of([&] { commit_files({"x.log"}); }).find("is ignored"), std::string::npos);
}

TEST_F(CommitTest, TakesOnlyTheFilesNamed) {
    write("a", "2\n");
    write("dir/b", "3\n");
    write("dir/new", "4\n");
    write("staged", "5\n");
    git("add staged");
    commit_files({"./dir//", path("dir/b")});
    EXPECT_EQ(last(), "m\n\nM\tdir/b\nA\tdir/new\n");
    EXPECT_EQ(git("status --porcelain"), " M a\nA  staged\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(CommitTest, TakesADeletionByName) {
    remove("a");
    commit_files({"a"});
    EXPECT_EQ(last(), "m\n\nD\ta\n");
}

TEST_F(CommitTest, TakesWhatWasStagedBefore) {
    write("a", "2\n");
    git("add a");
    commit("m");
    EXPECT_EQ(last(), "m\n\nM\ta\n");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(CommitTest, ADotIsEverything) {
    write("a", "2\n");
    commit_files({"."});
    EXPECT_EQ(last(), "m\n\nM\ta\n");
}

TEST_F(CommitTest, SaysWhenThereIsNothing) {
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: nothing to commit");
    write("c", "");
    EXPECT_EQ(message_of([&] { commit_files({"a"}); }), "commit: nothing to commit");
    git("init -q -b main ../empty");
    auto empty = Repository::open(directory() + "/empty");
    EXPECT_EQ(message_of([&] { commit_in(*empty, "m", {}, author); }), "commit: nothing to commit");
}

TEST_F(CommitTest, RefusesPathsThatAreNotTheWorkspaces) {
    for (const char* file : {"../x", "/etc/passwd", "dir/../../x"})
        EXPECT_NE(message_of([&] { commit_files({file}); }).find("is outside"), std::string::npos)
            << file;
    for (const char* file : {".git/config", "dir/.GIT/config"})
        EXPECT_NE(message_of([&] { commit_files({file}); }).find("is in .git"), std::string::npos)
            << file;
    EXPECT_NE(message_of([&] { commit_files({"gone"}); }).find("does not exist"),
              std::string::npos);
}

TEST_F(CommitTest, NeedsAMessage) {
    write("a", "2\n");
    EXPECT_EQ(message_of([&] { commit(" \n\t "); }), "commit: the message is empty");
    commit("caf\xe9");
    EXPECT_EQ(git("log -1 --format=%s"), "caf\xef\xbf\xbd\n");
}

TEST_F(CommitTest, MakesTheFirstCommitAndADetachedOne) {
    git("checkout -q --orphan fresh");
    commit("first");
    EXPECT_EQ(git("log --format=%s"), "first\n");
    git("checkout -q --detach main");
    write("a", "detached\n");
    const std::string id = commit("loose");
    EXPECT_EQ(id, head());
    EXPECT_EQ(git("log -1 --format=%s main"), "Initial commit\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(CommitTest, ReplacesAFileByADirectoryAndBack) {
    remove("a");
    write("a/inner", "1\n");
    remove("dir");
    write("dir", "now a file\n");
    commit("swap");
    EXPECT_EQ(git("ls-files"), "a/inner\ndir\n");
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_CLEAN_FSCK();
}

TEST_F(CommitTest, LeavesARepositoryInsideAlone) {
    shell(
        "git init -q inner && cd inner && echo x > x && git add . && "
        "git -c user.name=p -c user.email=p@x commit -qm x");
    write("c", "");
    commit("m");
    EXPECT_EQ(last(), "m\n\nA\tc\n");
    EXPECT_EQ(message_of([&] { commit("m"); }),
              "commit: nothing to commit in 'inner/': it is a repository of its own");
    EXPECT_EQ(message_of([&] { commit_files({"inner"}); }),
              "commit: nothing to commit in 'inner': it is a repository of its own");
    git("add inner && git commit -qm link");
    shell("cd inner && git -c user.name=p -c user.email=p@x commit -q --allow-empty -m y");
    commit("bump");
    EXPECT_EQ(last(), "bump\n\nM\tinner\n");
}

TEST_F(CommitTest, AFileThatMayBeIgnoredHasToBeNamed) {
    write("../ignore", "*.env\n");
    const auto ignore = [&](const std::string& file) {
        git("config core.excludesFile '" + file + "'");
        return "commit: 'x.env' may be ignored: core.excludesFile '" + file + "' is not read";
    };
    write("x.env", "");
    write("a", "2\n");
    for (const std::string& file : {directory() + "/ignore", std::string("~/ignore")}) {
        const std::string expected = ignore(file);
        EXPECT_EQ(message_of([&] { commit("m"); }), expected);
        EXPECT_EQ(message_of([&] { commit_files({"."}); }), expected);
        EXPECT_EQ(git("status --porcelain -uno"), " M a\n");
    }
    commit_files({"a"});
    write("dir/b", "3\n");
    commit_files({"dir"});
    ignore(path("dir/patterns"));
    write("dir/patterns", "*.env\n");
    commit("m");
    EXPECT_EQ(git("ls-files"), "a\ndir/b\ndir/patterns\n");
    ignore(directory() + "/ignore");
    commit_files({"x.env"});
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(CommitTest, IsRefusedWhereItWouldHaveToBeSigned) {
    write("a", "2\n");
    git("config commit.gpgSign true");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: commit.gpgSign asks for a signature");
    git("config commit.gpgSign false");
    commit("m");
}

TEST_F(CommitTest, AnIndexThatOnlyGitReadsHasAHint) {
    const auto hint = [&] {
        try {
            open().status();
        } catch (const base::Error& error) {
            return error.hint();
        }
        return std::string();
    };
    git("update-index --split-index");
    EXPECT_NE(hint().find("`git update-index --no-split-index`"), std::string::npos) << hint();
    git("update-index --no-split-index");
    EXPECT_EQ(hint(), "");
    git("sparse-checkout set --cone --sparse-index nothing");
    EXPECT_NE(hint().find("git in bash"), std::string::npos) << hint();
    git("sparse-checkout disable");
    git("config core.repositoryFormatVersion 1");
    git("config extensions.somethingNew true");
    EXPECT_NE(hint().find("git in bash"), std::string::npos) << hint();
}

TEST_F(CommitTest, DoesNotFollowLinks) {
    std::filesystem::create_directory(directory() + "/outside");
    std::ofstream(directory() + "/outside/b") << "secret";
    remove("dir");
    link("../outside", "dir");
    link("/etc/passwd", "p");
    commit("m");
    EXPECT_EQ(last(), "m\n\nA\tdir\nD\tdir/b\nA\tp\n");
    EXPECT_EQ(git("show HEAD:p"), "/etc/passwd");
    EXPECT_NE(message_of([&] { commit_files({"dir/b"}); }), "nothing was thrown");
}

TEST_F(CommitTest, RunsNoFilterOrHook) {
    const std::string mark = "touch " + directory() + "/ran";
    write(".gitattributes", "* text ident diff=evil merge=evil\nf filter=evil\n");
    git("config filter.evil.clean '" + mark + "; cat'");
    git("config filter.evil.process '" + mark + "'");
    git("config filter.evil.required true");
    git("config diff.evil.textconv '" + mark + "'");
    git("config core.fsmonitor '" + mark + "'");
    for (const char* hook : {"pre-commit", "post-commit", "commit-msg", "reference-transaction"}) {
        write(std::string(".git/hooks/") + hook, "#!/bin/sh\n" + mark + "\nexit 1\n");
        chmod(path(std::string(".git/hooks/") + hook).c_str(), 0700);
    }
    write("a", "one\r\ntwo $Id$\r\n");
    write("f", "x\n");
    std::filesystem::remove(directory() + "/ran");
    open().status();
    open().diff("", "");
    EXPECT_EQ(message_of([&] { commit("m"); }), "commit: 'f' has the attribute filter=evil");
    remove("f");
    commit("m");
    EXPECT_FALSE(std::filesystem::exists(directory() + "/ran"));
    EXPECT_EQ(git("cat-file blob HEAD:a"), "one\ntwo $Id$\n");
    EXPECT_EQ(open().status(), "branch main\n");
}

TEST_F(CommitTest, TellsItsIdBeforeTheBranchMoves) {
    write("a", "2\n");
    const std::string before = head();
    Repository repository = open();
    const PlannedCommit planned = repository.plan_commit("m", {}, author);
    const std::string id = planned.id;
    EXPECT_EQ(head(), before);
    EXPECT_FALSE(repository.contains(id));
    planned.finish();
    EXPECT_EQ(head(), id);
    EXPECT_TRUE(repository.contains(id));
    EXPECT_TRUE(repository.contains(before));
    EXPECT_FALSE(repository.contains(std::string(40, '1')));
    EXPECT_FALSE(repository.contains("nonsense"));
}

TEST_F(CommitTest, SeesWhatAnotherGitDidMeanwhile) {
    Repository repository = open();
    repository.status();
    write("theirs", "1\n");
    git("add theirs");
    git("commit -qm theirs");
    write("ours", "1\n");
    commit_in(repository, "ours", {}, author);
    EXPECT_EQ(last(), "ours\n\nA\tours\n");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(CommitTest, TakesNothingForDeletedThatItCannotLookAt) {
    Repository repository = open();
    write("dir/b", "changed\n");
    for (rlim_t most = 4; most < 24; ++most) {
        const pid_t child = fork();
        if (child == 0) {
            const rlimit tight{most, most};
            setrlimit(RLIMIT_NOFILE, &tight);
            message_of([&] { commit_in(repository, "m", {}, author); });
            _exit(0);
        }
        waitpid(child, nullptr, 0);
        ASSERT_EQ(git("ls-tree -r --name-only HEAD"), "a\ndir/b\n") << most;
    }
    EXPECT_EQ(git("show HEAD:dir/b"), "changed\n");
    EXPECT_CLEAN_FSCK();
}

TEST_F(CommitTest, TakesALargeFile) {
    std::string text(3'000'000, '\0');
    for (std::size_t i = 0; i < text.size(); ++i)
        text[i] = static_cast<char>(i * 2654435761U >> 13U);
    write("large", text);
    commit("m");
    EXPECT_EQ(git("cat-file -s HEAD:large"), "3000000\n");
    EXPECT_EQ(shell("git cat-file blob HEAD:large | cmp - large"), "");
    EXPECT_CLEAN_FSCK();
}

}  // namespace
}  // namespace chorus::repo
