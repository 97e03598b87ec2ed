#include "sys/path_rules.hpp"

#include <unistd.h>

#include <algorithm>

#include "sys/beneath.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using test::put;
using test::Scratch;

using Globs = std::vector<std::string>;

// What may be done: r(ead), l(isted, as a directory), w(ritten).
std::string rights(const PathRules& rules, const char* path) {
    std::string all;
    if (rules.why_not_read(path).empty()) all += 'r';
    if (rules.why_not_listed(path).empty()) all += 'l';
    if (rules.why_not_written(path).empty()) all += 'w';
    return all;
}

struct Row {
    const char* path;
    const char* rights;
};

void expect_all(const PathRules& rules, std::initializer_list<Row> rows) {
    for (const Row& row : rows) EXPECT_EQ(rights(rules, row.path), row.rights) << row.path;
}

TEST(PathRules, without_any_everything_may_be_done) {
    expect_all({}, {{".", "rlw"}, {"a", "rlw"}, {"a/b/.env", "rlw"}, {".git/config", "rlw"}});
}

TEST(PathRules, empty_lists_allow_nothing) {
    expect_all({Globs{}, Globs{}, {}}, {{".", ""}, {"a", ""}, {"a/b", ""}});
}

TEST(PathRules, a_path_without_wildcards_stands_for_what_is_below) {
    expect_all({Globs{"src", "docs/a.md"}, Globs{"src/gen"}, {}}, {{"src", "rl"},
                                                                   {"src/a", "rl"},
                                                                   {"src/gen", "rlw"},
                                                                   {"src/gen/x/y", "rlw"},
                                                                   {"src/general", "rl"},
                                                                   {"srcs", ""},
                                                                   {"SRC", ""},
                                                                   {"src.c", ""},
                                                                   {".", "l"},
                                                                   {"docs", "l"},
                                                                   {"docs/a.md", "rl"},
                                                                   {"docs/b.md", ""},
                                                                   {"docs/sub", ""},
                                                                   {"other", ""}});
}

TEST(PathRules, a_glob_stands_for_what_it_matches) {
    expect_all({Globs{"src/**", "*.md", "lib/*/x", "?.c"}, Globs{"**/out/**"}, {}},
               {{"src", "l"},
                {"src/a", "rl"},
                {"src/a/b/c", "rl"},
                {"README.md", "rl"},
                {"docs/README.md", ""},
                {"docs", ""},
                {"lib", "l"},
                {"lib/a", "l"},
                {"lib/a/x", "rl"},
                {"lib/a/y", ""},
                {"lib/a/b/x", ""},
                {"a.c", "rl"},
                {"ab.c", ""},
                {"/.c", ""},
                {".", "l"},
                {"out/a", "w"},
                {"src/out/a/b", "rlw"},
                {"out", ""},
                {"route/a", ""}});
    expect_all({Globs{"**/test_*.py"}, {}, {}},
               {{"test_a.py", "rlw"}, {"a/b/test_a.py", "rlw"}, {"a/b/a.py", "lw"}, {"a/b", "lw"}});
    expect_all({Globs{"[a-c]/**", "\\*"}, {}, {}},
               {{"a/x", "rlw"}, {"d/x", "w"}, {"*", "rlw"}, {"x", "w"}});
    expect_all({Globs{"**"}, Globs{"**"}, {}}, {{"a", "rlw"}, {"a/b", "rlw"}, {".a", "rlw"}});
    expect_all({Globs{"*"}, Globs{"."}, {}}, {{"a", "rlw"}, {"a/b", "w"}, {"a/b/c", "w"}});
}

TEST(PathRules, deny_decides_and_goes_down) {
    expect_all({{}, {}, {"**/.git/**", "**/.env", "**/node_modules/**", "secret", "a/*.pem"}},
               {{".git/config", ""},
                {".git", "rlw"},
                {"sub/.git/HEAD", ""},
                {".gitignore", "rlw"},
                {".env", ""},
                {"a/.env", ""},
                {"a/.env/x", ""},
                {".env.example", "rlw"},
                {"node_modules/a/b.js", ""},
                {"web/node_modules/x", ""},
                {"secret", ""},
                {"secret/a/b", ""},
                {"secrets", "rlw"},
                {"a/x.pem", ""},
                {"a/x.pem/y", ""},
                {"a/b/x.pem", "rlw"},
                {"x.pem", "rlw"}});
    expect_all({Globs{"secret/**"}, Globs{"secret/**"}, {"secret/**"}}, {{"secret/a", ""}});
}

TEST(PathRules, say_the_rule) {
    const PathRules rules{Globs{"src/**", "*.md"}, Globs{}, {"**/.env"}};
    EXPECT_EQ(rules.why_not_read("a/.env"), "denied by paths.deny: **/.env");
    EXPECT_EQ(rules.why_not_read("lib/a"), "not in paths.read: src/**, *.md");
    EXPECT_EQ(rules.why_not_written("src/a"), "not in paths.write: it is empty");
}

TEST(PathRules, globs_have_a_normal_form) {
    const std::pair<const char*, const char*> cases[] = {
        {"/ws/src/**", "src/**"}, {"/ws", "**"},          {"/ws/", "**"}, {"/wsx/a", "/wsx/a"},
        {"./src/", "src"},        {"././a", "a"},        {".", "**"},    {"./", "**"},
        {"/tmp/**", "/tmp/**"},   {"**/.env", "**/.env"}};
    for (const auto& [glob, normal] : cases) EXPECT_EQ(normal_glob(glob, "/ws"), normal) << glob;
}

