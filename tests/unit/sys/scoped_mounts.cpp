#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "sys/sandbox.hpp"
#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

using Globs = std::vector<std::string>;

class ScopedMounts : public SandboxTest {
  protected:
    void SetUp() override {
        SandboxTest::SetUp();
        for (const char* path :
             {"src/a", "src/gen/b", "src/.env", "lib/c", ".env", "top", ".git/HEAD",
              "src/sub/.git/config", "node_modules/m/i.js", "src/runtime/r"})
            put(path);
    }
    void put(const std::string& path) {
        fs::create_directories(fs::path(in_workspace(path)).parent_path());
        std::ofstream(in_workspace(path)) << "text\n";
    }
    std::string printed(const std::string& script) const { return inside(script).out.text; }
    // What a command prints; `set` are the rules, and deny those of every sub-agent.
    std::string run_in(std::optional<Globs> read, std::optional<Globs> write, const char* command,
                       Globs more = {}) {
        Globs deny{"**/.git/**", "**/runtime/**", "**/.env", "**/node_modules/**"};
        deny.insert(deny.end(), more.begin(), more.end());
        sandbox_.rules = {{std::move(read), std::move(write), std::move(deny)}};
        return printed(command);
    }
};

const char* tried =
    R"sh(for f in src/a src/gen/b src/.env lib/c .env top .git/HEAD src/sub/.git/config \
    node_modules/m/i.js src/runtime/r; do
  [ "$(cat $f 2>/dev/null)" = text ] && printf r || printf -- -
  ( : >>$f ) 2>/dev/null && printf w || printf -- -
  printf ' '
done)sh";

TEST_F(ScopedMounts, show_what_the_rules_allow) {
    EXPECT_EQ(run_in({}, {}, tried), "rw rw -- rw -- rw r- r- r- -- ");
    EXPECT_EQ(run_in({}, Globs{}, tried), "r- r- -- r- -- r- r- r- r- -- ");
    EXPECT_EQ(run_in({}, Globs{"src/gen/**", "/tmp/**"}, tried), "r- rw -- r- -- r- r- r- r- -- ");
    EXPECT_EQ(run_in(Globs{"src/**"}, Globs{"src"}, tried), "rw rw -- -- -- -- -- -- -- -- ");
    EXPECT_EQ(run_in(Globs{"src/gen", "lib/**"}, {}, tried), "-- rw -- rw -- -- -- -- -- -- ");
    EXPECT_EQ(run_in(Globs{}, Globs{"**"}, tried), "-- -- -- -- -- -- -- -- -- -- ");
    EXPECT_EQ(run_in({}, {}, tried, {"lib", "src/gen/**", "t?p"}),
              "rw -- -- -- -- -- -- -- r- -- ");
}

TEST_F(ScopedMounts, deny_decides_over_a_directory_to_write) {
    EXPECT_EQ(run_in({}, Globs{"src", "src/gen"}, tried, {"src/gen"}),
              "rw -- -- r- -- r- -- -- r- -- ");
    EXPECT_EQ(run_in({}, Globs{"src/gen"}, tried, {"src"}), "-- -- -- r- -- r- -- -- r- -- ");
}

TEST_F(ScopedMounts, every_rule_counts) {
    sandbox_.rules = {{Globs{"src/**", "lib/**"}, Globs{"**"}, {}},
                      {{}, Globs{"src/gen/**"}, {"lib/c"}}};
    EXPECT_EQ(printed(tried), "r- rw r- -- -- -- -- r- -- r- ");
}

TEST_F(ScopedMounts, a_link_leads_nowhere_else) {
    EXPECT_EQ(symlink("../lib", in_workspace("src/to-lib").c_str()), 0);
    EXPECT_EQ(symlink("lib", in_workspace("linked").c_str()), 0);
    EXPECT_EQ(symlink("src/.env", in_workspace("to-env").c_str()), 0);
    EXPECT_EQ(run_in(Globs{"src", "linked"}, {}, "cat src/to-lib/c linked/c to-env; echo x"),
              "x\n");
    EXPECT_EQ(run_in({}, {}, "cat to-env; echo x"), "x\n");
}

TEST_F(ScopedMounts, what_a_denied_link_leads_to_is_hidden) {
    put("cfg/envfile");
    put("real/prod/k");
    fs::create_directory(in_workspace("web"));
    EXPECT_EQ(symlink("../cfg/envfile", in_workspace("web/.env").c_str()), 0);
    EXPECT_EQ(symlink("real", in_workspace("lnk").c_str()), 0);
    EXPECT_EQ(run_in({}, {},
                     "cat web/.env cfg/envfile lnk/prod/k 2>/dev/null; echo x >lnk/prod/k; echo x",
                     {"lnk/prod"}),
              "x\n");
    EXPECT_EQ(content_of(in_workspace("real/prod/k")), "text\n");
}

