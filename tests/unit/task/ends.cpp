// Whose processes are ended: never those of strangers.
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "store/agents.hpp"
#include "sys/lock.hpp"
#include "sys/proc_status.hpp"
#include "sys/process.hpp"
#include "task/task.hpp"

namespace chorus::task {
namespace {

constexpr int strangers = 1000;

class Ends : public testing::Test {
  protected:
    static std::string make_home() {
        std::string path = std::filesystem::temp_directory_path() / "chorus-task-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp");
        std::filesystem::create_directories(path + "/agents/ada");
        return path;
    }
    ~Ends() override {
        for (const pid_t pid : children_) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        std::filesystem::remove_all(home_.path());
    }

    store::AgentId add_agent() {
        store::Transaction transaction(store_);
        store::Agent row;
        row.name = "ada";
        row.dir = "agents/ada";
        const auto agent = store::insert_agent(store_, row);
        store::set_agent_status(store_, agent.id, store::AgentStatus::active);
        transaction.commit();
        return agent.id;
    }

    // A process that waits for a signal; with that pid, where one is wanted.
    pid_t sleeper(pid_t wanted = 0) {
        clone_args arguments{};
        arguments.exit_signal = SIGCHLD;
        arguments.set_tid = wanted == 0 ? 0 : reinterpret_cast<std::uint64_t>(&wanted);
        arguments.set_tid_size = wanted == 0 ? 0 : 1;
        const auto pid = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
        if (pid == 0)
            for (;;) pause();
        if (pid > 0) children_.push_back(pid);
        return pid;
    }

    static void end(pid_t pid) {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }

    void insert(int number, const sys::Identity& supervisor, const std::string& boot_id) {
        store::Task task;
        task.agent_id = site_.agent;
        task.id = store::task_id(number);
        task.command = "x";
        task.pid = supervisor.pid;
        task.pid_start = supervisor.start;
        task.boot_id = boot_id;
        store::insert_task(store_, task);
    }

    // As if each of them had a supervisor, which is what signals are for.
    sys::Lock hold_all() {
        auto lock = sys::Lock::try_acquire(home_.task_lock(site_.agent), sys::LockMode::exclusive);
        if (!lock) throw std::runtime_error("the lock is taken");
        return std::move(*lock);
    }

    std::vector<pid_t> children_;
    agent::Home home_{make_home()};
    store::Store store_ = store::Store::open({home_.database(), home_.gate()});
    Site site_{home_, agent::Directory(home_.agent("ada")), store_, add_agent()};
};

// Processes that have the pid of a supervisor that is gone, each for real.
TEST_F(Ends, as_root_no_stranger_is_killed_who_has_got_the_pid_since) {
    std::vector<sys::Identity> gone;
    for (int i = 0; i < strangers; ++i) {
        const pid_t pid = sleeper();
        ASSERT_GT(pid, 0);
        gone.push_back(sys::identity_of(pid));
    }
    for (const sys::Identity& one : gone) end(static_cast<pid_t>(one.pid));
    children_.clear();
    // start times are counted in ticks of 10 ms
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    int reused = 0;
    store::Transaction transaction(store_);
    for (int i = 0; i < strangers; ++i) {
        reused += sleeper(static_cast<pid_t>(gone[i].pid)) == gone[i].pid ? 1 : 0;
        insert(i + 1, gone[i], sys::boot_id());
    }
    transaction.commit();
    // another process of the machine may have got a pid in between
    ASSERT_GT(reused, strangers * 95 / 100);
    std::optional<sys::Lock> held = hold_all();
    std::thread release([&held] {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        held.reset();
    });
    const auto ended = task::end(site_, store::running_tasks(store_, site_.agent), 0);
    release.join();
    int alive = 0;
    for (const pid_t pid : children_) alive += waitpid(pid, nullptr, WNOHANG) == 0 ? 1 : 0;
    EXPECT_EQ(alive, static_cast<int>(children_.size()));
    for (const store::Task& task : ended) EXPECT_EQ(task.status, store::TaskStatus::lost);
}

// The right process, of this boot and of another.
TEST_F(Ends, one_that_is_the_supervisor_is_signalled_and_one_of_another_boot_is_not) {
    const pid_t supervisor = sleeper();
    const pid_t other = sleeper();
    store::Transaction transaction(store_);
    insert(1, sys::identity_of(supervisor), sys::boot_id());
    insert(2, sys::identity_of(other), "an earlier boot");
    transaction.commit();
    std::optional<sys::Lock> held = hold_all();
    std::thread release([&] {
        int status = 0;
        waitpid(supervisor, &status, 0);
        EXPECT_EQ(WTERMSIG(status), SIGTERM);
        std::erase(children_, supervisor);
        held.reset();
    });
    task::end(site_, store::running_tasks(store_, site_.agent), 5'000);
    release.join();
    EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0);
}

TEST_F(Ends, what_has_no_supervisor_is_lost_and_takes_its_message_along) {
    store::Task task;
    task.agent_id = site_.agent;
    task.id = "task_001";
    task.command = "make";
    task.on_exit = "look";
    {
        store::Transaction transaction(store_);
        store::insert_task(store_, task);
        transaction.commit();
    }
    {
        const auto held = hold_all();
        EXPECT_EQ(settle(site_).size(), 1U);
    }
    EXPECT_TRUE(settle(site_).empty());
    EXPECT_EQ(require_task(site_, "1").status, store::TaskStatus::lost);
    EXPECT_EQ(require_task(site_, "task_001").id, "task_001");
    for (const char* id :
         {"", "0", "task_", "task_002", "1x", "-1", "../1", "99999999999999999999"})
        EXPECT_THROW(require_task(site_, id), base::Error) << id;
}

}  // namespace
}  // namespace chorus::task
