// The status line on a terminal's stderr: shown after 1.5 s, always removed at the end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "chat/message.hpp"

namespace chorus::cli {

class Progress {
  public:
    // `write` writes to the terminal, however long that takes.
    Progress(bool color, std::function<void(std::string_view)> write);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void doing(std::string what);
    void count_tool();
    // Shows what a sub-agent does on a line of its own, until it has ended.
    void below(const std::string& sub_agent, std::string what);
    void end_below(const std::string& sub_agent);
    void spent(const chat::Usage& usage);
    // Runs `print` with the line removed; it comes back at the next tick.
    template <typename Print>
    void without_line(Print print) {
        const std::lock_guard guard(mutex_);
        erase();
        print();
    }
    void pause();
    void resume();

  private:
    void tick();
    std::string own_line() const;
    std::string erasure();
    void draw();
    void erase();

    bool color_;
    std::function<void(std::string_view)> write_;
    std::int64_t start_ms_;
    std::string what_ = "starting";
    int tools_ = 0;
    chat::Usage usage_;
    struct Below {
        std::string what;
        std::int64_t start_ms = 0;
    };
    std::map<std::string, Below> below_;
    std::size_t lines_ = 0;  // on the screen
    bool paused_ = false;
    bool ending_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace chorus::cli