TEST_F(ScopedMounts, what_is_denied_in_node_modules_is_hidden) {
    for (const char* path :
         {"web/node_modules/p/x.key", "web/node_modules/.env", "web/node_modules/p/ok"})
        put(path);
    EXPECT_EQ(run_in({}, {},
                     "cd web/node_modules; cat p/x.key .env p/ok 2>/dev/null; touch p/new "
                     "2>/dev/null || echo no",
                     {"**/*.key"}),
              "text\nno\n");
}

TEST_F(ScopedMounts, what_has_too_long_a_path_is_hidden) {
    const std::string name(200, 'y');
    EXPECT_TRUE(works_outside("for i in $(seq 21); do mkdir " + name + "; cd " + name +
                              "; done; echo text >.env"));
    EXPECT_EQ(
        run_in({}, {},
               "for i in $(seq 21); do cd y* 2>/dev/null; done; cat .env 2>/dev/null; echo x"),
        "x\n");
    EXPECT_TRUE(works_outside("rm -rf y*"));
}

TEST_F(ScopedMounts, nothing_can_be_moved_out_of_the_way) {
    EXPECT_EQ(
        run_in({}, {}, "mv .env e; rm -f src/.env; mv src s; mv .git g; cat e src/.env; echo x"),
        "x\n");
    EXPECT_EQ(content_of(in_workspace(".env")), "text\n");
}

TEST_F(ScopedMounts, a_directory_above_what_is_denied_stays_in_its_place) {
    EXPECT_EQ(
        run_in({}, {},
               "mv src s && echo moved; mv lib l && echo moved; ls -d src s lib l 2>/dev/null"),
        "moved\nl\nsrc\n");
    EXPECT_EQ(run_in({}, {}, "mkdir -p a/b && mv a c && ls", {"a/b/**"}),
              "c\nl\nnode_modules\nsrc\ntop\n");
    fs::rename(in_workspace("c"), in_workspace("a"));
    EXPECT_EQ(run_in({}, {}, "mv a c; ls -d a c 2>/dev/null; echo x > a/b/f", {"a/b/**"}), "a\n");
    EXPECT_FALSE(fs::exists(in_workspace("a/b/f")));
}

// Without it root looks into every directory.
class WithoutOverride {
  public:
    WithoutOverride() { set(false); }
    ~WithoutOverride() { set(true); }
    WithoutOverride(const WithoutOverride&) = delete;
    WithoutOverride& operator=(const WithoutOverride&) = delete;

  private:
    static void set(bool is_on) {
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct data[2]{};
        ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
        const unsigned bits = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);
        data[0].effective =
            is_on ? data[0].effective | (data[0].permitted & bits) : data[0].effective & ~bits;
        ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
    }
};

TEST_F(ScopedMounts, a_directory_that_cannot_be_looked_into_is_hidden) {
    for (const mode_t mode : {0000, 0111, 0444}) {
        ASSERT_EQ(chmod(in_workspace("src").c_str(), mode), 0);
        const WithoutOverride user;
        EXPECT_EQ(
            run_in({}, {}, "chmod 755 src 2>/dev/null; cat src/.env src/a 2>/dev/null; echo x"),
            "x\n")
            << mode;
    }
}

TEST_F(ScopedMounts, are_refused_where_they_cannot_hold) {
    sandbox_.rules = {{Globs{"src/*.c"}, {}, {}}};
    EXPECT_NE(refusal(), "not refused");
    EXPECT_EQ(why_not_mounted(sandbox_.rules),
              "paths.read: src/*.c is neither a directory nor DIRECTORY/**");
    sandbox_.rules = {{Globs{"src"}, {}, {}}};
    for (const SandboxMode mode : {SandboxMode::off, SandboxMode::landlock}) {
        sandbox_.mode = mode;
        EXPECT_NE(refusal(), "not refused");
        EXPECT_TRUE(sandbox_problem(sandbox_, "/nonexistent/state"));
    }
}

TEST(MountedDirectory, is_a_directory_or_all_below_it) {
    const std::pair<const char*, const char*> cases[] = {
        {"**", "."},  {".", "."},      {"src", "src"}, {"src/**", "src"}, {"a/b/**", "a/b"},
        {"*", ""},    {"src/*", ""},   {"**/x", ""},   {"../x", ""},      {"a/../b/**", ""},
        {"/tmp", ""}, {"/tmp/**", ""}, {"", ""},       {"a?", ""},        {"a//b", ""}};
    for (const auto& [glob, directory] : cases)
        EXPECT_EQ(mounted_directory(glob).value_or(""), directory) << glob;
}

}  // namespace
}  // namespace chorus::sys
