#include "store/tasks.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

Task task_of(AgentId agent, std::int64_t number) {
    Task task;
    task.agent_id = agent;
    task.id = task_id(number);
    task.command = "make";
    task.directory = "/";
    task.started_at = 10;
    return task;
}

class Tasks : public testing::Test {
  protected:
    void insert(const Task& task) {
        Transaction transaction(store_);
        insert_task(store_, task);
        transaction.commit();
    }
    bool end(Task task, TaskStatus status, base::TimeMs at) {
        task.status = status;
        task.ended_at = at;
        Transaction transaction(store_);
        const bool first = end_task(store_, task);
        transaction.commit();
        return first;
    }

    Home home_;
    Store store_ = home_.open();
    AgentId agent_ = add_agent(store_, "ada");
};

TEST_F(Tasks, have_ids_in_order_beyond_three_digits_too) {
    EXPECT_EQ(task_id(7), "task_007");
    EXPECT_EQ(task_id(1000), "task_1000");
    EXPECT_EQ(next_task_number(store_, agent_), 1);
    for (const std::int64_t number : {998, 999, 1000, 1001}) insert(task_of(agent_, number));
    EXPECT_EQ(next_task_number(store_, agent_), 1002);
    std::vector<std::string> ids;
    for (const Task& task : running_tasks(store_, agent_)) ids.push_back(task.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"task_998", "task_999", "task_1000", "task_1001"}));
}

TEST_F(Tasks, are_read_as_they_were_written) {
    Task task = task_of(agent_, 1);
    task.thread_id = 1;
    task.tool_call_id = "c";
    task.actor = "uid 0";
    task.pid = 12;
    task.pid_start = 34;
    task.boot_id = "boot";
    task.on_exit = "look";
    task.goes_on = true;
    task.depth = 2;
    task.rights = "{}";
    insert(task);
    const auto found = find_task(store_, agent_, "task_001");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->command, "make");
    EXPECT_EQ(found->directory, "/");
    EXPECT_EQ(found->tool_call_id, "c");
    EXPECT_EQ(found->pid, 12);
    EXPECT_EQ(found->pid_start, 34);
    EXPECT_EQ(found->boot_id, "boot");
    EXPECT_EQ(found->on_exit, "look");
    EXPECT_TRUE(found->goes_on);
    EXPECT_EQ(found->depth, 2);
    EXPECT_EQ(found->rights, "{}");
    EXPECT_EQ(found->status, TaskStatus::running);
    EXPECT_EQ(found->exit_code, -1);
    EXPECT_EQ(outcome(*found), "running");
    EXPECT_FALSE(find_task(store_, agent_, "task_002"));
}

// L-38
TEST_F(Tasks, end_once) {
    Task task = task_of(agent_, 1);
    insert(task);
    task.exit_code = 0;
    EXPECT_TRUE(end(task, TaskStatus::completed, 20));
    EXPECT_FALSE(end(task, TaskStatus::lost, 30));
    const auto found = find_task(store_, agent_, "task_001");
    EXPECT_EQ(found->status, TaskStatus::completed);
    EXPECT_EQ(found->ended_at, 20);
    EXPECT_EQ(outcome(*found), "exit status 0");
    EXPECT_TRUE(running_tasks(store_, agent_).empty());
    EXPECT_EQ(ended_tasks(store_, agent_, 19).size(), 1U);
    EXPECT_TRUE(ended_tasks(store_, agent_, 20).empty());
}

TEST_F(Tasks, that_ended_since_a_thread_was_told_last) {
    for (const std::int64_t number : {1, 2, 3}) insert(task_of(agent_, number));
    end(task_of(agent_, 1), TaskStatus::failed, 50);
    end(task_of(agent_, 2), TaskStatus::failed, 51);
    EXPECT_TRUE(tasks_ended_since_turn(store_, agent_, 1).empty());
    for (const base::TimeMs began : {10, 50}) {
        Turn turn;
        turn.agent_id = agent_;
        turn.started_at = began;
        turn.ended_at = began;
        in_transaction(store_, [&] { insert_turn(store_, turn); });
        EXPECT_EQ(tasks_ended_since_turn(store_, agent_, 1).size(), began == 10 ? 2U : 1U);
    }
    EXPECT_TRUE(tasks_ended_since_turn(store_, agent_, 2).empty());
}

TEST_F(Tasks, say_how_they_ended) {
    Task task = task_of(agent_, 1);
    task.ended_at = 1;
    task.signal = 9;
    EXPECT_EQ(outcome(task), "ended by signal 9 (KILL)");
    task.signal = 0;
    task.status = TaskStatus::lost;
    EXPECT_EQ(outcome(task), "lost");
}

}  // namespace
}  // namespace chorus::store
