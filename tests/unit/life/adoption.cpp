#include "life/adoption.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

#include "agent/archive.hpp"
#include "home.hpp"
#include "store/sessions.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::Scratch;
using test::text_of;

TEST(BringIn, copies_a_directory_without_its_links) {
    const Scratch scratch;
    put(scratch / "from/a/b", "x");
    std::filesystem::create_symlink("/etc/hostname", scratch / "from/link");
    std::filesystem::create_directory(scratch / "to");
    std::filesystem::create_symlink("a", scratch / "from/current");
    put(scratch / "from/workspace/.git/config", "[core]\n");
    put(scratch / "from/workspace/.git/HEAD", "ref: refs/heads/main\n");
    put(scratch / "from/workspace/sub/.git", "gitdir: /etc");
    put(scratch / "from/x\ny/.GIT/hooks/pre-commit", "x");
    EXPECT_EQ(bring_in(scratch / "from", scratch / "to"),
              (std::vector<std::string>{"link", "workspace/.git/config", "workspace/sub/.git",
                                        "x\\ny/.GIT/hooks"}));
    EXPECT_TRUE(is_there(scratch / "to/workspace/.git/HEAD"));
    EXPECT_EQ(text_of(scratch / "to/a/b"), "x");
    EXPECT_FALSE(is_there(scratch / "to/link"));
    EXPECT_EQ(error_of([&] { bring_in(scratch / "none", scratch / "to"); }).code(),
              ErrorCode::not_found);
    EXPECT_EQ(error_of([&] { bring_in(scratch / "from/a/b", scratch / "to"); }).code(),
              ErrorCode::bad_request);
}

const std::vector<std::string> traps{
    "BISECT_LOG", "CHERRY_PICK_HEAD", "MERGE_AUTOSTASH", "MERGE_HEAD", "MERGE_MSG",
    "MERGE_RR",   "REBASE_HEAD",      "REVERT_HEAD",     "branches",   "commondir",
    "config",     "config.worktree",  "gitdir",          "hooks",      "info",
    "modules",    "rebase-apply",     "rebase-merge",    "remotes",    "rr-cache",
    "sequencer",  "worktrees",        "objects/info"};

TEST(ResetGit, removes_what_git_would_run_or_obey) {
    const Scratch scratch;
    const std::string git = scratch / ".git";
    for (const std::string& trap : traps) put(git + "/" + trap, "x");
    put(git + "/HEAD", "ref: refs/heads/main\n");
    put(git + "/objects/ab/cdef", "x");
    put(git + "/refs/heads/main", "x");
    EXPECT_EQ(reset_git(scratch.path() + "/none"), std::vector<std::string>{});
    EXPECT_EQ(reset_git(scratch.path()).size(), traps.size());
    EXPECT_EQ(reset_git(scratch.path()), std::vector<std::string>{});
    for (const std::string& trap : traps) EXPECT_FALSE(is_there(git + "/" + trap)) << trap;
    EXPECT_TRUE(is_there(git + "/HEAD"));
    EXPECT_TRUE(is_there(git + "/objects/ab/cdef"));
    EXPECT_TRUE(is_there(git + "/refs/heads/main"));
}

TEST(ResetGit, removes_a_git_that_is_elsewhere_and_leaves_that) {
    const Scratch scratch;
    put(scratch / "other/hooks/x", "x");
    put(scratch / "one/.git", "gitdir: ../other\n");
    reset_git(scratch / "one");
    EXPECT_FALSE(is_there(scratch / "one/.git"));
    std::filesystem::create_directory(scratch / "two");
    std::filesystem::create_directory_symlink(scratch / "other", scratch / "two/.git");
    reset_git(scratch / "two");
    EXPECT_FALSE(is_there(scratch / "two/.git"));
    EXPECT_TRUE(is_there(scratch / "other/hooks/x"));
    EXPECT_NO_THROW(reset_git(scratch / "nowhere"));
}

class IndexTest : public HomeTest {
  protected:
    IndexTest() : agent(give("ada").agent) {}
    void session(const std::string& name, const std::string& json) const {
        put(directory("ada").sessions() + "/" + name, json);
    }
    std::size_t index() {
        const auto rows = read_sessions(agent, directory("ada"));
        store::Transaction transaction(store);
        for (const store::Session& row : rows) store::insert_session(store, row);
        transaction.commit();
        return rows.size();
    }
    store::Agent agent;
};

