#include "sys/lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/descriptors.hpp"
#include "sys/clock.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using test::Scratch;
constexpr auto shared = Lock::Mode::shared;
constexpr auto exclusive = Lock::Mode::exclusive;

// A process that takes the lock, says so, and holds it until it is killed.
class Holder {
  public:
    Holder(const std::string& path, Lock::Mode mode) {
        Pipe ready = make_pipe();
        child_ = test::start_child([&] {
            const auto lock = Lock::try_acquire(path, mode);
            write_all(ready.write_end.get(), lock ? "y" : "n", "pipe");
            for (;;) pause();
            return 0;
        });
        ready.write_end.reset();
        char answer = 0;
        holds_ = read(ready.read_end.get(), &answer, 1) == 1 && answer == 'y';
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() { end(); }
    bool holds() const { return holds_; }
    void end() {
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        test::wait_for(child_);
        child_ = 0;
    }

  private:
    pid_t child_ = 0;
    bool holds_ = false;
};

TEST(Lock, ExcludesEvenWithinOneProcess) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    auto held = Lock::try_acquire(path, exclusive);
    ASSERT_TRUE(held);
    EXPECT_FALSE(Lock::try_acquire(path, exclusive));
    EXPECT_FALSE(Lock::try_acquire(path, shared));
    held->release();
    EXPECT_TRUE(Lock::try_acquire(path, exclusive));
}

TEST(Lock, SharedHoldersStandTogether) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    const auto first = Lock::try_acquire(path, shared);
    const auto second = Lock::try_acquire(path, shared);
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(Lock::try_acquire(path, exclusive));
}

TEST(Lock, IsFreedWhenItsHolderIsKilled) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    Holder holder(path, exclusive);
    ASSERT_TRUE(holder.holds());
    EXPECT_FALSE(Lock::try_acquire(path, exclusive));
    holder.end();
    EXPECT_TRUE(Lock::try_acquire(path, exclusive));
}

TEST(Lock, ClosingAnotherDescriptorOfTheFileKeepsIt) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    const auto held = Lock::try_acquire(path, exclusive);
    EXPECT_EQ(test::text_of(path), "");  // with POSIX locks this close would have dropped it
    EXPECT_EQ(test::in_child([&] { return Lock::try_acquire(path, exclusive) ? 1 : 0; }), 0);
}

TEST(Lock, RangesAreApart) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    const auto held = Lock::try_acquire(path, exclusive, {10, 1});
    ASSERT_TRUE(held);
    EXPECT_TRUE(Lock::try_acquire(path, exclusive, {11, 1}));
    EXPECT_FALSE(Lock::try_acquire(path, exclusive, {10, 1}));
    EXPECT_FALSE(Lock::try_acquire(path, exclusive));
}

TEST(Lock, WaitsNoLongerThanAsked) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    const Holder holder(path, exclusive);
    ASSERT_TRUE(holder.holds());
    EXPECT_FALSE(Lock::acquire(path, exclusive, 0));
    const std::int64_t began = monotonic_ms();
    EXPECT_FALSE(Lock::acquire(path, exclusive, 60));
    const std::int64_t took = monotonic_ms() - began;
    EXPECT_GE(took, 60);
    EXPECT_LT(took, 10'000);
}

TEST(Lock, IsTakenWhenItsHolderDiesWhileItIsWaitedFor) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    Holder holder(path, exclusive);
    ASSERT_TRUE(holder.holds());
    int looks = 0;
    const auto lock = Lock::acquire(path, exclusive, -1, [&] {
        if (++looks == 3) holder.end();
        return false;
    });
    EXPECT_TRUE(lock);
    EXPECT_GE(looks, 3);
}

// Threads that ask for the lock one after the other; each notes its number when it has got it.
class Line {
  public:
    explicit Line(std::string path) : path_(std::move(path)) {}
    void add(int number, std::int64_t wait_ms = -1) {
        threads_.emplace_back([this, number, wait_ms] { wait(number, wait_ms); });
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    void wait(int number, std::int64_t wait_ms) {
        const auto lock = Lock::acquire(path_, exclusive, wait_ms);
        const std::lock_guard guard(mutex_);
        if (lock) served_.push_back(number);
    }
    std::vector<int> served() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
        return served_;
    }

  private:
    std::string path_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::vector<int> served_;
};