TEST(PathRules, a_glob_that_would_deny_nothing_is_none) {
    EXPECT_EQ(normal_glob("src//secret", "/ws"), "src/secret");
    EXPECT_EQ(normal_glob("src/./secret/.", "/ws"), "src/secret");
    for (const char* glob : {"", "../x", "a/../b", "/etc/**", "/ws/src", "{a,b}/c", "a\xff"})
        EXPECT_NE(glob_problem(glob), "") << glob;
    for (const char* glob : {"a", "**", "/tmp/**", "a b", "a/[x]", "..a", "a..", "."})
        EXPECT_EQ(glob_problem(glob), "") << glob;
}

struct LimitedRoot : testing::Test {
    Scratch scratch;
    std::string directory = scratch / "ws";

    LimitedRoot() {
        for (const char* path : {"src/a.txt", "src/.env", "lib/b.txt", "top.txt"})
            put(directory + "/" + path, "text");
        EXPECT_EQ(symlink("../lib/b.txt", (directory + "/src/to-file").c_str()), 0);
        EXPECT_EQ(symlink("../lib", (directory + "/src/to-directory").c_str()), 0);
        EXPECT_EQ(symlink("../src", (directory + "/lib/back").c_str()), 0);
    }
    Root limited() const {
        Root root(directory);
        root.limit({Globs{"src/**"}, Globs{"src/new/**", "lib/**"}, {"**/.env"}});
        return root;
    }
    std::string read(const std::string& path) const {
        std::string content;
        std::string error;
        return limited().read_file(path, 1'000'000, content, error) ? content : error;
    }
};

// P-10 P-68
TEST_F(LimitedRoot, reads_what_the_rules_allow) {
    EXPECT_EQ(read("src/a.txt"), "text");
    EXPECT_EQ(read("./src/../src//a.txt"), "text");
    EXPECT_EQ(read(directory + "/src/a.txt"), "text");
    EXPECT_EQ(read("src/.env"), "src/.env: denied by paths.deny: **/.env");
    for (const char* path : {"lib/b.txt", "top.txt", "src/../lib/b.txt", "src/../top.txt"})
        EXPECT_EQ(read(path), path + std::string(": not in paths.read: src/**"));
}

TEST_F(LimitedRoot, tells_nothing_of_what_it_refuses) {
    EXPECT_EQ(read("lib/none"), "lib/none: not in paths.read: src/**");
    EXPECT_EQ(read("src/none"), "src/none: no such file");
}

TEST_F(LimitedRoot, follows_no_link_out_of_the_rules) {
    for (const char* path : {"src/to-file", "src/to-directory/b.txt"})
        EXPECT_EQ(read(path), path + std::string(": it, or where a link in it leads, is not in "
                                                 "paths.read"));
    EXPECT_EQ(limited().open_to_read("src/to-directory").outcome, OpenOutcome::refused);
    EXPECT_EQ(limited().open_to_read("lib/back/a.txt").outcome, OpenOutcome::refused);
}

TEST_F(LimitedRoot, shows_what_may_be_read) {
    std::string error;
    std::vector<std::string> paths;
    for (const Entry& entry : limited().walk("", 100, error)) paths.push_back(entry.path);
    EXPECT_EQ(paths, (Globs{"src", "src/a.txt", "src/to-directory", "src/to-file"}));
    EXPECT_TRUE(limited().shows("src", Kind::directory));
    EXPECT_FALSE(limited().shows("src", Kind::file));
    EXPECT_FALSE(limited().shows("lib", Kind::directory));
}

TEST_F(LimitedRoot, writes_what_the_rules_allow) {
    EXPECT_EQ(limited().write_file("src/new/a/b", "x"), "");
    EXPECT_EQ(limited().write_file("lib/b.txt", "x"), "");
    EXPECT_EQ(limited().write_file("src/a.txt", "x"),
              "src/a.txt: not in paths.write: src/new/**, lib/**");
    EXPECT_EQ(limited().write_file("src/new/.env", "x"),
              "src/new/.env: denied by paths.deny: **/.env");
    EXPECT_EQ(limited().write_file("lib/../top.txt", "x"),
              "lib/../top.txt: not in paths.write: src/new/**, lib/**");
    EXPECT_NE(limited().write_file("lib/back/new/a", "x"), "");
    EXPECT_EQ(test::text_of(directory + "/src/a.txt"), "text");
}

TEST_F(LimitedRoot, obeys_every_rule_in_turn) {
    Root root = limited();
    root.limit({Globs{"src/a*"}, {}, {}});
    EXPECT_EQ(root.open_to_read("src/a.txt").outcome, OpenOutcome::opened);
    EXPECT_EQ(root.open_to_read("src/to-file").outcome, OpenOutcome::refused);
    root.limit({{}, {}, {"src"}});
    EXPECT_EQ(root.open_to_read("src/a.txt").outcome, OpenOutcome::refused);
    EXPECT_NE(root.write_file("src/new/c", "x"), "");
}

}  // namespace
}  // namespace chorus::sys
