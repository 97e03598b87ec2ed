#include "cli/progress.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "sys/clock.hpp"
#include "sys/terminal.hpp"

namespace chorus::cli {
namespace {

constexpr std::int64_t quiet_ms = 1'500;
constexpr std::size_t most_below = 8;  // lines
constexpr auto tick_interval = std::chrono::milliseconds(200);

// A terminal that was stopped with ^S takes nothing.
bool takes_text() {
    pollfd terminal{STDERR_FILENO, POLLOUT, 0};
    return poll(&terminal, 1, 0) == 1;
}

std::string seconds_since(std::int64_t start_ms) {
    return std::to_string((sys::monotonic_ms() - start_ms) / 1000) + " s";
}

}  // namespace

Progress::Progress(bool color, std::function<void(std::string_view)> write)
    : color_(color), write_(std::move(write)), start_ms_(sys::monotonic_ms()) {
    // signals are left to the main thread
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::thread([this] { tick(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
    {
        const std::lock_guard guard(mutex_);
        ending_ = true;
        erase();
    }
    wake_.notify_all();
    thread_.join();
}

void Progress::doing(std::string what) {
    const std::lock_guard guard(mutex_);
    what_ = std::move(what);
}

void Progress::below(const std::string& sub_agent, std::string what) {
    const std::lock_guard guard(mutex_);
    below_.try_emplace(sub_agent, Below{{}, sys::monotonic_ms()});
    below_[sub_agent].what = std::move(what);
}

void Progress::end_below(const std::string& sub_agent) {
    const std::lock_guard guard(mutex_);
    below_.erase(sub_agent);
}

void Progress::spent(const chat::Usage& usage) {
    const std::lock_guard guard(mutex_);
    usage_ = usage;
}

void Progress::count_tool() {
    const std::lock_guard guard(mutex_);
    ++tools_;
}

void Progress::pause() {
    const std::lock_guard guard(mutex_);
    paused_ = true;
    erase();
}

void Progress::resume() {
    const std::lock_guard guard(mutex_);
    paused_ = false;
}

void Progress::tick() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        wake_.wait_for(lock, tick_interval);
        if (!ending_ && !paused_ && sys::monotonic_ms() - start_ms_ >= quiet_ms) draw();
    }
}

std::string Progress::own_line() const {
    std::string text = what_ + " · " + seconds_since(start_ms_);
    if (tools_ > 0) text += " · " + base::counted(tools_, "tool");
    const std::int64_t tokens = usage_.input_tokens + usage_.output_tokens;
    if (tokens > 0) text += " · " + std::to_string(tokens) + " tokens";
    if (usage_.cost > 0) text += " · " + base::usd_text(usage_.cost);
    return text;
}

// Does not wait: whoever else has something to print would wait, too.
void Progress::draw() {
    if (!takes_text()) return;
    std::vector<std::string> lines;
    for (const auto& [id, below] : below_)
        if (lines.size() < most_below)
            lines.push_back("  " + below.what + " · " + seconds_since(below.start_ms));
    lines.insert(lines.begin(), own_line());
    const auto width = sys::terminal_size(STDERR_FILENO).value_or(sys::TerminalSize{}).columns - 1;
    std::string text;
    for (const std::string& line : lines) {
        const std::string shown(
            base::utf8_prefix(base::visible(line, base::Newlines::escape), width));
        text += (text.empty() ? "" : "\n") + (color_ ? "\x1b[2m" + shown + "\x1b[0m" : shown);
    }
    text.insert(0, erasure());
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    lines_ = lines.size();
}

std::string Progress::erasure() {
    std::string text = lines_ > 0 ? "\r\x1b[K" : "";
    for (; lines_ > 1; --lines_) text += "\x1b[A\x1b[K";
    lines_ = 0;
    return text;
}

void Progress::erase() {
    if (lines_ > 0) write_(erasure());
}

}  // namespace chorus::cli
