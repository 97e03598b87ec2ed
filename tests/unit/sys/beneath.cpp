#include "sys/beneath.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "base/error.hpp"
#include "sys/clock.hpp"
#include "sys/open_beneath.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;
using test::put;
using test::Scratch;
using test::text_of;

// A root with a file, and beside it what must stay out of reach.
struct Beneath : testing::Test {
    Scratch scratch;
    std::string inside = scratch / "ws";
    std::string outside = scratch / "ws-other";

    Beneath() {
        put(inside + "/src/a.txt", "text");
        put(outside + "/secret", "secret");
    }
    Root root() const { return Root(inside); }
    std::string read(const std::string& path) const {
        std::string content;
        std::string error;
        return root().read_file(path, 1'000'000, content, error) ? "read: " + content : error;
    }
    std::string write(const std::string& path, const std::string& content = "new") const {
        return root().write_file(path, content);
    }
    std::vector<std::string> walk(const std::string& path, std::size_t most = 1000) const {
        std::vector<std::string> paths;
        std::string error;
        for (const Entry& entry : root().walk(path, most, error)) paths.push_back(entry.path);
        if (!error.empty()) paths.push_back("error: " + error);
        return paths;
    }
    // Nothing was made outside, and nothing there changed.
    ~Beneath() override {
        EXPECT_EQ(text_of(outside + "/secret"), "secret");
        EXPECT_EQ(test::count_of(outside), 1);
        EXPECT_EQ(test::count_of(scratch.path()), 2);
    }
};

TEST_F(Beneath, IsFoundAgainWhereNoLinkLeadsThere) {
    EXPECT_EQ(Root::find(inside)->path(), inside);
    EXPECT_TRUE(Root::find(inside + "/src"));
    EXPECT_FALSE(Root::find(inside + "/gone"));
    EXPECT_FALSE(Root::find(inside + "/src/a.txt"));
    fs::rename(inside + "/src", inside + "/moved");
    fs::create_directory_symlink("moved", inside + "/src");
    EXPECT_FALSE(Root::find(inside + "/src"));
    fs::create_directory(inside + "/moved/below");
    EXPECT_FALSE(Root::find(inside + "/src/below"));
}

TEST_F(Beneath, IsNotGoneWhereDescriptorsAreLacking) {
    const Root known = root();
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    EXPECT_THROW(Root::find(inside), base::Error);
    EXPECT_THROW(known.remove_temporaries("src/a.txt"), base::Error);
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_FALSE(Root::find(inside + "/gone"));
    known.remove_temporaries("gone/a.txt");
}

using Reading = Beneath;
using Writing = Beneath;
using Canonical = Beneath;
using Walking = Beneath;
using Paths = std::vector<std::string>;

TEST_F(Canonical, IsRelativeAndLexical) {
    const Root ws = root();
    EXPECT_EQ(ws.canonical(""), ".");
    EXPECT_EQ(ws.canonical("."), ".");
    EXPECT_EQ(ws.canonical("src//./a.txt"), "src/a.txt");
    EXPECT_EQ(ws.canonical("src/../b/"), "b");
    EXPECT_EQ(ws.canonical("missing/../b"), "b");
    EXPECT_EQ(ws.canonical(inside), ".");
    EXPECT_EQ(ws.canonical(inside + "/src//a.txt"), "src/a.txt");
    EXPECT_EQ(ws.canonical("/../" + inside.substr(1) + "/b"), "b");
    EXPECT_EQ(ws.canonical("..."), "...");
}

TEST_F(Canonical, IsEmptyOutside) {  // L-16
    const Root ws = root();
    for (const std::string& path :
         {std::string(".."), std::string("src/../../ws/a"), std::string("/"),
          std::string("/etc/passwd"), inside + "-other/secret", inside + "/../x",
          inside + "/src/../../ws-other"})
        EXPECT_EQ(ws.canonical(path), "") << path;
}