// L-49
TEST_F(IndexTest, reads_the_shapes_that_session_files_have) {
    session(
        "new.json",
        R"({"schema":"chorus.session/1","id":"a","session_id":"a","agent_name":"old","description":"d",
        "summary":"s","saved_at":"2026-02-12T10:30:00.000Z","trigger":"idle_timeout","message_count":7,
        "window_start":"2026-02-11T10:30:00Z","window_end":"2026-02-12T10:29:00Z","messages":[]})");
    session("old.json",
            R"({"session_id":"b","timestamp":"2026-02-12T10:30:00.001Z","messages":[{},{}]})");
    EXPECT_EQ(index(), 2U);
    const auto rows = store::list_sessions(store, agent.id);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].id, "b");
    EXPECT_EQ(rows[0].agent_name, "ada");
    EXPECT_EQ(rows[0].trigger, "");
    EXPECT_EQ(rows[0].message_count, 2);
    EXPECT_EQ(rows[1].id, "a");
    EXPECT_EQ(rows[1].agent_name, "old");
    EXPECT_EQ(rows[1].description, "d");
    EXPECT_EQ(rows[1].summary, "s");
    EXPECT_EQ(rows[1].trigger, "idle_timeout");
    EXPECT_EQ(rows[1].message_count, 7);
    EXPECT_EQ(rows[1].saved_at, 1'770'892'200'000);
    EXPECT_EQ(rows[1].window_start, 1'770'892'200'000 - 86'400'000);
    EXPECT_EQ(rows[1].file_path, "agents/ada/sessions/new.json");
    EXPECT_EQ(rows[1].sha256.size(), 64U);
}

TEST_F(IndexTest, gives_an_id_to_a_session_without_one_and_doubles_none) {
    session("none.json", R"({"messages":[]})");
    session("wrong.json", R"({"id":5,"saved_at":false,"message_count":"x","messages":"x"})");
    session("same.json", R"({"id":"c","messages":[]})");
    EXPECT_EQ(index(), 3U);
    EXPECT_EQ(store::list_sessions(store, agent.id).size(), 3U);
    session("same2.json", R"({"id":"c","messages":[]})");
    std::filesystem::remove(directory("ada").sessions() + "/none.json");
    std::filesystem::remove(directory("ada").sessions() + "/wrong.json");
    EXPECT_EQ(index(), 2U);
    EXPECT_EQ(store::list_sessions(store, agent.id).size(), 3U);
}

TEST(GitState, changes_with_what_git_would_run_or_obey) {
    const Scratch scratch;
    EXPECT_EQ(git_state(scratch.path()), "");
    put(scratch / ".git/HEAD", "ref: refs/heads/main\n");
    std::set<std::string> states{git_state(scratch.path())};
    for (const std::string& trap : traps) {
        put(scratch / ".git" + "/" + trap + "/deep/file", "x");
        EXPECT_TRUE(states.insert(git_state(scratch.path())).second) << trap;
        put(scratch / ".git" + "/" + trap + "/deep/file", "y");
        EXPECT_TRUE(states.insert(git_state(scratch.path())).second) << trap;
    }
    put(scratch / ".git/refs/heads/main", "x");
    EXPECT_EQ(states.count(git_state(scratch.path())), 1U) << "work is no change of that";
}

TEST(CopyTemplate, takes_what_makes_an_agent) {
    const Scratch scratch;
    for (const char* path :
         {"agent.json", "docs/a/b.md", "docs/.git/config", "workspace/.gitkeep",
          "workspace/.github/x", "workspace/GIT~1/x", "workspace/a/.git", "sessions/s.json",
          "branches/main/session.md", "docsx", "set-aside.json"})
        put(scratch / "from" + "/" + path, "x");
    EXPECT_EQ(copy_template(scratch / "from", scratch / "to"),
              (std::vector<std::string>{"branches", "docs/.git", "docsx", "sessions",
                                        "set-aside.json", "workspace/GIT~1", "workspace/a/.git"}));
    for (const char* path :
         {"agent.json", "docs/a/b.md", "workspace/.gitkeep", "workspace/.github/x"})
        EXPECT_TRUE(is_there(scratch / "to" + "/" + path)) << path;
    EXPECT_FALSE(is_there(scratch / "to/sessions"));
}

// A command may put a link in its place between two looks.
TEST(Adoption, follows_no_link_that_takes_the_place_of_a_repository) {
    const Scratch scratch;
    for (const char* directory : {"workspace/.git/hooks", "outside"})
        std::filesystem::create_directories(scratch / directory);
    std::filesystem::create_directory_symlink(scratch / "outside", scratch / "workspace/link");
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    ASSERT_GE(inotify_add_watch(watch, (scratch / "outside").c_str(), IN_OPEN | IN_ACCESS), 0);
    std::atomic<bool> ends = false;
    std::thread swapper([&] {
        while (!ends)
            renameat2(AT_FDCWD, (scratch / "workspace/.git").c_str(), AT_FDCWD,
                      (scratch / "workspace/link").c_str(), RENAME_EXCHANGE);
    });
    for (int i = 0; i < 3000; ++i) {
        try {
            (void)git_state(scratch / "workspace");
        } catch (const base::Error&) {  // it was another by then
        }
    }
    ends = true;
    swapper.join();
    std::array<char, 4096> events;
    EXPECT_LT(read(watch, events.data(), events.size()), 0);
    close(watch);
}

}  // namespace
}  // namespace chorus::life
