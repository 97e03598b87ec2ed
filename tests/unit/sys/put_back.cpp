#include "sys/put_back.hpp"

#include "sys/file.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using test::mode_of;
using test::put;
using test::text_of;
namespace fs = std::filesystem;

class PutBackTest : public testing::Test {
  protected:
    PutBackTest() {
        put(scratch_ / "outside/f", "precious");
        fs::create_directory(scratch_ / "work");
        root_.emplace(scratch_ / "work");
    }
    std::string at(const std::string& path) const { return scratch_ / ("work/" + path); }
    std::string put_text(const std::string& path, unsigned mode = 0640) {
        return put_file(*root_, path, mode, [](int fd) { write_all(fd, "text", "it"); });
    }

    test::Scratch scratch_;
    std::optional<Root> root_;
};

TEST_F(PutBackTest, MakesAndReplacesFilesLinksAndDirectories) {
    EXPECT_EQ(put_directory(*root_, "d"), "");
    EXPECT_EQ(put_text("d/f", 0755), "");
    EXPECT_EQ(text_of(at("d/f")), "text");
    EXPECT_EQ(mode_of(at("d/f")), 0755U);
    EXPECT_EQ(put_link(*root_, "d/f", "/nowhere"), "");
    EXPECT_EQ(fs::read_symlink(at("d/f")), "/nowhere");
    EXPECT_EQ(put_text("d/f"), "");
    EXPECT_FALSE(is_link(at("d/f")));
    EXPECT_EQ(put_mode(*root_, "d", 0711), "");
    EXPECT_EQ(mode_of(at("d")), 0711U);
    EXPECT_EQ(take_away(*root_, "d", true), "") << "it stays where it is not empty";
    EXPECT_TRUE(exists(at("d/f")));
    EXPECT_EQ(take_away(*root_, "d/f", false), "");
    put(at("d/.chorus-write-0.tmp"), "of a killed process");
    EXPECT_EQ(take_away(*root_, "d", true), "");
    EXPECT_FALSE(exists(at("d")));
    EXPECT_EQ(take_away(*root_, "d/f", false), "");
}

TEST_F(PutBackTest, FollowsNoLink) {
    fs::create_symlink("../outside", at("d"));
    fs::create_symlink("../outside/f", at("f"));
    EXPECT_NE(put_text("d/f"), "");
    EXPECT_NE(put_link(*root_, "d/l", "x"), "");
    EXPECT_NE(put_directory(*root_, "d/d"), "");
    EXPECT_NE(put_mode(*root_, "d", 0777), "");
    EXPECT_NE(take_away(*root_, "d/f", false), "");
    EXPECT_NE(put_text("../outside/f"), "");
    EXPECT_EQ(put_text("f"), "");
    EXPECT_EQ(text_of(scratch_ / "outside/f"), "precious");
    EXPECT_EQ(text_of(at("f")), "text");
}

TEST_F(PutBackTest, LeavesTheGitDirectoryAlone) {
    put(at(".git/config"), "x");
    for (const char* path : {".git/config", ".GIT/hooks", ".git"}) {
        EXPECT_NE(put_text(path), "") << path;
        EXPECT_NE(put_link(*root_, path, "x"), "") << path;
        EXPECT_NE(take_away(*root_, path, false), "") << path;
    }
    EXPECT_EQ(text_of(at(".git/config")), "x");
    EXPECT_EQ(put_directory(*root_, "sub"), "");
    EXPECT_EQ(put_text("sub/.git"), "");
}

TEST_F(PutBackTest, LeavesTheOldFileWhereTheNewOneCannotBeWritten) {
    put(at("f"), "old");
    EXPECT_THROW(put_file(*root_, "f", 0600, [](int) { throw base::system_error("it", ENOSPC); }),
                 base::Error);
    EXPECT_EQ(text_of(at("f")), "old");
    EXPECT_EQ(leftover_temporaries(at("")).size(), 0U);
}

}  // namespace
}  // namespace chorus::sys
