// libgit2 1.5 waits for a server as long as it takes. This ends such a wait: when nothing has come
// for a while, the sockets opened meanwhile are shut down and libgit2 fails by itself. For this
// room's own use.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

namespace chorus::repo {

class Silence {
  public:
    explicit Silence(std::int64_t most_ms);
    ~Silence();
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

    void heard();  // something came
    bool was_too_long() const { return too_long_; }

  private:
    void watch();

    const std::int64_t most_ms_;
    const std::set<int> older_;  // sockets of somebody else
    std::atomic<std::int64_t> last_ms_;
    std::atomic<bool> too_long_ = false;
    std::mutex mutex_;
    std::condition_variable end_;
    bool over_ = false;
    std::thread watcher_;
};

}  // namespace chorus::repo
