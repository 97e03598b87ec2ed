#include "workspace.hpp"

namespace chorus::repo {
namespace {

// main and side both changed "a" and "b"; side alone made "new".
class OperationTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        write("a", "base\n");
        write("b", "base\n");
        initialise();
        git("checkout -q -b side");
        change("side");
        write("new", "side\n");
        git("add new");
        git("commit -q -a --author='Sid <sid@x>' --date='2020-02-02T02:02:02 +0200' -m side");
        git("checkout -q main");
        change("main");
        commit("main");
    }
    void change(const std::string& text) const {
        write("a", text + "\n");
        write("b", text + "\n");
    }
    std::string commit_files(const std::vector<std::string>& files) const {
        return commit("m", files);
    }
    std::string refusal(const std::vector<std::string>& files = {}) const {
        return message_of([&] { commit_files(files); });
    }
    std::string parents() const {
        return git("rev-list --parents -n1 HEAD | wc -w | tr -d ' \\n'");
    }
    std::string left_over() const {
        return shell(
            "cd .git && ls -d MERGE_* CHERRY_PICK_HEAD REVERT_HEAD AUTO_MERGE SQUASH_MSG "
            "sequencer 2>/dev/null; true");
    }
    bool has(const std::string& text, const std::string& part) const {
        return text.find(part) != std::string::npos;
    }
    void expect_clean() const {
        EXPECT_EQ(git("status --porcelain"), "");
        EXPECT_EQ(left_over(), "");
        EXPECT_CLEAN_FSCK();
    }
};

TEST_F(OperationTest, AConflictIsNotCommittedAsItStands) {
    git("merge side");
    const std::string head = git("rev-parse HEAD");
    EXPECT_EQ(refusal(), "commit: conflicts in 'a', 'b'");
    EXPECT_EQ(refusal({"."}), "commit: conflicts in 'a', 'b'");
    EXPECT_EQ(refusal({"new"}), "commit: conflicts in 'a', 'b'");
    EXPECT_EQ(refusal({"a"}), "commit: conflicts in 'b'");
    EXPECT_EQ(git("rev-parse HEAD"), head);
    EXPECT_EQ(git("ls-files -u | wc -l"), "6\n");
}

TEST_F(OperationTest, AMergeIsCommittedWithBothParents) {
    git("merge side");
    change("both");
    git("add a");
    commit_files({"b"});
    EXPECT_EQ(parents(), "3");
    EXPECT_EQ(git("rev-parse HEAD^2"), git("rev-parse side"));
    EXPECT_EQ(git("show HEAD:a HEAD:b HEAD:new"), "both\nboth\nside\n");
    EXPECT_EQ(git("reflog -1 --format=%gs"), "commit (merge): m\n");
    expect_clean();
}

TEST_F(OperationTest, AMergeTakesTheWholeIndexAndOnlyTheFilesNamed) {
    write("loose", "1\n");
    commit("loose");
    git("merge side");
    change("both");
    write("loose", "2\n");
    commit_files({"a", "b"});
    EXPECT_EQ(git("show HEAD:new HEAD:loose"), "side\n1\n");
    EXPECT_EQ(git("status --porcelain"), " M loose\n");
    EXPECT_EQ(parents(), "3");
}

TEST_F(OperationTest, AMergeWithoutConflictsIsCommittedToo) {
    git("checkout -q -b third main~1");
    write("third", "x\n");
    commit("third");
    git("merge -q --no-commit --no-ff side");
    commit("merged");
    EXPECT_EQ(parents(), "3");
    git("merge -q --no-commit --no-ff -s ours main");
    commit("ours");
    EXPECT_EQ(parents(), "3");
    EXPECT_EQ(git("rev-parse HEAD^{tree}"), git("rev-parse HEAD^^{tree}"));
    expect_clean();
}

TEST_F(OperationTest, AnOctopusHasAllItsParents) {
    for (const char* name : {"one", "two"}) {
        git(std::string("checkout -q -b ") + name + " main");
        write(name, "x\n");
        commit(name);
    }
    git("checkout -q main");
    write("three", "x\n");
    commit("three");
    git("merge -q --no-commit one two");
    commit("octopus");
    EXPECT_EQ(parents(), "4");
    expect_clean();
}

