#include "store/named.hpp"

#include "home.hpp"
#include "store/sessions.hpp"
#include "store/tasks.hpp"

namespace chorus::store {
namespace {

std::vector<std::string> names(const std::vector<Named>& found) {
    std::vector<std::string> list;
    for (const Named& one : found) list.push_back(one.name);
    return list;
}
using Names = std::vector<std::string>;

TEST(Named, agents_are_those_that_are_not_destroyed) {
    const Home home;
    Store store = home.open();
    for (const char* name : {"bob", "ada", "adam", "b"}) add_agent(store, name);
    const AgentId gone = add_agent(store, "adele");
    in_transaction(store, [&] { mark_destroyed(store, gone, 5, false); });
    EXPECT_EQ(names(named_agents(store, "")), (Names{"ada", "adam", "b", "bob"}));
    EXPECT_EQ(names(named_agents(store, "ad")), (Names{"ada", "adam"}));
    EXPECT_EQ(names(named_agents(store, "bob")), Names{"bob"});
    EXPECT_EQ(names(named_agents(store, "z")), Names{});
    EXPECT_EQ(names(named_agents(store, "%")), Names{});
}

TEST(Named, sessions_and_tasks_are_those_of_the_agent) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    const AgentId bob = add_agent(store, "bob");
    in_transaction(store, [&] {
        for (const AgentId agent : {ada, bob})
            for (const char* id : {"12ab", "34cd"}) {
                Session session;
                session.agent_id = agent;
                session.id = agent == ada ? id : std::string("b") + id;
                session.description = "first";
                insert_session(store, session);
            }
        for (const int number : {1, 2}) {
            Task task;
            task.agent_id = ada;
            task.id = task_id(number);
            task.command = "make";
            task.started_at = 5;
            insert_task(store, task);
            if (number == 2) continue;
            task.ended_at = 6;
            task.status = TaskStatus::completed;
            end_task(store, task);
        }
    });
    EXPECT_EQ(names(named_sessions(store, ada, "")), (Names{"12ab", "34cd"}));
    EXPECT_EQ(names(named_sessions(store, ada, "1")), Names{"12ab"});
    EXPECT_EQ(named_sessions(store, ada, "1").at(0).about, "first");
    EXPECT_EQ(names(named_tasks(store, ada, "", WhichTasks::all)), (Names{"task_001", "task_002"}));
    EXPECT_EQ(names(named_tasks(store, ada, "task_", WhichTasks::running)), Names{"task_002"});
    EXPECT_EQ(named_tasks(store, ada, "task_001", WhichTasks::all).at(0).about, "completed: make");
    EXPECT_EQ(names(named_tasks(store, bob, "", WhichTasks::all)), Names{});
}

TEST(Look, makes_nothing) {
    const Home home;
    EXPECT_FALSE(Store::look(home.paths()));
    EXPECT_TRUE(std::filesystem::is_empty(home.directory()));
}

TEST(Look, reads_beside_a_writer_and_writes_nothing) {
    const Home home;
    Store store = home.open();
    add_agent(store, "ada");
    std::optional<Store> seen;
    {
        const Transaction transaction(store);
        seen = Store::look(home.paths());
        ASSERT_TRUE(seen);
        EXPECT_EQ(names(named_agents(*seen, "")), Names{"ada"});
    }
    EXPECT_NE(error_of([&] { add_agent(*seen, "eve"); }).message().find("read-only"),
              std::string::npos);
}

}  // namespace
}  // namespace chorus::store
