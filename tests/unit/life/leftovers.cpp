#include "life/leftovers.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "home.hpp"
#include "store/sessions.hpp"
#include "sys/lock.hpp"
#include "sys/process.hpp"
#include "unit/store/events.hpp"

namespace chorus::life {
namespace {

using store::AgentStatus;
using test::is_there;
using test::put;

class LeftoversTest : public HomeTest {
  protected:
    std::string temporary(std::int64_t pid, std::int64_t start, const std::string& name) {
        const std::string path = home.agents() + "/.tmp-" + std::to_string(pid) + "-" +
                                 std::to_string(start) + "-abc234-" + name;
        put(path + "/agent.json", "{}");
        put(path + "/workspace/file", "x");
        return path;
    }
    static pid_t dead_process() {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, nullptr, 0);
        return child;
    }
    const sys::Identity self = sys::own_identity();
};

// L-51
TEST_F(LeftoversTest, of_dead_processes_are_removed) {
    const std::string dead = temporary(dead_process(), 1, "ada");
    const std::string reused = temporary(self.pid, self.start + 1, "bob");
    const std::string alive = temporary(self.pid, self.start, "my-agent-x");
    reclaim_leftovers(home, store);
    EXPECT_FALSE(is_there(dead));
    EXPECT_FALSE(is_there(reused)) << "its pid is now another process's";
    EXPECT_TRUE(is_there(alive));
}

TEST_F(LeftoversTest, whose_maker_cannot_be_told_are_removed) {
    for (const char* name :
         {".tmp-", ".tmp-x", ".tmp-a-b-c-d", ".tmp-99999999999999999999-1-a-b", ".tmp--1-1-a-b"})
        std::filesystem::create_directory(home.agents() + "/" + name);
    reclaim_leftovers(home, store);
    EXPECT_TRUE(agents_directory().empty());
}

TEST_F(LeftoversTest, are_not_looked_for_through_links) {
    put(scratch / "mine/file", "x");
    const std::string path = temporary(dead_process(), 1, "ada");
    std::filesystem::create_directory_symlink(scratch / "mine", path + "/workspace/link");
    std::filesystem::create_directory_symlink(scratch / "mine", home.agents() + "/.tmp-1-1-a-link");
    reclaim_leftovers(home, store);
    EXPECT_TRUE(agents_directory().empty());
    EXPECT_TRUE(is_there(scratch / "mine/file"));
}

TEST_F(LeftoversTest, are_told_from_agents) {
    give("ada");
    put(home.agents() + "/foreign/file", "x");
    put(home.agents() + "/tmp-1-1-a-b/file", "x");
    reclaim_leftovers(home, store);
    EXPECT_EQ(agents_directory(), (std::vector<std::string>{"ada", "foreign", "tmp-1-1-a-b"}));
    EXPECT_EQ(store::find_agent(store, "ada")->status, AgentStatus::active);
}

// A crash between the row and the rename leaves no agent, one behind the rename a whole one.
TEST_F(LeftoversTest, of_rows_are_finished_or_undone) {
    insert("gone", AgentStatus::creating);
    insert("whole", AgentStatus::creating);
    insert("leaving", AgentStatus::destroying);
    put(home.agent("whole") + "/agent.json", "{}");
    reclaim_leftovers(home, store);
    EXPECT_FALSE(store::find_agent(store, "gone"));
    const auto whole = store::find_agent(store, "whole");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->status, AgentStatus::active);
    const auto events = store::load_events(store, whole->id);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].cause, "recovered");
    EXPECT_EQ(store::find_agent(store, "leaving")->status, AgentStatus::destroying);
}

TEST_F(LeftoversTest, of_an_adoption_take_its_sessions_with_them) {
    insert("gone", AgentStatus::creating);
    const store::AgentId id = store::find_agent(store, "gone")->id;
    {
        store::Transaction transaction(store);
        store::Session session;
        session.id = "s";
        session.agent_id = id;
        store::insert_session(store, session);
        transaction.commit();
    }
    reclaim_leftovers(home, store);
    EXPECT_FALSE(store::find_agent(store, "gone"));
    EXPECT_TRUE(store::list_sessions(store, id).empty());
}

TEST_F(LeftoversTest, give_their_name_free) {
    insert("ada", AgentStatus::creating);
    temporary(dead_process(), 1, "ada");
    EXPECT_EQ(give("ada").agent.name, "ada");
    EXPECT_EQ(agents_directory(), std::vector<std::string>{"ada"});
}

TEST_F(LeftoversTest, are_left_to_who_holds_the_lock) {
    insert("ada", AgentStatus::creating);
    const std::string dead = temporary(dead_process(), 1, "ada");
    {
        const auto lock = sys::Lock::try_acquire(home.birth_lock(), sys::Lock::Mode::exclusive);
        ASSERT_TRUE(lock);
        reclaim_leftovers(home, store);
        EXPECT_TRUE(is_there(dead));
        EXPECT_TRUE(store::find_agent(store, "ada"));
    }
    reclaim_leftovers(home, store);
    EXPECT_FALSE(is_there(dead));
    EXPECT_FALSE(store::find_agent(store, "ada"));
}

TEST_F(LeftoversTest, are_known_by_the_name_of_their_agent) {
    temporary(dead_process(), 1, "ada-b");
    temporary(self.pid, self.start, "bob");
    EXPECT_TRUE(has_remains(home, "ada-b"));
    for (const char* name : {"ada", "b", "bob", "", "abc234-ada-b"})
        EXPECT_FALSE(has_remains(home, name)) << name;
}

TEST_F(LeftoversTest, of_a_destroy_are_found_and_left_to_people) {
    insert("ada", AgentStatus::destroying);
    insert("bob", AgentStatus::destroying);
    const auto at_it = sys::Lock::try_acquire(
        home.destroy_lock(store::find_agent(store, "bob")->id), sys::Lock::Mode::exclusive);
    const auto found = find_half_destroyed(home, store);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("chorus-destroy ada finishes it"), std::string::npos) << found[0];
    EXPECT_TRUE(find_leftovers(home, store).empty());
}

}  // namespace
}  // namespace chorus::life
