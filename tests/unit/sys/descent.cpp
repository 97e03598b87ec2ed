#include "sys/descent.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "support/scratch.hpp"
#include "sys/directory.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;

TEST(Descent, OpensEachDirectoryOfAWalk) {
    const test::Scratch scratch;
    const std::string top = scratch / "top";
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += "d/";
    fs::create_directories(top + "/" + deep);
    for (const char* name : {"a/x/y", "a/xx", "b", "d/d/e/f"})
        fs::create_directories(top + "/" + name);
    fs::create_directory_symlink("a", top + "/link");
    const Fd root = open_real(top, O_PATH | O_DIRECTORY);
    Descent descent(root.get());
    for (const std::string& path :
         {std::string(), std::string("a/"), std::string("a/x/"), std::string("a/x/y/"),
          std::string("a/xx/"), std::string("b/"), deep, std::string("d/d/e/"),
          std::string("d/d/e/f/"), deep, std::string("a/x/"), std::string()}) {
        const Fd& fd = descent.open(path);
        ASSERT_TRUE(fd) << path;
        EXPECT_EQ(opened_status(fd)->st_ino, followed_status(top + "/" + path)->st_ino) << path;
    }
    for (const auto& [path, error] : {std::pair("link/", ELOOP), std::pair("link/x/", ELOOP),
                                      std::pair("a/none/", ENOENT), std::pair("a/../b/", EXDEV)}) {
        (void)descent.open("a/");
        const bool is_opened = static_cast<bool>(descent.open(path));
        EXPECT_FALSE(is_opened) << path;
        EXPECT_EQ(errno, error) << path;
    }
    EXPECT_FALSE(descent.open(std::string(4096, 'a') + "/"));
    EXPECT_EQ(errno, ENAMETOOLONG);
}

}  // namespace
}  // namespace chorus::sys
