#include "store/gate.hpp"

#include <signal.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "home.hpp"
#include "sys/fd.hpp"

namespace chorus::store {
namespace {

using Clock = std::chrono::steady_clock;

// A child that holds the gate until it is killed; returns when it does.
pid_t start_holder(const std::string& path) {
    sys::Pipe pipe = sys::make_pipe();
    const pid_t child = start_child([&] {
        Gate gate(path);
        const std::lock_guard passage(gate);
        pipe.write_end.reset();
        pause();
    });
    pipe.write_end.reset();
    sys::read_all(pipe.read_end.get(), 0, "pipe");
    return child;
}

TEST(Gate, is_closed_while_another_process_is_inside_and_opens_when_it_dies) {
    const Home home;
    const std::string path = home.directory() + "/locks/database";
    const pid_t holder = start_holder(path);
    std::thread killer([holder] {
        std::this_thread::sleep_for(std::chrono::milliseconds(120));
        kill(holder, SIGKILL);
    });
    const auto began = Clock::now();
    Gate gate(path);
    { const std::lock_guard passage(gate); }
    const auto waited = Clock::now() - began;
    killer.join();
    wait_for(holder);
    EXPECT_GE(waited, std::chrono::milliseconds(100));
    EXPECT_LT(waited, std::chrono::seconds(5));
}

TEST(Gate, opens_again_behind_who_leaves) {
    const Home home;
    Gate first(home.directory() + "/locks/database");
    Gate second(home.directory() + "/locks/database");
    for (int i = 0; i < 3; ++i) {
        { const std::lock_guard passage(first); }
        { const std::lock_guard passage(second); }
    }
}

TEST(Gate, follows_no_link) {
    const Home home;
    std::filesystem::create_symlink("/etc/hostname", home.directory() + "/database");
    Gate gate(home.directory() + "/database");
    EXPECT_THROW(const std::lock_guard passage(gate), base::Error);
}

}  // namespace
}  // namespace chorus::store
