#include "sys/terminal.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "sys/environment.hpp"
#include "sys/signals.hpp"

namespace chorus::sys {
namespace {

constexpr std::string_view hide = "\x1b[?25l";
constexpr std::string_view show = "\x1b[?25h";

std::atomic<int> hidden_on{-1};
std::atomic<bool> was_stopped{false};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch nothing else");

void put(int fd, std::string_view text) noexcept {
    [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
}

void on_signal(int number);

void set(int number, void (*action)(int)) noexcept {
    struct sigaction wanted {};
    wanted.sa_handler = action;
    wanted.sa_flags = SA_RESTART;
    sigemptyset(&wanted.sa_mask);
    sigaction(number, &wanted, nullptr);
}

// Shows the cursor and takes the signal's default action. For SIGTSTP this returns when the process
// continues.
void on_signal(int number) {
    const int kept = errno;
    show_hidden_cursor();
    set(number, SIG_DFL);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &own, nullptr);  // now it stops, or ends
    set(number, on_signal);
    was_stopped = true;
    errno = kept;
}

}  // namespace

std::optional<TerminalSize> terminal_size(int fd) {
    if (isatty(fd) != 1) return std::nullopt;
    TerminalSize size;
    winsize told{};
    if (ioctl(fd, TIOCGWINSZ, &told) != 0) return size;
    if (told.ws_row > 0) size.rows = told.ws_row;
    if (told.ws_col > 0) size.columns = told.ws_col;
    return size;
}

bool takes_escapes(int fd) {
    return isatty(fd) == 1 && term_takes_escapes();
}

void show_hidden_cursor() noexcept {
    const int fd = hidden_on;
    if (fd >= 0) put(fd, show);
}

HiddenCursor::HiddenCursor(int fd) {
    hidden_on = fd;
    for (const int number : {SIGQUIT, SIGTSTP})
        if (!is_ignored(number)) set(number, on_signal);
    put(fd, hide);
}

HiddenCursor::~HiddenCursor() {
    show_hidden_cursor();
    for (const int number : {SIGQUIT, SIGTSTP})
        if (!is_ignored(number)) set(number, SIG_DFL);
    hidden_on = -1;
}

bool HiddenCursor::came_back() {
    if (!was_stopped.exchange(false)) return false;
    put(hidden_on, hide);
    return true;
}

}  // namespace chorus::sys
