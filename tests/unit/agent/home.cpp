#include "agent/home.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/shell_quoted.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::says;
using test::Scratch;

sys::Environment environment(std::map<std::string, std::string> values) {
    return sys::Environment(std::move(values));
}

const sys::Environment nothing;

unsigned mode_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(FindHome, prefers_the_variable) {
    EXPECT_EQ(find_home(environment({{"CHORUS_HOME", "/a"}, {"HOME", "/b"}})).path(), "/a");
    EXPECT_EQ(find_home(environment({{"HOME", "/b"}})).path(), "/b/.chorus-agents");
    EXPECT_EQ(find_home(environment({{"CHORUS_HOME", ""}, {"HOME", "/b"}})).path(),
              "/b/.chorus-agents");
}

TEST(FindHome, refuses_what_is_not_absolute) {
    for (const auto& values :
         {std::map<std::string, std::string>{{"CHORUS_HOME", "a/b"}, {"HOME", "/b"}},
          std::map<std::string, std::string>{{"HOME", "b"}},
          std::map<std::string, std::string>{{"HOME", ""}}, std::map<std::string, std::string>{}})
        EXPECT_EQ(error_of([&] { (void)find_home(environment(values)); }).code(),
                  ErrorCode::config_invalid);
}

TEST(Groom, is_what_was_given_then_the_variable_then_auto) {
    const auto variable = [](const char* value) { return environment({{"CHORUS_GROOM", value}}); };
    EXPECT_EQ(groom_in_force("", nothing), Groom::automatic);
    EXPECT_EQ(groom_in_force("", variable("manual")), Groom::manual);
    EXPECT_EQ(groom_in_force("pristine", variable("manual")), Groom::pristine);
    EXPECT_EQ(error_of([&] { (void)groom_in_force("", variable("Auto")); }).code(),
              ErrorCode::config_invalid);
}

TEST(OpenHome, makes_it_for_its_owner_alone) {
    const Scratch scratch;
    const Home home(scratch / "deep/home");
    open_home(home, nothing, IfMissing::create);
    EXPECT_EQ(mode_of(home.path()), 0700U);
    EXPECT_EQ(mode_of(home.agents()), 0700U);
    EXPECT_EQ(mode_of(home.locks()), 0700U);
    EXPECT_NO_THROW(open_home(home, nothing, IfMissing::create));
    EXPECT_NO_THROW(open_home(home, nothing, IfMissing::refuse));
}

TEST(OpenHome, makes_nothing_where_it_is_told_to_refuse) {
    const Scratch scratch;
    const Home home(scratch / "home");
    const base::Error error = error_of([&] { open_home(home, nothing, IfMissing::refuse); });
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_TRUE(says(error, "chorus-init"));
    EXPECT_FALSE(is_there(home.path()));
}

TEST(OpenHome, refuses_one_that_others_can_write) {
    const Scratch scratch;
    const Home home(scratch / "home");
    open_home(home, nothing, IfMissing::create);
    for (const mode_t mode : {0770, 0702, 0777, 01777}) {
        ASSERT_EQ(chmod(home.path().c_str(), mode), 0);
        const base::Error error = error_of([&] { open_home(home, nothing, IfMissing::create); });
        EXPECT_EQ(error.code(), ErrorCode::forbidden) << std::oct << mode;
        EXPECT_TRUE(says(error, "chmod go-w"));
    }
    ASSERT_EQ(chmod(home.path().c_str(), 0755), 0);
    EXPECT_NO_THROW(open_home(home, nothing, IfMissing::create));
}

TEST(OpenHome, as_root_refuses_one_of_another_user) {
    ASSERT_EQ(geteuid(), 0U) << "the tests want root: they give files to another user";
    const Scratch scratch;
    const Home home(scratch / "home");
    open_home(home, nothing, IfMissing::create);
    ASSERT_EQ(chown(home.path().c_str(), 65534, 65534), 0);
    const base::Error error = error_of([&] { open_home(home, nothing, IfMissing::create); });
    EXPECT_EQ(error.code(), ErrorCode::forbidden);
    EXPECT_TRUE(says(error, "sudo -u nobody")) << error.hint();
    ASSERT_EQ(chown(home.path().c_str(), 54321, 54321), 0);  // one without a name
    EXPECT_TRUE(
        says(error_of([&] { open_home(home, nothing, IfMissing::create); }), "sudo -u '#54321'"));
}

// What `sudo -E` leaves behind.
TEST(OpenHome, as_root_knows_a_home_in_the_directory_of_another_user) {
    ASSERT_EQ(geteuid(), 0U);
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "user");
    const Home home(scratch / "user/it's");
    open_home(home, nothing, IfMissing::create);
    EXPECT_EQ(foreign_place(home), "");
    ASSERT_EQ(chown((scratch / "user").c_str(), 65534, 65534), 0);
    const std::string mends = "sudo chown -R nobody " + base::shell_quoted(home.path());
    EXPECT_NE(foreign_place(home).find(mends), std::string::npos) << foreign_place(home);
    ASSERT_EQ(chmod((scratch / "").c_str(), 0755), 0);
    // that user
    ASSERT_EQ(seteuid(65534), 0);
    const base::Error error = error_of([&] { open_home(home, nothing, IfMissing::create); });
    EXPECT_EQ(foreign_place(home), "");
    ASSERT_EQ(seteuid(0), 0);
    EXPECT_EQ(error.hint(), mends);
}

TEST(OpenHome, refuses_what_is_no_directory) {
    const Scratch scratch;
    put(scratch / "file", "x");
    EXPECT_EQ(
        error_of([&] { open_home(Home(scratch / "file"), nothing, IfMissing::create); }).code(),
        ErrorCode::config_invalid);
    std::filesystem::create_symlink(scratch / "nowhere", scratch / "dangling");
    (void)error_of([&] { open_home(Home(scratch / "dangling"), nothing, IfMissing::create); });
    EXPECT_FALSE(is_there(scratch / "nowhere"));
}

// L-09
TEST(TemplateDirectory, is_the_one_given_else_the_home_s_else_the_installed_one) {
    const Scratch scratch;
    const Home home(scratch / "home");
    put(scratch / "given/agent.json", "{}");
    put(home.template_directory() + "/agent.json", "{}");
    EXPECT_EQ(template_directory(home, scratch / "given"), scratch / "given");
    EXPECT_EQ(template_directory(home, ""), home.template_directory());
    const base::Error missing = error_of([&] { (void)template_directory(home, scratch / "none"); });
    EXPECT_EQ(missing.code(), ErrorCode::not_found);
    const base::Error error = error_of([&] { (void)template_directory(home, scratch / "."); });
    EXPECT_EQ(error.code(), ErrorCode::config_invalid);
    EXPECT_TRUE(says(error, "it has no agent.json"));
    // an own template without an agent.json is a mistake, not a reason to take another
    std::filesystem::remove(home.template_directory() + "/agent.json");
    EXPECT_EQ(error_of([&] { (void)template_directory(home, ""); }).code(),
              ErrorCode::config_invalid);
}

}  // namespace
}  // namespace chorus::agent
