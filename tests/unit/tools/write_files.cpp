#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/lock.hpp"
#include "tools/files.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class WriteFiles : public Workspace {
  protected:
    static std::string write(const std::string& path, const std::string& content) {
        return R"({"path":")" + path + R"(","content":")" + content + R"("})";
    }
};

TEST_F(WriteFiles, CreateMakesParentsAndTellsSizes) {
    EXPECT_EQ(ok("create_file", write("src/deep/a.txt", "one\\ntwo")),
              "created src/deep/a.txt (2 lines, 7 bytes)\n");
    EXPECT_EQ(get("src/deep/a.txt"), "one\ntwo");
    EXPECT_EQ(ok("create_file", write("src/deep/a.txt", "x\\n")),
              "replaced src/deep/a.txt (1 line, 2 bytes; was 7 bytes)\n");
    EXPECT_EQ(get("src/deep/a.txt"), "x\n");
    EXPECT_EQ(ok("create_file", write("empty", "")), "created empty (0 lines, 0 bytes)\n");
}

TEST_F(WriteFiles, CreateKeepsTheModeAndLeavesNoTemporary) {
    put("run.sh", "x");
    ASSERT_EQ(chmod(at("run.sh").c_str(), 0750), 0);
    ok("create_file", write("run.sh", "y"));
    struct stat status {};
    ASSERT_EQ(stat(at("run.sh").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0750U);
    EXPECT_EQ(ok("view", R"({"path":"."})"), "run.sh (1 byte)\n");
}

TEST_F(WriteFiles, AppendAddsExactlyThat) {
    EXPECT_EQ(ok("append_file", write("log", "a\\n")), "created log (1 line, 2 bytes)\n");
    EXPECT_EQ(ok("append_file", write("log", "b")),
              "appended 1 byte to log (now 2 lines, 3 bytes)\n");
    const std::string text = ok("append_file", write("log", "c"));
    EXPECT_TRUE(has(text, "did not end in a newline"));
    EXPECT_EQ(get("log"), "a\nbc");
    fails("append_file", write(".", "x"));
}

TEST_F(WriteFiles, FilesTooLargeToEditAreLeftAlone) {
    put("large", "");
    std::filesystem::resize_file(at("large"), base::limits::edited_file_bytes);
    ok("append_file", write("large", "x"));
    EXPECT_TRUE(has(fails("append_file", write("large", "x")), "use bash"));
}

TEST_F(WriteFiles, HostilePathsAreRefused) {
    put("real.txt", "real");
    put("dir/x", "");
    put(".git/config", "safe");
    std::filesystem::create_symlink(home + "/outside.txt", at("out"));
    std::filesystem::create_symlink("real.txt", at("inside"));
    std::filesystem::create_directory_symlink(home, at("up"));
    std::filesystem::create_directory_symlink("dir", at("also"));
    std::filesystem::create_hard_link(home + "/outside.txt", at("hard"));
    ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
    for (const std::string path : {"../outside.txt",
                                   "/etc/chorus-test",
                                   "out",
                                   "inside",
                                   "up/new",
                                   "up/outside.txt",
                                   "also/x",
                                   "also/new",
                                   "hard",
                                   "fifo",
                                   "dir",
                                   "dir/",
                                   "",
                                   ".",
                                   ".git/config",
                                   ".git/hooks/pre-commit",
                                   ".GIT/config",
                                   "dir/.Git/x",
                                   "real.txt/below",
                                   "a\\u0000b"}) {
        fails("create_file", write(path, "evil"));
        fails("append_file", write(path, "evil"));
        fails("str_replace", R"({"path":")" + path + R"(","old_str":"o","new_str":"evil"})");
    }
    EXPECT_EQ(get("../outside.txt"), "outside\n");
    EXPECT_EQ(get("real.txt"), "real");
    EXPECT_EQ(get(".git/config"), "safe");
    EXPECT_FALSE(std::filesystem::exists(at(".git/hooks")));
    EXPECT_FALSE(std::filesystem::exists(home + "/new"));
    EXPECT_FALSE(std::filesystem::exists(at("dir/new")));
}

TEST_F(WriteFiles, AFileThatIsBeingWrittenIsWaitedForAndGivenUpOnWhenStopped) {
    std::optional<sys::Lock> held = lock_file(workplace, "./a//b");
    ASSERT_TRUE(held);
    workplace.stop = [] { return true; };
    EXPECT_TRUE(has(fails("create_file", write("a/b", "x")), "another call is writing it"));
    EXPECT_FALSE(std::filesystem::exists(at("a")));
    ok("create_file", write("other", "x"));
    held.reset();
    ok("create_file", write("a/b", "x"));
}

}  // namespace
}  // namespace chorus::tools
