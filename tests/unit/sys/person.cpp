#include "sys/person.hpp"

#include <pwd.h>
#include <sys/prctl.h>

#include <algorithm>
#include <optional>

#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

constexpr uid_t behind = 12'345;
constexpr uid_t nobody = 65'534;

Environment with_sudo_uid(const std::string& value) {
    return Environment(std::map<std::string, std::string>{{"SUDO_UID", value}});
}

// What the kernel knows wins over all the rest, so what is expected depends on it.
uid_t unless_known(uid_t otherwise) {
    const std::string text = test::text_of("/proc/self/loginuid");
    return text.empty() || text == "4294967295" ? otherwise : static_cast<uid_t>(std::stoul(text));
}

// In a child of a process of that name and user.
uid_t uid_below(const char* name, uid_t user, const Environment& environment) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    test::in_child([&] {
        prctl(PR_SET_NAME, name);
        if (setresuid(user, user, user) != 0) return 1;
        return test::in_child([&] {
            const uid_t found = invoking_uid(environment);
            return write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1;
        });
    });
    uid_t found = 0;
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &found, sizeof found), static_cast<ssize_t>(sizeof found));
    close(ends[0]);
    return found;
}

TEST(Person, AsRootWithoutSudoItIsTheRealUser) {
    EXPECT_EQ(invoking_uid(Environment()), unless_known(getuid()));
    EXPECT_EQ(uid_below("bash", nobody, Environment()), unless_known(nobody));
}

// order.md, section Rights
TEST(Person, AsRootBehindSudoItIsWhoCalledSudo) {
    const uid_t found = uid_below("sudo", 0, with_sudo_uid(std::to_string(behind)));
    EXPECT_EQ(found, unless_known(behind));
}

TEST(Person, AsRootNobodyIsWhoTheEnvironmentAloneSays) {
    const Environment environment = with_sudo_uid(std::to_string(behind));
    EXPECT_EQ(invoking_uid(environment), unless_known(getuid()));
    EXPECT_EQ(uid_below("sudoku", 0, environment), unless_known(0));
    // a program of one's own may have any name
    EXPECT_EQ(uid_below("sudo", nobody, environment), unless_known(nobody));
}

TEST(Person, AsRootWhatSudoWouldNotWriteIsNotRead) {
    for (const char* value : {"", "x", "12x", " 12", "-1", "4294967295", "99999999999"})
        EXPECT_EQ(uid_below("sudo", 0, with_sudo_uid(value)), unless_known(0)) << value;
}

TEST(Person, HasTheNameAndGroupsOfTheSystem) {
    const Person root = find_person(0);
    EXPECT_EQ(root.uid, 0U);
    EXPECT_EQ(root.name, "root");
    EXPECT_TRUE(std::find(root.groups.begin(), root.groups.end(), "root") != root.groups.end());
    EXPECT_TRUE(std::is_sorted(root.groups.begin(), root.groups.end()));
    EXPECT_EQ(invoking_person(Environment()).uid, unless_known(getuid()));
}

TEST(Person, WithoutAnEntryIsANumberInNoGroup) {
    ASSERT_EQ(getpwuid(behind), nullptr);
    const Person person = find_person(behind);
    EXPECT_EQ(person.name, "12345");
    EXPECT_TRUE(person.groups.empty());
}

}  // namespace
}  // namespace chorus::sys