TEST_F(Canonical, KnowsBothNamesOfALinkedRoot) {
    fs::create_directory_symlink("ws", scratch / "link");
    const Root ws(scratch / "link/");
    EXPECT_EQ(ws.path(), scratch / "link");
    EXPECT_EQ(ws.canonical(scratch / "link/src"), "src");
    EXPECT_EQ(ws.canonical(inside + "/src"), "src");
    fs::remove(scratch / "link");
}

TEST(RootDirectory, MustBeAbsoluteAndThere) {
    EXPECT_THROW(Root("relative"), base::Error);
    EXPECT_THROW(Root("/missing/directory"), base::Error);
    EXPECT_THROW(Root("/dev/null"), base::Error);
    EXPECT_EQ(Root("/").canonical("/etc/passwd"), "etc/passwd");
}

TEST_F(Reading, OpensFilesAndDirectories) {
    const Opened file = root().open_to_read("src/a.txt");
    EXPECT_EQ(file.outcome, OpenOutcome::opened);
    EXPECT_EQ(file.kind, Kind::file);
    EXPECT_EQ(file.size_bytes, 4U);
    EXPECT_EQ(file.message, "");
    for (const std::string& path : {std::string(), std::string("."), std::string("src"), inside})
        EXPECT_EQ(root().open_to_read(path).kind, Kind::directory) << path;
    EXPECT_EQ(read(inside + "/src/a.txt"), "read: text");
    EXPECT_EQ(fcntl(file.fd.get(), F_GETFD), FD_CLOEXEC);
}

TEST_F(Reading, SaysWhatIsWrong) {
    EXPECT_EQ(read("src/b.txt"), "src/b.txt: no such file");
    EXPECT_EQ(read("src/a.txt/b"), "src/a.txt/b: no such file");
    EXPECT_EQ(read("src"), "src: is a directory");
    EXPECT_EQ(read(""), ".: is a directory");
    EXPECT_EQ(read(std::string("src/a.txt\0x", 11)), "src/a.txt\\x00x: a path cannot hold a NUL");
    EXPECT_EQ(root().open_to_read("src/b.txt").outcome, OpenOutcome::missing);
    std::string content;
    std::string error;
    EXPECT_FALSE(root().read_file("src/a.txt", 3, content, error));
    EXPECT_EQ(error, "src/a.txt: larger than 3 bytes");
    EXPECT_TRUE(root().read_file("src/a.txt", 4, content, error));
    EXPECT_EQ(error, "");
}

TEST_F(Reading, CannotLeaveTheRoot) {  // L-16
    for (const std::string& path :
         {std::string("../ws-other/secret"), std::string("src/../../ws-other/secret"),
          outside + "/secret", inside + "/../ws-other/secret", std::string("/etc/passwd")}) {
        EXPECT_EQ(read(path), path + ": leads out of the workspace");
        EXPECT_EQ(root().open_to_read(path).outcome, OpenOutcome::outside);
    }
    EXPECT_EQ(Root(inside, "docs/").open_to_read("..").message, "..: leads out of docs/");
}

TEST_F(Reading, FollowsLinksThatStayInside) {
    fs::create_symlink("src/a.txt", inside + "/link");
    fs::create_directory_symlink("../src", inside + "/src/self");
    EXPECT_EQ(read("link"), "read: text");
    EXPECT_EQ(read("src/self/self/a.txt"), "read: text");
    EXPECT_EQ(root().location(root().open_to_read("src/self/a.txt")), "src/a.txt");
    EXPECT_EQ(root().location(root().open_to_read("")), ".");
}

TEST_F(Reading, RefusesLinksThatLeadOut) {
    fs::create_symlink("../ws-other/secret", inside + "/relative");
    fs::create_symlink(outside + "/secret", inside + "/absolute");
    fs::create_directory_symlink("..", inside + "/up");
    fs::create_symlink("loop", inside + "/loop");
    EXPECT_EQ(read("relative"), "relative: leads out of the workspace");
    EXPECT_EQ(read("absolute"), "absolute: leads out of the workspace");
    EXPECT_EQ(read("up/ws-other/secret"), "up/ws-other/secret: leads out of the workspace");
    EXPECT_EQ(read("loop"), "loop: a symbolic link in it is not followed");
}

