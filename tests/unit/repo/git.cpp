#include "repo/git.hpp"

#include "workspace.hpp"

namespace chorus::repo {
namespace {

TEST(Git, NamesThePackageThatIsMissing) {
    try {
        open_library("libgit2.so.0.9");
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ErrorCode::failed);
        EXPECT_NE(error.message().find("libgit2.so.0.9"), std::string::npos);
        EXPECT_EQ(error.hint(), "install the package libgit2-0.9");
    }
}

TEST(Git, SaysWhichFunctionALibraryLacks) {
    const std::string message = message_of([] { open_library("libm.so.6"); });
    EXPECT_TRUE(message.starts_with("git: libm.so.6 has no git_")) << message;
}

TEST(Git, SyncsAndReadsNoConfigurationOutside) {
    int owner_check = 0;
    git().libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &owner_check);
    EXPECT_EQ(owner_check, 1);
    for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
                            GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL}) {
        git_buf places{};
        ASSERT_EQ(git().libgit2_opts(GIT_OPT_GET_SEARCH_PATH, level, &places), 0);
        EXPECT_EQ(places.size, 0U) << level;
    }
}

}  // namespace
}  // namespace chorus::repo
