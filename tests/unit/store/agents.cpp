#include "store/agents.hpp"

#include "home.hpp"
#include "store/prompts.hpp"
#include "store/settings.hpp"
#include "store/tasks.hpp"
#include "store/threads.hpp"

namespace chorus::store {
namespace {

TEST(Agents, come_back_as_they_were_inserted) {
    const Home home;
    Store store = home.open();
    Agent agent;
    agent.name = "ada";
    agent.dir = "agents/ada";
    agent.model = "anthropic/opus";
    agent.permissions = "standard";
    agent.description = "müde";
    agent.channel_id = "webhook:https://example.org";
    agent.created_at = 1'700'000'000'123;
    agent.last_clear_time = 5;
    agent = in_transaction(store, [&] { return insert_agent(store, agent); });
    const std::optional<Agent> found = find_agent(store, "ada");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, agent.id);
    EXPECT_EQ(found->generation, 1);
    EXPECT_EQ(found->kind, "agent");
    EXPECT_EQ(found->dir, "agents/ada");
    EXPECT_EQ(found->model, "anthropic/opus");
    EXPECT_EQ(found->permissions, "standard");
    EXPECT_EQ(found->description, "müde");
    EXPECT_EQ(found->channel_id, "webhook:https://example.org");
    EXPECT_EQ(found->created_at, 1'700'000'000'123);
    EXPECT_EQ(found->last_clear_time, 5);
    EXPECT_EQ(found->destroyed_at, 0);
    EXPECT_FALSE(found->files_kept);
}

// L-51
TEST(Agents, begin_as_creating_with_a_main_thread) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    EXPECT_EQ(find_agent(store, agent)->status, AgentStatus::creating);
    const auto threads = list_threads(store, agent);
    ASSERT_EQ(threads.size(), 1U);
    EXPECT_EQ(threads[0].id, 1);
    EXPECT_EQ(threads[0].branch, "main");
    EXPECT_EQ(threads[0].status, "idle");
}

TEST(Agents, share_no_name) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    for (const AgentStatus status :
         {AgentStatus::creating, AgentStatus::active, AgentStatus::destroying}) {
        in_transaction(store, [&] { set_agent_status(store, agent, status); });
        EXPECT_EQ(error_of([&] { add_agent(store, "ada"); }).code(), base::ErrorCode::exists)
            << name(status);
    }
}

TEST(Agents, give_their_name_to_the_next_generation_once_destroyed) {
    const Home home;
    Store store = home.open();
    const AgentId first = add_agent(store, "ada");
    add_message(store, first, user_message("mine", 1));
    in_transaction(store, [&] { mark_destroyed(store, first, 77, true); });
    EXPECT_FALSE(find_agent(store, "ada"));
    const AgentId second = add_agent(store, "ada");
    EXPECT_EQ(find_agent(store, "ada")->generation, 2);
    const std::optional<Agent> destroyed = find_destroyed_agent(store, "ada");
    ASSERT_TRUE(destroyed);
    EXPECT_EQ(destroyed->id, first);
    EXPECT_EQ(destroyed->destroyed_at, 77);
    EXPECT_TRUE(destroyed->files_kept);
    // L-54: the rows of the namesake keep pointing at it
    EXPECT_EQ(load_messages_after(store, first, 1, 0).size(), 1U);
    EXPECT_TRUE(load_messages_after(store, second, 1, 0).empty());
}

TEST(Agents, list_by_name_without_the_destroyed) {
    const Home home;
    Store store = home.open();
    for (const char* name : {"eve", "ada", "bob"}) add_agent(store, name);
    in_transaction(store, [&] { mark_destroyed(store, find_agent(store, "bob")->id, 1, false); });
    const auto agents = list_agents(store);
    ASSERT_EQ(agents.size(), 2U);
    EXPECT_EQ(agents[0].name, "ada");
    EXPECT_EQ(agents[1].name, "eve");
}

TEST(Agents, keep_children_apart_by_their_directory) {
    const Home home;
    Store store = home.open();
    Agent child;
    child.name = "researcher-20260212103000-x";
    child.kind = "child";
    child.parent_id = add_agent(store, "ada");
    child.preset = "researcher";
    for (const char* dir : {"branches/main/agents/x", "branches/b/agents/x"}) {
        child.dir = dir;
        in_transaction(store, [&] { return insert_agent(store, child); });
    }
    EXPECT_EQ(list_children(store, child.parent_id).size(), 2U);
    EXPECT_EQ(find_child(store, "branches/b/agents/x")->preset, "researcher");
    EXPECT_FALSE(find_agent(store, child.name));
    EXPECT_EQ(list_agents(store).size(), 1U);
    EXPECT_THROW(in_transaction(store, [&] { insert_agent(store, child); }), base::Error);
}

