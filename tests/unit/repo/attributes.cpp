#include <sys/stat.h>

#include "workspace.hpp"

namespace chorus::repo {
namespace {

// Line ends and other conversions that .gitattributes and core.autocrlf ask for, as git does them.
class AttributesTest : public WorkspaceTest {
  protected:
    void SetUp() override { initialise(); }
    std::string blob(const std::string& name) const { return git("cat-file blob HEAD:" + name); }
    std::string refusal(const std::vector<std::string>& files = {}) const {
        return message_of([&] { commit("m", files); });
    }
    // A file in git-lfs' care, as git-lfs leaves it: a pointer in the commit, contents on disk.
    void make_lfs_file() const {
        write("big.bin", "the large contents\n");
        const std::string id = shell("sha256sum big.bin | cut -c1-64").substr(0, 64);
        write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
        write("../pointer",
              "version https://git-lfs.github.com/spec/v1\noid sha256:" + id + "\nsize 19\n");
        shell(
            "git config user.name p && git config user.email p@x && git add .gitattributes && "
            "git update-index --add --cacheinfo 100644,$(git hash-object -w ../pointer),big.bin && "
            "git commit -qm lfs");
    }
};

TEST_F(AttributesTest, TextIsStoredWithPlainLineEnds) {
    write(".gitattributes", "*.txt text eol=crlf\n*.sh text eol=lf\n*.dat -text\n");
    write("a.txt", "one\r\ntwo\r\n");
    write("b.sh", "one\r\ntwo\n");
    write("c.dat", "one\r\ntwo\r\n");
    commit("m");
    EXPECT_EQ(blob("a.txt"), "one\ntwo\n");
    EXPECT_EQ(blob("b.sh"), "one\ntwo\n");
    EXPECT_EQ(blob("c.dat"), "one\r\ntwo\r\n");
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_EQ(open().status(), "branch main\n");
    write("a.txt", "one\r\nchanged\r\n");
    EXPECT_EQ(open().diff("", ""), git("diff HEAD"));
    commit("changed");
    EXPECT_EQ(git("show --format= --numstat"), "1\t1\ta.txt\n");
    EXPECT_CLEAN_FSCK();
}

// git has them in the work tree alone; a link has no line ends, and a lone carriage return is none.
TEST_F(AttributesTest, RulesThatAreGoneAndLinksDoNotCount) {
    write(".gitattributes", "*.txt text eol=crlf\n");
    write("a.txt", "one\r\n");
    link("nowhere", "l.txt");
    write("lone.txt", "one\rtwo\n");
    commit("m");
    write(".gitattributes", "other text\n");
    remove("l.txt");
    write("l.txt", "one\r\n");
    git("config core.autocrlf input");
    write("lone.txt", "one\r\n");
    commit("some", {"l.txt", "lone.txt"});
    EXPECT_EQ(blob("lone.txt"), "one\n");
    EXPECT_EQ(blob("l.txt"), "one\n");
    EXPECT_EQ(git("status --porcelain .gitattributes"), " M .gitattributes\n");
    git("config core.autocrlf false");
    shell("touch -d @1 *.txt");
    commit("all");
    EXPECT_EQ(blob("a.txt"), "one\r\n");
    EXPECT_EQ(blob("l.txt"), "one\r\n");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(AttributesTest, TheRepositorysAutocrlfCounts) {
    git("config core.autocrlf true");
    write("a", "one\r\ntwo\r\n");
    write("binary", std::string("one\r\n\0two\r\n", 11));
    commit("m");
    EXPECT_EQ(blob("a"), "one\ntwo\n");
    EXPECT_EQ(git("cat-file -s HEAD:binary"), "11\n");
    EXPECT_EQ(open().status(), "branch main\n");
    git("config core.autocrlf input");
    write("b", "one\r\n");
    commit("b");
    EXPECT_EQ(blob("b"), "one\n");
}

TEST_F(AttributesTest, CheckoutWritesLineEndsAsAskedFor) {
    write("z.txt", "main\n");
    commit("main");
    git("checkout -q -b side");
    write(".gitattributes", "*.txt text eol=crlf\n");
    write("!first.txt", "1\n");
    write("z.txt", "side\n");
    commit("side");
    open().checkout("main", false);
    EXPECT_EQ(read("z.txt"), "main\n");
    open().checkout("side", false);
    EXPECT_EQ(read("z.txt"), "side\r\n");
    EXPECT_EQ(read("!first.txt"), "1\r\n");
    EXPECT_EQ(git("status --porcelain"), "");
    EXPECT_EQ(open().status(), "branch side\n");
    open().checkout("main", false);
    EXPECT_EQ(read("z.txt"), "main\n");
    EXPECT_FALSE(exists(".gitattributes"));
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(AttributesTest, ARefusedCheckoutChangesNoAttributes) {
    write("z.txt", "main\n");
    commit("main");
    git("checkout -q -b side");
    write(".gitattributes", "*.txt text eol=crlf\n");
    write("z.txt", "side\n");
    commit("side");
    open().checkout("main", false);
    write("z.txt", "mine\n");
    EXPECT_EQ(message_of([&] { open().checkout("side", false); }),
              "checkout: would overwrite 'z.txt'");
    EXPECT_FALSE(exists(".gitattributes"));
    EXPECT_EQ(open().status(), "branch main\n M z.txt\n");
}

TEST_F(AttributesTest, CheckoutOfAnOlderCommitWritesLineEndsAsAskedFor) {
    write(".gitattributes", "*.txt text eol=crlf\n");
    write("a.txt", "one\r\n");
    const std::string first = commit("first");
    write(".gitattributes", "");
    write("a.txt", "two\n");
    commit("second");
    open().checkout(first, false);
    EXPECT_EQ(read("a.txt"), "one\r\n");
    EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(AttributesTest, AFilteredFileIsNotCommittedRaw) {
    write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    write("sub/big.bin", "large\n");
    write("a", "1\n");
    EXPECT_EQ(refusal(), "commit: 'sub/big.bin' has the attribute filter=lfs");
    EXPECT_EQ(refusal({"sub"}), "commit: 'sub/big.bin' has the attribute filter=lfs");
    commit("m", {"a", ".gitattributes"});
    EXPECT_EQ(git("ls-files"), ".gitattributes\na\n");
    write(".gitattributes",
          "*.c working-tree-encoding=UTF-16LE-BOM\n*.h working-tree-encoding=utf-8\n");
    write("x.c", std::string("\xff\xfex\0\n\0", 6));
    write("x.h", "x\n");
    EXPECT_EQ(refusal(), "commit: 'x.c' has the attribute working-tree-encoding=UTF-16LE-BOM");
    commit("m", {"x.h", ".gitattributes"});
}

// libgit2 takes the quote for a part of the pattern.
TEST_F(AttributesTest, WhatIsOnlyReadByGitIsRefused) {
    write("a b.t", "one\r\n");
    write("sub/.gitattributes", " \"a b.t\" text\n");
    const std::string quoted = ": 'sub/.gitattributes' has a pattern in quotes";
    EXPECT_EQ(refusal(), "commit" + quoted);
    EXPECT_EQ(refusal({"a b.t"}), "commit" + quoted);
    git("add sub && git commit -qm attributes && git branch side && git reset -q --hard HEAD~1");
    EXPECT_EQ(message_of([&] { open().checkout("side", false); }), "checkout" + quoted);
    EXPECT_FALSE(exists("sub"));
    write(".git/info/attributes", "\"a b.t\" text\n");
    EXPECT_EQ(refusal(), "commit: '.git/info/attributes' has a pattern in quotes");
    write(".git/info/attributes", "a?b.t text\n");
    commit("m");
    EXPECT_EQ(git("cat-file blob 'HEAD:a b.t'"), "one\n");
}

TEST_F(AttributesTest, AttributesOfTheConfigurationCountOrAreRefused) {
    write("../outside", "* text\n");
    write("a", "one\r\n");
    for (const std::string& file : {directory() + "/outside", std::string("~/outside")}) {
        git("config core.attributesFile '" + file + "'");
        EXPECT_EQ(refusal(), "commit: core.attributesFile '" + file + "' is not read");
        EXPECT_EQ(message_of([&] { open().checkout("main", false); }),
                  "checkout: core.attributesFile '" + file + "' is not read");
    }
    write("inside", "* text\n");
    git("config core.attributesFile '" + path("inside") + "'");
    commit("m");
    EXPECT_EQ(blob("a"), "one\n");
}

TEST_F(AttributesTest, TheHintNamesBashWhereItsGitHasTheDriver) {
    const auto hint = [&] {
        try {
            commit("m");
        } catch (const base::Error& error) {
            return error.hint();
        }
        return std::string("nothing was thrown");
    };
    write(".gitattributes", "*.bin filter=own\n");
    write("a.bin", "x\n");
    EXPECT_EQ(hint().find("bash"), std::string::npos) << hint();
    git("config filter.own.clean cat");
    EXPECT_NE(hint().find("bash"), std::string::npos) << hint();
}

TEST_F(AttributesTest, WhatGitStagedIsCommittedAsItIs) {
    write(".gitattributes", "*.bin filter=rot\n");
    git("config filter.rot.clean 'tr a-z b-za'");
    git("config filter.rot.smudge 'tr b-za a-z'");
    write("a.bin", "abc\n");
    git("add a.bin");
    commit("m");
    EXPECT_EQ(blob("a.bin"), "bcd\n");
}

TEST_F(AttributesTest, AFilteredFileIsNotCheckedOutRaw) {
    make_lfs_file();
    git("branch lfs");
    git("reset -q --hard HEAD~1");
    EXPECT_EQ(message_of([&] { open().checkout("lfs", false); }),
              "checkout: 'big.bin' has the attribute filter=lfs");
    EXPECT_FALSE(exists("big.bin"));
    EXPECT_FALSE(exists(".gitattributes"));
    EXPECT_EQ(git("branch --format='%(refname:short)'"), "lfs\nmain\n");
}

TEST_F(AttributesTest, AnUnchangedLfsFileIsNotShownAsChanged) {
    make_lfs_file();
    EXPECT_EQ(open().status(), "branch main\n");
    EXPECT_EQ(open().diff("", ""), "");
    write("other", "1\n");
    EXPECT_EQ(commit("other").size(), 40U);
    write("big.bin", "the large CONTENTS\n");
    EXPECT_EQ(open().status(), "branch main\n M big.bin\n");
    EXPECT_EQ(refusal(), "commit: 'big.bin' has the attribute filter=lfs");
}

}  // namespace
}  // namespace chorus::repo
