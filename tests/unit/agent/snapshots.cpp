#include "agent/snapshots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "agent/going_back.hpp"
#include "support/scratch.hpp"
#include "sys/file.hpp"

namespace chorus::agent {
namespace {

using test::put;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

class CheckpointsTest : public testing::Test {
  protected:
    CheckpointsTest() {
        fs::create_directory(work());
        root_.emplace(work());
    }

    std::string work() const { return scratch_ / "work"; }
    std::string at(const std::string& path) const { return work() + "/" + path; }
    void shell(const std::string& command) const {
        ASSERT_EQ(std::system(("cd '" + work() + "' && " + command).c_str()), 0) << command;
    }
    Checkpoints::Kept keep(const std::string& previous = "", std::int64_t most = 1 << 20) {
        return store_.keep(*root_, sys::Fingerprint::of_files(*root_), previous, {most});
    }
    // How it differs, and then it is put back.
    GoingBack go_back(const std::string& tree, bool force = false,
                      const std::set<std::string>& changed = {}) {
        target_ = *store_.find(tree);
        present_ = *store_.find(keep(tree).tree);
        GoingBack back(target_, {present_, changed, store_, force});
        EXPECT_EQ(back.apply(store_, *root_, [] {}), Names{});
        return back;
    }
    // The times of young files do not tell yet: a tree has their contents, too.
    static void wait_until_old() { usleep(50'000); }
    std::string text_of(const std::string& path) const { return sys::read_file(at(path), 1 << 20); }

    test::Scratch scratch_;
    Checkpoints store_{scratch_ / "store"};
    std::optional<sys::Root> root_;
    Tree target_;
    Tree present_;
};

TEST_F(CheckpointsTest, HasTheSameNameForTheSameFiles) {
    put(at("a"), "one");
    put(at("d/b"), "two");
    put(at("d/same"), "two");
    put(at(".git/config"), "not looked at");
    wait_until_old();
    const auto first = keep();
    EXPECT_EQ(store_.find(first.tree)->size(), 4U);
    EXPECT_EQ(keep(first.tree).tree, first.tree);
    EXPECT_EQ(keep(first.tree).new_bytes, 0);
    put(at("a"), "other");
    EXPECT_NE(keep(first.tree).tree, first.tree);
}

TEST_F(CheckpointsTest, PutsBackEveryKindOfEntry) {
    shell(
        "mkdir -p sub/deep empty; echo 1 > f; echo 2 > sub/deep/g; ln -s f l; chmod 751 sub; "
        "chmod 640 f; printf x > \"$(printf 'a\\nb\\377')\"; mkdir ro; echo r > ro/r; chmod 555 "
        "ro");
    const std::string tree = keep().tree;
    shell(
        "rm -r sub/deep l f empty; mkdir f l; echo x > f/x; echo y > empty; chmod 700 ro sub; "
        "rm ro/r; mkfifo p; mkdir -p n/m; chmod 555 ro; rm a*");
    EXPECT_EQ(go_back(tree).kept(), Names{});
    EXPECT_EQ(keep(tree).tree.size(), tree.size());
    EXPECT_EQ(text_of("f"), "1\n");
    EXPECT_EQ(text_of("sub/deep/g"), "2\n");
    EXPECT_EQ(text_of("ro/r"), "r\n");
    EXPECT_EQ(text_of("a\nb\377"), "x");
    EXPECT_EQ(fs::read_symlink(at("l")), "f");
    EXPECT_TRUE(fs::is_directory(at("empty")));
    EXPECT_FALSE(sys::exists(at("n")));
    EXPECT_FALSE(sys::exists(at("p")));
    struct stat status {};
    EXPECT_EQ(stat(at("sub").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0751U);
    EXPECT_EQ(stat(at("ro").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0555U);
    EXPECT_EQ(stat(at("f").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    EXPECT_EQ(go_back(tree).changes(), Names{});
}

TEST_F(CheckpointsTest, FollowsNoLinkAndLeavesTheGitDirectoryAlone) {
    put(scratch_ / "outside/f", "precious");
    put(at("d/f"), "inner");
    put(at(".git/config"), "[core]");
    const std::string tree = keep().tree;
    shell("rm -r d; ln -s ../outside d; echo changed > .git/config");
    go_back(tree);
    EXPECT_EQ(sys::read_file(scratch_ / "outside/f", 100), "precious");
    EXPECT_FALSE(sys::is_link(at("d")));
    EXPECT_EQ(text_of("d/f"), "inner");
    EXPECT_EQ(text_of(".git/config"), "changed\n");
}

TEST_F(CheckpointsTest, KeepsWhatOthersChangedAndWhatWouldBeLost) {
    put(at("theirs"), "1");
    put(at("d"), "1");
    put(at("large"), "1");
    const std::string tree = keep().tree;
    shell(
        "echo 2 > theirs; rm d; mkdir d; echo 2 > d/mine; echo 3 > d/ours; "
        "truncate -s 5G large");
    EXPECT_EQ(go_back(tree, false, {"theirs", "d/mine"}).kept(),
              (Names{"d", "d/mine", "large", "theirs"}));
    EXPECT_EQ(text_of("d/mine"), "2\n");
    EXPECT_FALSE(sys::exists(at("d/ours")));
    EXPECT_EQ(go_back(tree, true, {"theirs", "d/mine"}).kept(), Names{});
    EXPECT_EQ(text_of("d"), "1");
    EXPECT_EQ(text_of("large"), "1");
}

TEST_F(CheckpointsTest, LeavesOutTheLargestFiles) {
    put(at("a"), std::string(5000, 'a'));
    put(at("b"), std::string(6000, 'b'));
    put(at("c"), "c");
    const auto kept = keep("", 10'000);
    EXPECT_EQ(kept.left_out, Names{"b"});
    EXPECT_TRUE(kept.is_news);
    EXPECT_FALSE(keep(kept.tree, 10'000).is_news);
    shell("rm a b c");
    EXPECT_EQ(go_back(kept.tree).missing(), Names{"b"});
    EXPECT_EQ(text_of("a"), std::string(5000, 'a'));
}

TEST_F(CheckpointsTest, SweepsWhatNoTreeNames) {
    put(at("a"), "one");
    const std::string first = keep().tree;
    put(at("a"), "two");
    const std::string second = keep(first).tree;
    put(scratch_ / "store/contents/ab/rest", "of a killed process");
    EXPECT_GT(store_.sweep({first, second}), 0);
    EXPECT_FALSE(sys::exists(scratch_ / "store/contents/ab/rest"));
    store_.sweep({first});
    EXPECT_FALSE(store_.find(second));
    go_back(first);
    EXPECT_EQ(text_of("a"), "one");
    EXPECT_EQ(store_.sweep({}), 0);
}

TEST_F(CheckpointsTest, KnowsWhatIsDamaged) {
    put(at("a"), "one");
    const std::string tree = keep().tree;
    const std::string hash = store_.find(tree)->front().more;
    EXPECT_TRUE(store_.open_content(hash));
    put(scratch_ / "store/contents/" + hash.substr(0, 2) + "/" + hash, "another");
    EXPECT_FALSE(store_.open_content(hash));
    EXPECT_FALSE(store_.open_content("../../work/a"));
    put(scratch_ / "store/trees/" + tree, "x");
    EXPECT_FALSE(store_.find(tree));
    EXPECT_FALSE(store_.find("../end"));
}

TEST_F(CheckpointsTest, RemembersTheEnd) {
    EXPECT_FALSE(store_.find_end());
    put(at("a"), "one");
    store_.note_end({7, sys::Fingerprint::of_files(*root_)});
    const auto end = store_.find_end();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->newest, 7);
    put(at("b"), "new");
    EXPECT_EQ(sys::Fingerprint::of_files(*root_).changes_since(end->files), Names{"b (new)"});
    put(scratch_ / "store/end", "x");
    EXPECT_FALSE(store_.find_end());
}

TEST_F(CheckpointsTest, WritesTheNumberAloneWhereNothingHasChanged) {
    put(at("a"), "one");
    put(at("d/b"), "two");
    wait_until_old();
    const auto state = [&] {
        std::set<std::string> lines;
        for (const auto& entry :
             fs::recursive_directory_iterator(std::string(scratch_ / "store"))) {
            struct stat status {};
            EXPECT_EQ(lstat(entry.path().c_str(), &status), 0);
            const bool has_time = entry.path().filename() != "end";
            lines.insert(entry.path().string() + " " + std::to_string(status.st_ino) +
                         (has_time ? " " + std::to_string(status.st_mtim.tv_nsec) : ""));
        }
        return lines;
    };
    const std::string tree = keep().tree;
    store_.note_end({7, sys::Fingerprint::of_files(*root_)});
    const auto before = state();
    const auto again = keep(tree);
    EXPECT_EQ(again.tree, tree);
    EXPECT_EQ(again.new_bytes, 0);
    store_.note_end({1234567890123456789, sys::Fingerprint::of_files(*root_)});
    EXPECT_EQ(state(), before);
    ASSERT_TRUE(store_.find_end());
    EXPECT_EQ(store_.find_end()->newest, 1234567890123456789);
    EXPECT_EQ(sys::Fingerprint::of_files(*root_).changes_since(store_.find_end()->files), Names{});
    put(at("a"), "other");
    store_.note_end({8, sys::Fingerprint::of_files(*root_)});
    EXPECT_EQ(store_.find_end()->newest, 8);
    EXPECT_EQ(sys::Fingerprint::of_files(*root_).changes_since(store_.find_end()->files), Names{});
}

TEST_F(CheckpointsTest, StopsWhereItIsTold) {
    put(at("a"), "one");
    EXPECT_THROW(
        store_.keep(*root_, sys::Fingerprint::of_files(*root_), "", {1 << 20, [] { return true; }}),
        base::Error);
}

}  // namespace
}  // namespace chorus::agent