// Who polls with growing pauses is overtaken by every newcomer, and who sleeps by whoever is awake.
TEST(Lock, ServesWhoWaitsInOrderAndBeforeWhoComesAgain) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    auto held = Lock::acquire(path, exclusive, -1);
    ASSERT_TRUE(held);
    Line line(path);
    std::vector<int> in_order;
    for (int i = 0; i < 12; ++i) {
        line.add(i);
        in_order.push_back(i);
    }
    held->release();
    line.wait(12, -1);
    in_order.push_back(12);
    EXPECT_EQ(line.served(), in_order);
}

TEST(Lock, WhoGivesUpLeavesTheOthersInOrder) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    auto held = Lock::acquire(path, exclusive, -1);
    ASSERT_TRUE(held);
    Line line(path);
    line.add(0, 200);
    line.add(1);
    line.add(2, 200);
    line.add(3, 200);
    line.add(4);
    line.add(5);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    held->release();
    EXPECT_EQ(line.served(), (std::vector<int>{1, 4, 5}));
}

TEST(Lock, WhoGaveUpHoldsNobodyUp) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    auto held = Lock::try_acquire(path, exclusive);
    ASSERT_TRUE(held);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(Lock::acquire(path, exclusive, 5));
    held->release();
    EXPECT_TRUE(Lock::acquire(path, exclusive, 5'000));
}

TEST(Lock, SharedOnesLineUpBehindAnExclusiveOne) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    auto held = Lock::try_acquire(path, shared);
    std::atomic<bool> is_written{false};
    std::thread writer([&] {
        const auto lock = Lock::acquire(path, exclusive, -1);
        is_written = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_FALSE(Lock::acquire(path, shared, 30));
    EXPECT_TRUE(Lock::try_acquire(path, shared)) << "without waiting there is no line";
    held->release();
    writer.join();
    EXPECT_TRUE(is_written);
}

TEST(Lock, AForeignLockOfTheWholeFileIsWaitedForNoLongerThanAsked) {
    const Scratch scratch;
    const std::string path = scratch / "l";
    Fd foreign(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock whole {};
    whole.l_type = F_WRLCK;
    ASSERT_EQ(fcntl(foreign.get(), F_OFD_SETLK, &whole), 0);
    EXPECT_FALSE(Lock::acquire(path, exclusive, 100));
    std::thread later([&] {
        usleep(100'000);
        foreign.reset();
    });
    EXPECT_TRUE(Lock::acquire(path, exclusive, 20'000));
    later.join();
}

TEST(Lock, StopsWaitingWhenTold) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    const Holder holder(path, shared);
    ASSERT_TRUE(holder.holds());
    int looks = 0;
    EXPECT_FALSE(Lock::acquire(path, exclusive, -1, [&] { return ++looks == 4; }, {3, 1}));
    EXPECT_EQ(looks, 4);
}

TEST(Lock, GivingUpLeavesNothingBehind) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    Holder holder(path, exclusive);
    ASSERT_TRUE(holder.holds());
    const auto threads = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    const auto before = threads();
    const auto opened_before = chorus::test::open_descriptors();
    for (int i = 0; i < 20; ++i) ASSERT_FALSE(Lock::acquire(path, exclusive, 5));
    EXPECT_EQ(threads(), before);
    EXPECT_EQ(chorus::test::opened_since(opened_before), "");
    holder.end();
    EXPECT_TRUE(Lock::try_acquire(path, exclusive));
}

TEST(Lock, FileIsPrivateAndStays) {
    const Scratch scratch;
    const std::string path = scratch / "lock";
    { const auto lock = Lock::try_acquire(path, exclusive); }
    EXPECT_EQ(test::mode_of(path), 0600U);
}

TEST(Lock, IsNotHeldUpByALinkOrAFifoInItsPlace) {
    const Scratch scratch;
    test::put(scratch / "elsewhere", "");
    std::filesystem::create_symlink(scratch / "elsewhere", scratch / "link");
    EXPECT_THROW(Lock::try_acquire(scratch / "link", exclusive), base::Error);
    EXPECT_THROW(Lock::try_acquire(scratch / "missing/lock", exclusive), base::Error);
    ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(test::in_child([&] {
                  Lock::acquire(scratch / "fifo", exclusive, 20);
                  return 7;
              }),
              7);
}

}  // namespace
}  // namespace chorus::sys