TEST(Agents, are_deleted_only_if_never_active) {
    const Home home;
    Store store = home.open();
    const AgentId leftover = add_agent(store, "ada");
    const AgentId active = add_agent(store, "bob");
    in_transaction(store, [&] {
        set_agent_status(store, active, AgentStatus::active);
        for (const AgentId id : {leftover, active})
            set_setting(store, "agent/" + std::to_string(id), "trust", "{}");
    });
    delete_agent(store, leftover);
    delete_agent(store, active);
    EXPECT_EQ(find_setting(store, "agent/" + std::to_string(leftover), "trust"), "");
    EXPECT_EQ(find_setting(store, "agent/" + std::to_string(active), "trust"), "{}");
    EXPECT_FALSE(find_agent(store, leftover));
    EXPECT_TRUE(list_threads(store, leftover).empty());
    EXPECT_TRUE(find_agent(store, active));
    EXPECT_GT(add_agent(store, "ada"), active) << "an id names lock files: it is not given twice";
}

TEST(Agents, refresh_their_index_and_nothing_else) {
    const Home home;
    Store store = home.open();
    const AgentId id = add_agent(store, "ada");
    Agent changed = *find_agent(store, id);
    changed.model = "m";
    changed.permissions = "locked";
    changed.description = "d";
    changed.channel_id = "c";
    changed.turn_count = 99;
    in_transaction(store, [&] { refresh_agent_index(store, changed); });
    const Agent found = *find_agent(store, id);
    EXPECT_EQ(found.model + found.permissions + found.description + found.channel_id, "mlockeddc");
    EXPECT_EQ(found.turn_count, 0);
}

// C-28, C-32
TEST(Agents, clear_markers_only_move_forward) {
    const Home home;
    Store store = home.open();
    const AgentId id = add_agent(store, "ada");
    in_transaction(store, [&] {
        advance_clear(store, id, 100, 7);
        advance_clear(store, id, 200, 9);
        advance_clear(store, id, 150, 8);
    });
    EXPECT_EQ(find_agent(store, id)->last_clear_time, 200);
    EXPECT_EQ(find_agent(store, id)->last_clear_message, 9);
}

TEST(Tally, counts_threads_running_tasks_and_prompts_that_may_be_decided) {
    const Home home;
    Store store = home.open();
    const AgentId ada = add_agent(store, "ada");
    in_transaction(store, [&] {
        Task task;
        task.agent_id = ada;
        for (const char* id : {"task_001", "task_002"}) {
            task.id = id;
            insert_task(store, task);
        }
        task.status = TaskStatus::completed;
        task.ended_at = 5;
        end_task(store, task);
        Prompt prompt;
        prompt.agent_id = ada;
        prompt.kind = chat::PromptKind::question;
        for (const base::TimeMs expires_at : {0, 10, 11}) {
            prompt.id = "p" + std::to_string(expires_at);
            prompt.expires_at = expires_at;
            insert_prompt(store, prompt);
        }
        prompt.id = "done";
        prompt.state = PromptState::denied;
        insert_prompt(store, prompt);
    });
    const Tally tally = tally_of(store, ada, 10);
    EXPECT_EQ(tally.threads, 1);
    EXPECT_EQ(tally.tasks, 1);
    EXPECT_EQ(tally.prompts, 2);
    EXPECT_EQ(tally_of(store, ada + 1, 10).threads, 0);
}

// L-50
TEST(Agents, of_a_name_are_listed_newest_first) {
    const Home home;
    Store store = home.open();
    const AgentId first = add_agent(store, "ada");
    in_transaction(store, [&] { mark_destroyed(store, first, 1, false); });
    const AgentId second = add_agent(store, "ada");
    add_agent(store, "bob");
    Agent child;
    child.name = "ada";
    child.kind = "child";
    child.parent_id = second;
    in_transaction(store, [&] { insert_agent(store, child); });
    const auto all = list_generations(store, "ada");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].id, second);
    EXPECT_EQ(all[1].id, first);
    EXPECT_TRUE(list_generations(store, "cy").empty());
}

}  // namespace
}  // namespace chorus::store
