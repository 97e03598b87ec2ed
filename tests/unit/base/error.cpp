#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>

namespace chorus::base {
namespace {

constexpr int codes = static_cast<int>(ErrorCode::canceled) + 1;

TEST(Error, carries_code_message_and_hint) {
    const Error error(ErrorCode::not_found, "agent 'a': there is none", "chorus-init a");
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_EQ(error.message(), "agent 'a': there is none");
    EXPECT_EQ(error.hint(), "chorus-init a");
    EXPECT_STREQ(error.what(), "agent 'a': there is none");
    EXPECT_EQ(Error(ErrorCode::failed, "x").hint(), "");
}

TEST(Error, is_valid_utf8_whatever_it_names) {
    const Error error(ErrorCode::failed, "/srv/\xff\xc3: no", "mv '\xe2\x82'");
    EXPECT_EQ(error.message(), "/srv/\xef\xbf\xbd\xef\xbf\xbd: no");
    EXPECT_EQ(error.hint(), "mv '\xef\xbf\xbd'");
}

TEST(Error, knows_a_full_disk_by_its_number) {
    for (const int number : {ENOSPC, EDQUOT}) {
        EXPECT_EQ(cause_of(number), Cause::full_disk);
        EXPECT_EQ(system_error("/srv/file", number).cause(), Cause::full_disk);
    }
    EXPECT_EQ(system_error("/srv/No space left on device", ENOENT).cause(), Cause::unknown);
    EXPECT_EQ(Error(ErrorCode::failed, "database: disk is full").cause(), Cause::unknown);
}

TEST(Error, is_caught_as_a_standard_exception) {
    EXPECT_THROW(throw Error(ErrorCode::failed, "x"), std::exception);
}

TEST(ErrorCode, have_names_of_their_own_in_capitals) {
    std::set<std::string> names;
    for (int code = 0; code < codes; ++code) {
        const std::string text(name(static_cast<ErrorCode>(code)));
        EXPECT_TRUE(names.insert(text).second) << text;
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string::npos) << text;
    }
}

// The table of chorus(7), section EXIT STATUS. S-71
TEST(ErrorCode, have_the_exit_status_of_the_table) {
    const std::map<std::string, int> table{{"FAILED", 1},
                                           {"INTERNAL", 1},
                                           {"BAD_REQUEST", 2},
                                           {"CONFIG_INVALID", 3},
                                           {"NOT_FOUND", 4},
                                           {"EXITED", 4},
                                           {"NO_PROMPT", 4},
                                           {"NOT_READY", 4},
                                           {"EXISTS", 5},
                                           {"UNAUTHORIZED", 6},
                                           {"OUT_OF_CREDITS", 6},
                                           {"FORBIDDEN", 6},
                                           {"NO_INTERNET", 7},
                                           {"SERVER_ERROR", 7},
                                           {"NO_DRIVER", 7},
                                           {"PROVIDER_ERROR", 7},
                                           {"SCHEMA_MISMATCH", 8},
                                           {"LIMIT", 9},
                                           {"INPUT_REQUIRED", 10},
                                           {"DENIED", 11},
                                           {"AGENT_BUSY", 75},
                                           {"PARKED", 75},
                                           {"RATE_LIMITED", 75},
                                           {"SWITCH_IN_PROGRESS", 75},
                                           {"TIMEOUT", 124},
                                           {"CANCELED", 130}};
    ASSERT_EQ(table.size(), static_cast<std::size_t>(codes));
    for (int code = 0; code < codes; ++code) {
        const auto value = static_cast<ErrorCode>(code);
        const auto row = table.find(std::string(name(value)));
        ASSERT_NE(row, table.end()) << name(value);
        EXPECT_EQ(static_cast<int>(exit_status(value)), row->second) << row->first;
    }
}

TEST(SystemError, says_what_the_system_said) {
    EXPECT_EQ(system_error("a/b", ENOENT).message(), "a/b: No such file or directory");
    errno = EACCES;
    const Error error = system_error("x");
    EXPECT_EQ(error.message(), "x: Permission denied");
    EXPECT_EQ(error.code(), ErrorCode::failed);
}

}  // namespace
}  // namespace chorus::base
