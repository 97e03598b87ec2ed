#include "cli/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>

#include "base/text.hpp"
#include "sys/clock.hpp"
#include "sys/terminal.hpp"

namespace chorus::cli {
namespace {

constexpr std::int64_t quiet_ms = 1'500;
constexpr auto tick_interval = std::chrono::milliseconds(200);

void put(const std::string& text) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(bool color) : color_(color), start_ms_(sys::monotonic_ms()) {
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

void Progress::draw() {
    std::string text =
        what_ + " · " + std::to_string((sys::monotonic_ms() - start_ms_) / 1000) + " s";
    if (tools_ > 0) text += " · " + base::counted(tools_, "tool");
    const std::int64_t tokens = usage_.input_tokens + usage_.output_tokens;
    if (tokens > 0) text += " · " + std::to_string(tokens) + " tokens";
    if (usage_.cost > 0) text += " · " + base::usd_text(usage_.cost);
    text = base::visible(text, base::Newlines::escape);
    text = base::utf8_prefix(
        text, sys::terminal_size(STDERR_FILENO).value_or(sys::TerminalSize{}).columns - 1);
    put(color_ ? "\r\x1b[K\x1b[2m" + text + "\x1b[0m" : "\r\x1b[K" + text);
    shown_ = true;
}

void Progress::erase() {
    if (shown_) put("\r\x1b[K");
    shown_ = false;
}

}  // namespace chorus::cli