TEST_F(Reading, RefusesMagicLinks) {
    const Root proc("/proc");
    const Opened opened = proc.open_to_read("self/cwd");
    EXPECT_EQ(opened.outcome, OpenOutcome::refused);
    EXPECT_FALSE(opened.fd);
}

TEST_F(Reading, NeitherHangsOnAFifoNorOpensDevices) {
    ASSERT_EQ(mkfifo((inside + "/fifo").c_str(), 0600), 0);
    ASSERT_EQ(mknod((inside + "/socket").c_str(), S_IFSOCK | 0600, 0), 0);
    EXPECT_EQ(test::in_child([&] { return read("fifo") == "fifo: not a regular file" ? 0 : 1; }),
              0);
    EXPECT_EQ(read("socket"), "socket: not a regular file");
    const Opened device = Root("/dev").open_to_read("zero");
    EXPECT_EQ(device.outcome, OpenOutcome::wrong_kind);
    EXPECT_EQ(device.message, "zero: not a regular file");
    EXPECT_FALSE(device.fd);
}

TEST_F(Reading, ShowsHostileNamesVisiblyAndShort) {
    EXPECT_EQ(read("a\nb\x1b[2J"), "a\\nb\\x1b[2J: no such file");
    const std::string answer = read(std::string(65'536, 'n'));
    EXPECT_LT(answer.size(), 400U);
    EXPECT_TRUE(answer.ends_with("n[… 65536 bytes]: file name too long")) << answer;
    std::string deep;
    for (int i = 0; i < 20'000; ++i) deep += "d/";
    EXPECT_TRUE(read(deep).ends_with("file name too long"));
    put(inside + "/line\nbreak", "text");
    EXPECT_EQ(read("line\nbreak"), "read: text");
}

TEST_F(Reading, SaysPermissionDenied) {
    chmod(scratch.path().c_str(), 0755);
    chmod((inside + "/src/a.txt").c_str(), 0);
    EXPECT_EQ(
        test::as_ordinary_user(
            inside, [&] { return read("src/a.txt") == "src/a.txt: permission denied" ? 0 : 1; }),
        0);
}

TEST_F(Writing, MakesFilesAndTheirParents) {
    EXPECT_EQ(Root(inside, "the workspace", 027).write_file("new/deep/file", "new"), "");
    EXPECT_EQ(text_of(inside + "/new/deep/file"), "new");
    EXPECT_EQ(test::mode_of(inside + "/new/deep/file"), 0640U);
    EXPECT_EQ(test::mode_of(inside + "/new/deep"), 0750U);
    EXPECT_EQ(test::count_of(inside + "/new/deep"), 1);
    EXPECT_EQ(write(inside + "/line\nbreak"), "");
    EXPECT_EQ(write(std::string(255, 'n')), "");
}

TEST_F(Writing, KeepsTheModeAndReplacesWhole) {
    chmod((inside + "/src/a.txt").c_str(), 0755);
    EXPECT_EQ(write("src/./a.txt"), "");
    EXPECT_EQ(text_of(inside + "/src/a.txt"), "new");
    EXPECT_EQ(test::mode_of(inside + "/src/a.txt"), 0755U);
    EXPECT_EQ(write("src/a.txt", ""), "");
    EXPECT_EQ(text_of(inside + "/src/a.txt"), "");
}

TEST_F(Writing, IsPrivateUnlessAnUmaskIsGiven) {
    const mode_t before = umask(0);
    EXPECT_EQ(write("new/file"), "");
    umask(before);
    EXPECT_EQ(test::mode_of(inside + "/new/file"), 0600U);
    EXPECT_EQ(test::mode_of(inside + "/new"), 0700U);
}

TEST_F(Writing, AsRootKeepsOwnerAndGroup) {
    ASSERT_EQ(geteuid(), 0U) << "the tests want root: they give files to another user";
    ASSERT_EQ(chown((inside + "/src/a.txt").c_str(), 65534, 1234), 0);
    chmod((inside + "/src/a.txt").c_str(), 0664);
    EXPECT_EQ(write("src/a.txt"), "");
    struct stat status {};
    ASSERT_EQ(stat((inside + "/src/a.txt").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 65534U);
    EXPECT_EQ(status.st_gid, 1234U);
    EXPECT_EQ(status.st_mode & 07777U, 0664U);
}

// Of a file of somebody else, in a directory that this user may write.
TEST_F(Writing, AsRootRefusesWhereTheOwnerOrTheGroupWouldBeLost) {
    const std::string file = inside + "/src/a.txt";
    chmod(scratch.path().c_str(), 0755);
    for (const auto& [user, group, lost] :
         {std::tuple{0U, 65534U, "owner"}, std::tuple{65534U, 0U, "group"}}) {
        const auto body = [&, lost = lost] {
            return write("src/a.txt") == "src/a.txt: not written, as it would lose its " +
                                             std::string(lost) + ": Operation not permitted"
                       ? 0
                       : 1;
        };
        EXPECT_EQ(test::as_ordinary_user(inside, [] { return 0; }), 0);
        ASSERT_EQ(chown(file.c_str(), user, group), 0);
        chmod(file.c_str(), 0666);
        EXPECT_EQ(test::in_child([&] {
                      if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
                          return 99;
                      return body();
                  }),
                  0)
            << lost;
        EXPECT_EQ(text_of(file), "text");
        EXPECT_EQ(test::count_of(inside + "/src"), 1) << "no temporary is left";
    }
}

// As linux/posix_acl_xattr.h has it: version 2, then tag, rights and id of each entry.
struct AclEntry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id = ~0U;
};
constexpr std::uint16_t acl_owner = 1, acl_user = 2, acl_group = 4, acl_mask = 16, acl_others = 32;

std::string acl(const std::vector<AclEntry>& entries) {
    std::string bytes("\2\0\0\0", 4);
    for (const AclEntry& entry : entries)
        bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    return bytes;
}

std::string attribute(const std::string& path, const char* name) {
    std::string value(1000, '\0');
    const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
    return size < 0 ? std::strerror(errno) : value.substr(0, static_cast<std::size_t>(size));
}

int set_attribute(const std::string& path, const char* name, const std::string& value) {
    return setxattr(path.c_str(), name, value.data(), value.size(), 0);
}

constexpr const char* access_acl = "system.posix_acl_access";
constexpr const char* default_acl = "system.posix_acl_default";

// Everybody of the file's group may not read it, one user may write it: the mask is not the group's
// right.
TEST_F(Writing, KeepsAnAclAndExtendedAttributes) {
    const std::string file = inside + "/src/a.txt";
    const std::string rights =
        acl({{acl_owner, 6}, {acl_user, 6, 4321}, {acl_group, 0}, {acl_mask, 6}, {acl_others, 0}});
    ASSERT_EQ(set_attribute(file, access_acl, rights), 0) << std::strerror(errno);
    ASSERT_EQ(set_attribute(file, "user.note", std::string("a\0b", 3)), 0);
    ASSERT_EQ(set_attribute(file, "user.empty", ""), 0);
    const unsigned mode = test::mode_of(file);
    EXPECT_EQ(write("src/a.txt"), "");
    EXPECT_EQ(text_of(file), "new");
    EXPECT_EQ(attribute(file, access_acl), rights);
    EXPECT_EQ(attribute(file, "user.note"), std::string("a\0b", 3));
    EXPECT_EQ(attribute(file, "user.empty"), "");
    EXPECT_EQ(test::mode_of(file), mode);
}

// What they lend holds for the content that they were given to.
TEST_F(Writing, AsRootKeepsNoSetIdBitsAndNoCapabilities) {
    const std::string file = inside + "/src/a.txt";
    chmod(file.c_str(), 06755);
    std::string capability("\1\0\0\2", 4);  // version 2, effective
    capability.resize(20, '\1');
    ASSERT_EQ(set_attribute(file, "security.capability", capability), 0) << std::strerror(errno);
    EXPECT_EQ(write("src/a.txt"), "");
    EXPECT_EQ(attribute(file, "security.capability"), std::strerror(ENODATA));
    EXPECT_EQ(test::mode_of(file), 0755U);
}

TEST_F(Writing, WhatADirectoryGivesIsNotForAFileThatHadLess) {
    const std::string file = inside + "/src/a.txt";
    chmod(file.c_str(), 0600);
    ASSERT_EQ(set_attribute(inside + "/src", default_acl,
                            acl({{acl_owner, 6},
                                 {acl_user, 6, 4321},
                                 {acl_group, 4},
                                 {acl_mask, 6},
                                 {acl_others, 0}})),
              0);
    EXPECT_EQ(write("src/a.txt"), "");
    EXPECT_EQ(attribute(file, access_acl), std::strerror(ENODATA));
    EXPECT_EQ(test::mode_of(file), 0600U);
}

TEST_F(Writing, ADefaultAclDecidesForWhatIsNew) {
    const std::string given =
        acl({{acl_owner, 7}, {acl_user, 7, 4321}, {acl_group, 5}, {acl_mask, 7}, {acl_others, 0}});
    ASSERT_EQ(set_attribute(inside, default_acl, given), 0);
    const Root root(inside, "the workspace", 022);
    EXPECT_EQ(root.write_file("new/file", "x"), "");
    EXPECT_EQ(attribute(inside + "/new", default_acl), given);
    EXPECT_EQ(
        attribute(inside + "/new/file", access_acl),
        acl({{acl_owner, 6}, {acl_user, 7, 4321}, {acl_group, 5}, {acl_mask, 6}, {acl_others, 0}}));
}

TEST_F(Writing, AsRootAGroupsDirectoryGivesItsGroupOnTheWay) {
    chown(inside.c_str(), 0, 1234);
    chmod(inside.c_str(), 02775);
    EXPECT_EQ(Root(inside, "the workspace", 002).write_file("new/deep/file", "x"), "");
    struct stat status {};
    for (const auto& [path, mode] : {std::pair{"/new", 02775U}, std::pair{"/new/deep", 02775U},
                                     std::pair{"/new/deep/file", 0664U}}) {
        ASSERT_EQ(stat((inside + path).c_str(), &status), 0);
        EXPECT_EQ(status.st_gid, 1234U) << path;
        EXPECT_EQ(status.st_mode & 07777U, mode) << path;
    }
}

TEST_F(Writing, AGroupsDirectoryGivesItsGroupToThoseOutsideItToo) {
    if (getuid() != 0) return;  // nobody else makes a directory of another group
    ASSERT_EQ(chown(inside.c_str(), 65534, 1234), 0);
    chmod(inside.c_str(), 02775);
    const Root root(inside, "the workspace", 002);
    const int made = test::in_child([&] {
        if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0) return 99;
        return root.write_file("new/deep/file", "x").empty() ? 0 : 1;
    });
    EXPECT_EQ(made, 0);
    for (const char* path : {"/new", "/new/deep"}) {
        struct stat status {};
        ASSERT_EQ(stat((inside + path).c_str(), &status), 0);
        EXPECT_EQ(status.st_gid, 1234U) << path;
        EXPECT_EQ(status.st_mode & 07777U, 02775U) << path;
    }
}

TEST_F(Writing, CannotLeaveTheRoot) {  // L-16
    for (const std::string& path :
         {std::string("../ws-other/new"), std::string("src/../../new"), outside + "/secret",
          inside + "-other/new", std::string("/tmp/chorus-never-made"), std::string("..")})
        EXPECT_EQ(write(path), path + ": leads out of the workspace");
    EXPECT_FALSE(fs::exists("/tmp/chorus-never-made"));
}

TEST_F(Writing, FollowsNoLinkAtAll) {
    fs::create_directory_symlink(outside, inside + "/out");
    fs::create_directory_symlink("src", inside + "/in");
    fs::create_symlink(outside + "/secret", inside + "/file");
    fs::create_symlink(outside + "/dangling", inside + "/dangling");
    EXPECT_EQ(write("out/secret"), "out/secret: a symbolic link in it is not followed");
    EXPECT_EQ(write("out/new/file"), "out/new/file: a symbolic link in it is not followed");
    EXPECT_EQ(write("in/a.txt"), "in/a.txt: a symbolic link in it is not followed");
    EXPECT_EQ(write("file"), "file: is a symbolic link");
    EXPECT_EQ(write("dangling"), "dangling: is a symbolic link");
    EXPECT_EQ(text_of(inside + "/src/a.txt"), "text");
}

TEST_F(Writing, RefusesTheRepositorysFilesInAnyCase) {
    for (const char* path :
         {".git/hooks/pre-commit", ".GIT/config", "sub/.Git/config", ".git", "src/../.gIt/x",
          ".git./config", ".git /config", "git~1/config", "GIT~1/x", ".g\u200cit/config",
          ".git\u2060/config", ".git::$INDEX_ALLOCATION/x"})
        EXPECT_TRUE(write(path).ends_with(": git's own files cannot be written")) << path;
    EXPECT_EQ(test::count_of(inside), 1);
    EXPECT_EQ(write(".gitignore"), "");
    EXPECT_EQ(write(".github/workflows/ci.yml"), "");
    EXPECT_EQ(write("a.git/x"), "");
    EXPECT_EQ(write("git/x"), "");
}

TEST_F(Writing, RefusesWhatIsNoPlainFile) {
    ASSERT_EQ(mkfifo((inside + "/fifo").c_str(), 0600), 0);
    fs::create_hard_link(outside + "/secret", inside + "/twin");
    EXPECT_EQ(test::in_child([&] { return write("fifo") == "fifo: not a regular file" ? 0 : 1; }),
              0);
    EXPECT_EQ(write("twin"), "twin: has more than one hard link");
    EXPECT_EQ(write("src"), "src: is a directory");
    EXPECT_EQ(write("new/"), "new/: is a directory");
    EXPECT_EQ(write(""), ".: is a directory");
    EXPECT_EQ(write("src/a.txt/b"), "src/a.txt/b: a parent is not a directory");
    EXPECT_EQ(write(std::string("a\0b", 3)), "a\\x00b: a path cannot hold a NUL");
    EXPECT_EQ(text_of(inside + "/src/a.txt"), "text");
    EXPECT_EQ(Root("/dev").write_file("null", "x"), "null: not a regular file");
}

TEST_F(Writing, LeavesReadOnlyFilesAlone) {
    chmod(scratch.path().c_str(), 0755);
    chmod((inside + "/src/a.txt").c_str(), 0444);
    EXPECT_EQ(
        test::as_ordinary_user(
            inside, [&] { return write("src/a.txt") == "src/a.txt: permission denied" ? 0 : 1; }),
        0);
    EXPECT_EQ(text_of(inside + "/src/a.txt"), "text");
}

TEST_F(Writing, RefusesNamesThatAreTooLong) {
    EXPECT_TRUE(write(std::string(65'536, 'n')).ends_with("file name too long"));
    EXPECT_TRUE(write("src/" + std::string(256, 'n') + "/file").ends_with("file name too long"));
    EXPECT_EQ(test::count_of(inside), 1);
}

// A command of the agent's that puts a link in a directory's place, for as long as it lives.
pid_t start_swapping(const std::string& directory, const std::string& link) {
    return test::start_child([=] {
        for (;;) renameat2(AT_FDCWD, directory.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
        return 0;
    });
}

TEST_F(Writing, EscapesNotWhileADirectoryIsSwappedForALink) {
    fs::create_directory_symlink(outside, inside + "/link");
    put(inside + "/src/secret", "decoy");
    const pid_t swapper = start_swapping(inside + "/src", inside + "/link");
    int written = 0;
    int refused = 0;
    int leaked = 0;
    for (const std::int64_t end = monotonic_ms() + 1500; monotonic_ms() < end;) {
        (write("src/new").empty() ? written : refused) += 1;
        if (read("src/secret") == "read: secret") ++leaked;
    }
    kill(swapper, SIGKILL);
    test::wait_for(swapper);
    EXPECT_EQ(leaked, 0);
    EXPECT_GT(written, 0);
    EXPECT_GT(refused, 0);
}

TEST_F(Walking, IsSortedByPathAndLeavesGitOut) {
    for (const char* path :
         {"b", "a/x", "a-b", "a/.git/config", ".git/HEAD", "a.txt", ".gitignore"})
        put(inside + "/" + path, "12345");
    fs::create_directory_symlink(outside, inside + "/out");
    fs::create_directory_symlink("..", inside + "/src/up");
    EXPECT_EQ(walk(""), (Paths{".gitignore", "a", "a-b", "a.txt", "a/x", "b", "out", "src",
                               "src/a.txt", "src/up"}));
    EXPECT_EQ(walk("src"), (Paths{"src/a.txt", "src/up"}));
    EXPECT_EQ(walk("src/a.txt"), Paths{"src/a.txt"});
    EXPECT_EQ(walk("src/up/a"), Paths{"src/up/a/x"});
}

TEST_F(Walking, TellsKindsAndSizes) {
    ASSERT_EQ(mkfifo((inside + "/fifo").c_str(), 0600), 0);
    fs::create_symlink("nowhere", inside + "/link");
    std::string error;
    const auto entries = root().walk(".", 100, error);
    ASSERT_EQ(entries.size(), 4U);
    EXPECT_EQ(entries[0].kind, Kind::other);
    EXPECT_EQ(entries[1].kind, Kind::link);
    EXPECT_EQ(entries[2].kind, Kind::directory);
    EXPECT_EQ(entries[3].kind, Kind::file);
    EXPECT_EQ(entries[3].size_bytes, 4U);
}

TEST_F(Walking, StopsWithTheFirstOnes) {
    for (int i = 0; i < 300; ++i) put(inside + "/many/" + std::to_string(1000 + i), "");
    const Paths all = walk("");
    ASSERT_EQ(all.size(), 303U);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    for (const std::size_t most : {0U, 1U, 7U, 302U})
        EXPECT_EQ(walk("", most),
                  Paths(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most)));
}

TEST_F(Walking, SaysWhyItCannotBegin) {
    EXPECT_EQ(walk("missing"), Paths{"error: missing: no such file"});
    EXPECT_EQ(walk("../ws-other"), Paths{"error: ../ws-other: leads out of the workspace"});
}

TEST_F(Walking, EndsInATreeDeeperThanAPath) {
    const std::string name(100, 'd');
    const auto nest = [&] {
        if (chdir(inside.c_str()) != 0) return 1;
        for (int depth = 0; depth < 200; ++depth)
            if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) return 2;
        return 0;
    };
    ASSERT_EQ(test::in_child(nest), 0);
    const Paths paths = walk("");
    EXPECT_GT(paths.size(), 30U);
    EXPECT_EQ(paths.back(), "src/a.txt");
}

TEST_F(Reading, WithoutOpenat2FollowsNoLinkAndStaysInside) {
    fs::create_directory_symlink("src", inside + "/in");
    fs::create_directory_symlink(outside, inside + "/out");
    fs::create_symlink("src/a.txt", inside + "/file");
    const Root ws = root();
    const auto error_of = [&](const std::string& path, int flags = O_RDONLY) {
        errno = 0;
        return open_by_walking(ws.fd(), path, flags) ? 0 : errno;
    };
    EXPECT_EQ(error_of("src/a.txt"), 0);
    EXPECT_EQ(error_of("."), 0);
    EXPECT_EQ(error_of("src//."), 0);
    EXPECT_EQ(error_of("in/a.txt"), ELOOP);
    EXPECT_EQ(error_of("out/secret"), ELOOP);
    EXPECT_EQ(error_of("file"), ELOOP);
    EXPECT_EQ(error_of("in", O_RDONLY | O_DIRECTORY), ELOOP);
    EXPECT_EQ(error_of("../ws-other/secret"), EXDEV);
    EXPECT_EQ(error_of("src/.."), EXDEV);
    EXPECT_EQ(error_of("/etc/passwd"), EXDEV);
    EXPECT_EQ(error_of("missing/a"), ENOENT);
    EXPECT_EQ(error_of("src/a.txt/b"), ENOTDIR);
    const Fd fd = open_by_walking(ws.fd(), "src", O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(fcntl(fd.get(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace chorus::sys
