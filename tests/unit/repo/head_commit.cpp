
#include "workspace.hpp"

namespace chorus::repo {
namespace {

class HeadTest : public WorkspaceTest {
  protected:
    void SetUp() override {
        git("init -q -b main");
        write("a", "1");
        git("add .");
        git("commit -qm one");
        commit_ = git("rev-parse HEAD").substr(0, 40);
    }
    std::string head() const { return head_of(workspace()).commit; }
    void set_head(const std::string& text) const { write(".git/HEAD", text); }

    std::string commit_;
};

TEST_F(HeadTest, FollowsALooseRef) {
    EXPECT_EQ(head(), commit_);
}

TEST_F(HeadTest, FollowsAPackedRef) {
    git("tag -a -m t v1");
    git("checkout -q -b topic/deep");
    git("pack-refs --all");
    EXPECT_FALSE(exists(".git/refs/heads/main"));
    EXPECT_EQ(head(), commit_);
}

TEST_F(HeadTest, HasNoCommitBeforeTheFirst) {
    git("checkout -q --orphan fresh");
    EXPECT_EQ(head(), "");
}

TEST_F(HeadTest, IsReadWhenDetached) {
    git("checkout -q --detach");
    EXPECT_EQ(head(), commit_);
}

TEST_F(HeadTest, FollowsAChainOfFiveButNoLoop) {
    git("symbolic-ref refs/heads/s1 refs/heads/main");
    git("symbolic-ref HEAD refs/heads/s1");
    EXPECT_EQ(head(), commit_);
    write(".git/refs/heads/s1", "ref: refs/heads/s1\n");
    EXPECT_EQ(head(), "");
}

TEST_F(HeadTest, IsEmptyWhereNothingCanBeRead) {
    set_head("ref: ../../secret\n");
    EXPECT_EQ(head(), "");
    set_head("ref: refs/heads/../../../secret\n");
    EXPECT_EQ(head(), "");
    set_head("nonsense");
    EXPECT_EQ(head(), "");
    set_head(std::string(100'000, 'a'));
    EXPECT_EQ(head(), "");
    remove(".git/HEAD");
    EXPECT_EQ(head(), "");
    ASSERT_EQ(mkfifo(path(".git/HEAD").c_str(), 0600), 0);
    EXPECT_EQ(head(), "");
    EXPECT_EQ(head_of(workspace() + "/missing").commit, "");
}

TEST_F(HeadTest, FollowsNoLinkBelowGit) {
    shell("mv .git/refs/heads ../heads");
    link(directory() + "/heads", ".git/refs/heads");
    EXPECT_EQ(head(), "");
}

TEST_F(HeadTest, DoesNotFollowALinkOrAFileInPlaceOfGit) {
    shell("mv .git ../elsewhere");
    link("../elsewhere", ".git");
    EXPECT_EQ(head(), "");
    remove(".git");
    write(".git", "gitdir: ../elsewhere\n");
    EXPECT_EQ(head(), "");
}

}  // namespace
}  // namespace chorus::repo
