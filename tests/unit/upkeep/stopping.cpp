#include "upkeep/stopping.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "store/tasks.hpp"
#include "unit/store/home.hpp"

namespace chorus::upkeep {
namespace {

constexpr std::int64_t for_ever_ms = 60'000;

void sleep_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

class StoppingTest : public testing::Test {
  protected:
    StoppingTest() : store_(home_.open()), agent_(store::add_agent(store_, "ada")) {}

    // Has begun when this returns.
    static pid_t start(const std::function<void()>& work) {
        int ready[2];
        EXPECT_EQ(pipe(ready), 0);
        const pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            alarm(60);
            work();
            [[maybe_unused]] const ssize_t told = write(ready[1], "x", 1);
            for (;;) pause();
        }
        char told = 0;
        EXPECT_EQ(read(ready[0], &told, 1), 1);
        close(ready[0]);
        close(ready[1]);
        return pid;
    }
    static sys::Identity identity_of(pid_t pid) {
        for (const sys::Identity& child : sys::descendants(sys::own_identity()))
            if (child.pid == pid) return child;
        ADD_FAILURE() << "no child " << pid;
        return {};
    }
    void add_turn_of(const sys::Identity& process) {
        store::Turn turn = store::add_turn(store_, agent_);
        turn.pid = process.pid;
        turn.pid_start = process.start;
        store::in_transaction(store_, [&] { store::update_turn(store_, turn); });
    }
    static int signal_that_ended(pid_t pid) {
        const int status = store::wait_for(pid);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }

    store::Home home_;
    store::Store store_;
    store::AgentId agent_;
};

TEST_F(StoppingTest, asks_a_turn_once) {
    const pid_t turn = start([] {
        static int asked = 0;
        signal(SIGTERM, [](int) {
            if (++asked == 2) _exit(2);
        });
    });
    add_turn_of(identity_of(turn));
    Stopping stopping(store_, {agent_}, for_ever_ms);
    for (int i = 0; i < 5; ++i) {
        stopping.look();
        sleep_ms(60);
    }
    EXPECT_TRUE(sys::is_alive(identity_of(turn)));
    EXPECT_EQ(stopping.stopped(), 1U);
    kill(turn, SIGKILL);
    EXPECT_EQ(signal_that_ended(turn), SIGKILL);
}

TEST_F(StoppingTest, wakes_one_that_is_stopped) {
    const pid_t turn = start([] {});
    add_turn_of(identity_of(turn));
    kill(turn, SIGSTOP);
    Stopping stopping(store_, {agent_}, for_ever_ms);
    stopping.look();
    EXPECT_EQ(signal_that_ended(turn), SIGTERM);
}

// Between the end that it puts on record and its last step it has the locks.
TEST_F(StoppingTest, kills_one_whose_turn_has_ended_and_which_stays) {
    const pid_t turn = start([] { signal(SIGTERM, SIG_IGN); });
    add_turn_of(identity_of(turn));
    Stopping stopping(store_, {agent_}, 200);
    stopping.look();
    store::Turn row = store::open_turns(store_, agent_).at(0);
    row.pid = 0;
    row.ended_at = 1;
    store::in_transaction(store_, [&] { store::update_turn(store_, row); });
    sleep_ms(250);
    stopping.look();
    EXPECT_EQ(signal_that_ended(turn), SIGKILL);
}

TEST_F(StoppingTest, kills_one_that_does_not_listen_and_what_it_has_started) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t turn = start([] {
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) {
            alarm(60);
            setsid();
            for (;;) pause();
        }
    });
    const sys::Identity identity = identity_of(turn);
    add_turn_of(identity);
    const auto started = sys::descendants(identity);
    ASSERT_EQ(started.size(), 1U);
    Stopping stopping(store_, {agent_}, 300);
    stopping.look();
    sleep_ms(150);
    EXPECT_TRUE(sys::is_alive(identity));
    sleep_ms(200);
    stopping.look();
    EXPECT_EQ(signal_that_ended(turn), SIGKILL);
    EXPECT_TRUE(sys::is_alive(started[0]));
    stopping.finish();
    EXPECT_EQ(signal_that_ended(static_cast<pid_t>(started[0].pid)), SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(StoppingTest, leaves_the_tasks_of_one_that_it_kills_alone) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t turn = start([] {
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) {
            alarm(60);
            for (;;) pause();
        }
    });
    add_turn_of(identity_of(turn));
    const auto started = sys::descendants(identity_of(turn));
    ASSERT_EQ(started.size(), 1U);
    store::Task task;
    task.agent_id = agent_;
    task.id = "task_001";
    task.pid = started[0].pid;
    task.pid_start = started[0].start;
    store::in_transaction(store_, [&] { store::insert_task(store_, task); });
    Stopping stopping(store_, {agent_}, 0);
    stopping.look();
    EXPECT_EQ(signal_that_ended(turn), SIGKILL);
    stopping.finish();
    EXPECT_TRUE(sys::is_alive(started[0]));
    kill(static_cast<pid_t>(started[0].pid), SIGKILL);
    store::wait_for(static_cast<pid_t>(started[0].pid));
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(StoppingTest, leaves_strangers_alone) {
    const pid_t stranger = start([] {});
    sys::Identity identity = identity_of(stranger);
    ++identity.start;
    add_turn_of(identity);
    Stopping stopping(store_, {agent_}, 0);
    stopping.look();
    stopping.finish();
    EXPECT_EQ(stopping.stopped(), 0U);
    EXPECT_TRUE(sys::is_alive(identity_of(stranger)));
    kill(stranger, SIGKILL);
    store::wait_for(stranger);
}

TEST_F(StoppingTest, looks_at_turns_that_begin_meanwhile_but_not_at_those_of_others) {
    const pid_t other = start([] {});
    const store::AgentId bob = store::add_agent(store_, "bob");
    add_turn_of(identity_of(other));
    Stopping stopping(store_, {bob}, 0);
    stopping.look();
    EXPECT_TRUE(sys::is_alive(identity_of(other)));
    const pid_t late = start([] { signal(SIGTERM, SIG_IGN); });
    agent_ = bob;
    add_turn_of(identity_of(late));
    sleep_ms(150);
    stopping.look();
    EXPECT_EQ(signal_that_ended(late), SIGKILL);
    kill(other, SIGKILL);
    store::wait_for(other);
}

}  // namespace
}  // namespace chorus::upkeep