TEST_F(OperationTest, ADeletedSideIsSettledByItsName) {
    git("checkout -q -b gone main");
    git("rm -q a");
    commit("gone");
    git("checkout -q main");
    write("a", "again\n");
    commit("again");
    git("merge gone");
    remove("a");
    EXPECT_EQ(refusal(), "commit: conflicts in 'a'");
    commit_files({"a"});
    EXPECT_EQ(git("ls-files"), "b\n");
    EXPECT_EQ(parents(), "3");
    expect_clean();
}

TEST_F(OperationTest, ConflictsOfAStashCountToo) {
    write("a", "stashed\n");
    git("stash -q");
    write("a", "other\n");
    commit("other");
    git("stash pop");
    EXPECT_EQ(refusal(), "commit: conflicts in 'a'");
    write("a", "settled\n");
    commit_files({"a"});
    EXPECT_EQ(parents(), "2");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(OperationTest, ACherryPickKeepsItsAuthorAndEnds) {
    git("cherry-pick side");
    EXPECT_EQ(refusal(), "commit: conflicts in 'a', 'b'");
    change("both");
    commit_files({"a", "b"});
    EXPECT_EQ(git("log -1 --format='%an <%ae> %ad|%cn' --date=iso"),
              "Sid <sid@x> 2020-02-02 02:02:02 +0200|alice\n");
    EXPECT_EQ(parents(), "2");
    EXPECT_EQ(git("reflog -1 --format=%gs"), "commit (cherry-pick): m\n");
    expect_clean();
}

TEST_F(OperationTest, ARevertEnds) {
    write("a", "later\n");
    commit("later");
    git("revert --no-edit HEAD~1");
    change("back");
    commit_files({"a", "b"});
    EXPECT_EQ(git("log -1 --format=%an"), "alice\n");
    EXPECT_EQ(parents(), "2");
    expect_clean();
}

TEST_F(OperationTest, ASequenceGoesOnAndIsTold) {
    git("checkout -q side");
    write("later", "1\n");
    commit("later");
    git("checkout -q main");
    git("cherry-pick side~1 side");
    change("both");
    Repository repository = open();
    const PlannedCommit planned = repository.plan_commit("m", {"a", "b"}, author);
    planned.finish();
    EXPECT_TRUE(has(planned.note, "git cherry-pick --continue")) << planned.note;
    EXPECT_EQ(left_over(), "sequencer\n");
    EXPECT_TRUE(has(open().status(), "git cherry-pick --continue")) << open().status();
    git("cherry-pick --continue");
    EXPECT_EQ(git("log -3 --format=%s"), "later\nm\nmain\n");
    EXPECT_FALSE(exists(".git/sequencer"));
    EXPECT_EQ(open().status(), "branch main\n");
}

TEST_F(OperationTest, TheLastOfASequenceEndsIt) {
    git("checkout -q side");
    write("a", "later\n");
    commit("later");
    git("checkout -q -b from main~1");
    write("z", "z\n");
    commit("z");
    git("checkout -q main");
    git("cherry-pick from side");
    write("a", "both\n");
    EXPECT_EQ(commit_files({"a"}).size(), 40U);
    expect_clean();
}

TEST_F(OperationTest, ARebaseAndAnAmAreRefused) {
    git("rebase side");
    EXPECT_TRUE(has(refusal(), "a rebase is in progress")) << refusal();
    change("both");
    EXPECT_TRUE(has(refusal({"a", "b"}), "a rebase is in progress"));
    git("add a b");
    EXPECT_TRUE(has(refusal(), "a rebase is in progress"));
    EXPECT_TRUE(has(open().status(), "git rebase --continue")) << open().status();
    git("-c core.editor=true rebase --continue");
    EXPECT_EQ(git("log --format=%s"), "main\nside\nInitial commit\n");
    git("checkout -q -b other side~1");
    git("format-patch -q -1 side -o ../patches");
    change("other");
    commit("other");
    git("am -3 ../patches/*");
    EXPECT_TRUE(has(refusal(), "an am is in progress")) << refusal();
    EXPECT_TRUE(has(open().status(), "git am --continue"));
}

TEST_F(OperationTest, StatusSaysWhatGoesOn) {
    EXPECT_EQ(open().status(), "branch main\n");
    git("merge side");
    EXPECT_EQ(
        open().status(),
        "branch main\n# a merge is in progress with 2 conflicts: resolve each file, then name it "
        "in git_commit or `git add` it; `git merge --abort` aborts it\n"
        "UU a\nUU b\nA  new\n");
    git("add a b");
    EXPECT_TRUE(has(open().status(), "# a merge is in progress: git_commit ends it"));
}

TEST_F(OperationTest, DiffShowsConflicts) {
    git("merge side");
    const std::string diff = open().diff("", "");
    EXPECT_TRUE(has(diff, "* Unmerged path a\n* Unmerged path b\n")) << diff;
    EXPECT_TRUE(has(diff, "+<<<<<<< HEAD\n main\n+=======\n+side\n+>>>>>>> side\n")) << diff;
    EXPECT_TRUE(has(diff, "+++ b/new\n")) << diff;
    EXPECT_EQ(git("ls-files -u | wc -l"), "6\n");
}

TEST_F(OperationTest, CheckoutRefusesAndBranchDoesNot) {
    git("merge side");
    for (const bool create : {false, true})
        EXPECT_EQ(message_of([&] { open().checkout(create ? "fresh" : "side", create); }),
                  "checkout: a merge is in progress");
    open().create_branch("kept");
    git("merge --abort");
    git("rebase side");
    EXPECT_EQ(message_of([&] { open().checkout("side", false); }),
              "checkout: a rebase is in progress");
    EXPECT_EQ(message_of([&] { open().delete_branch("main"); }),
              "git: branch 'main' is being rebased");
    git("rebase --abort");
    write("a", "stashed\n");
    git("stash -q");
    write("a", "other\n");
    commit("other");
    git("stash pop");
    EXPECT_EQ(message_of([&] { open().checkout("side", false); }), "checkout: conflicts in 'a'");
}

TEST_F(OperationTest, ChangesThatAMergePutAsideAreNotLost) {
    for (const char* merge :
         {"merge --autostash --no-commit side", "merge --autostash --squash side"}) {
        git("checkout -qf -B fresh main~1");
        write("kept", "1\n");
        git("add kept && git commit -qm kept");
        write("kept", "mine\n");
        git(merge);
        const std::string next = "commit: a merge with an autostash is in progress";
        EXPECT_EQ(refusal(), next);
        EXPECT_EQ(refusal({"b"}), next);
        EXPECT_EQ(message_of([&] { open().checkout("main", false); }),
                  "checkout: a merge with an autostash is in progress");
        EXPECT_TRUE(has(open().status(), "`git commit`")) << open().status();
        git("commit -qm m");
        EXPECT_EQ(read("kept"), "mine\n");
        commit("mine");
        expect_clean();
    }
}

TEST_F(OperationTest, InitDoesNoHarmInAMerge) {
    git("merge side");
    const std::string config = read(".git/config");
    Repository::initialise(workspace(), {"bob", "bob@x"});
    EXPECT_TRUE(exists(".git/MERGE_HEAD"));
    EXPECT_EQ(git("ls-files -u | wc -l"), "6\n");
    EXPECT_EQ(read(".git/config"), config);
}

TEST_F(OperationTest, ABisectIsNotInTheWay) {
    git("bisect start");
    git("bisect bad HEAD");
    git("bisect good HEAD~1");
    EXPECT_TRUE(has(open().status(), "# a bisect is in progress")) << open().status();
    write("x", "1\n");
    commit("in between");
    EXPECT_TRUE(exists(".git/BISECT_LOG"));
    open().checkout("side", false);
}

}  // namespace
}  // namespace chorus::repo
