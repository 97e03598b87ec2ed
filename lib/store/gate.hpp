// The write gate of a home: one lock file that every write transaction holds from BEGIN to COMMIT.
// Waiting processes are served in order (SQLite's own waiting can starve some), and a checkpoint
// never runs beside another connection's commit, which can corrupt the database with SQLite before
// 3.51.3.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sys/lock.hpp"

namespace chorus::store {

constexpr std::int64_t longest_wait_ms = 10'000;

// The file is opened at first use and stays open: a turn passes the gate many times. A
// std::lock_guard keeps it closed behind itself.
class Gate {
  public:
    explicit Gate(std::string path) : path_(std::move(path)) {}
    // Waits at most `most_ms` (negative: without limit), then throws Error(agent_busy). `stop` is
    // called every few milliseconds and may throw another error to end the wait.
    void set_patience(std::int64_t most_ms, std::function<bool()> stop) {
        most_ms_ = most_ms;
        stop_ = std::move(stop);
    }
    void lock();
    void unlock();

  private:
    std::string path_;
    std::int64_t most_ms_ = longest_wait_ms;
    std::function<bool()> stop_;
    std::optional<sys::LockFile> file_;
};

}  // namespace chorus::store
