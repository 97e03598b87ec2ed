#include "cli/terminal_question.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>

#include "base/text.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"

namespace chorus::cli {
namespace {

sys::Fd open_terminal() {
    return sys::Fd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
}

// The kernel sends SIGHUP to the session's leader first, and this process may see earlier that the
// terminal is gone. Where SIGHUP is ignored, this changes nothing.
void note_hang_up(int fd) {
    pollfd terminal{fd, 0, 0};
    if (poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLHUP) != 0) raise(SIGHUP);
}

// Reads a line. Returns false at the end of input, after the timeout or when stopped.
bool read_line(int fd, std::int64_t timeout_ms, const std::function<bool()>& stop,
               std::string& line) {
    const std::int64_t deadline = sys::monotonic_ms() + timeout_ms;
    line.clear();
    while (line.empty() || line.back() != '\n') {
        const std::int64_t left = deadline - sys::monotonic_ms();
        if (left <= 0 || stop()) return false;
        pollfd ready{fd, POLLIN, 0};
        if (poll(&ready, 1, static_cast<int>(left < 200 ? left : 200)) <= 0) continue;
        std::array<char, 256> buffer{};
        const ssize_t size = read(fd, buffer.data(), buffer.size());
        if (size <= 0) return false;
        line.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return true;
}

using Accept = std::function<std::string(const std::string&)>;

// Returns the line that was accepted; nothing after three that were not.
std::optional<std::string> ask(const std::string& text, const std::string& choice,
                               std::int64_t timeout_ms, const std::function<bool()>& stop,
                               const Accept& accept) {
    const sys::Fd terminal = open_terminal();
    if (!terminal) return std::nullopt;
    const std::int64_t deadline = sys::monotonic_ms() + timeout_ms;
    const auto show = [&](const std::string& shown) {
        return sys::try_write_until(terminal.get(), shown,
                                    [&] { return stop() || sys::monotonic_ms() >= deadline; });
    };
    tcflush(terminal.get(), TCIFLUSH);
    std::string line;
    for (int tries = 0; tries < 3; ++tries) {
        if (!show(tries == 0 ? text + choice : choice) ||
            !read_line(terminal.get(), timeout_ms, stop, line)) {
            note_hang_up(terminal.get());
            show("\n");
            return std::nullopt;
        }
        std::string answer(base::trim(line));
        const std::string problem = accept(answer);
        if (problem.empty()) return answer;
        show(problem + "\n");
    }
    return std::nullopt;
}

// Keeps a terminal from showing what is typed.
class Hidden {
  public:
    explicit Hidden(int fd) : fd_(fd) {
        if (tcgetattr(fd_, &before_) == 0) is_set_ = hide(before_);
    }
    ~Hidden() {
        if (is_set_) tcsetattr(fd_, TCSANOW, &before_);
    }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

    // A shell sets its own mode while the process is stopped. Returns whether that was undone.
    bool hide_again() const {
        termios now{};
        return is_set_ && tcgetattr(fd_, &now) == 0 && (now.c_lflag & ECHO) != 0 && hide(now);
    }

  private:
    // Discards what was typed before.
    bool hide(termios mode) const {
        mode.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        return tcsetattr(fd_, TCSAFLUSH, &mode) == 0;
    }

    int fd_;
    termios before_{};
    bool is_set_ = false;
};

}  // namespace

std::optional<std::string> ask_secret(const std::string& text, std::int64_t timeout_ms,
                                      const std::function<bool()>& stop) {
    const sys::Fd terminal = open_terminal();
    if (!terminal) return std::nullopt;
    std::string line;
    bool is_read = false;
    {
        const Hidden hidden(terminal.get());
        const auto look = [&] {
            if (hidden.hide_again()) sys::try_write_until(terminal.get(), text, stop);
            return stop();
        };
        is_read = sys::try_write_until(terminal.get(), text, stop) &&
                  read_line(terminal.get(), timeout_ms, look, line);
    }
    sys::try_write_until(terminal.get(), "\n", stop);
    if (!is_read) note_hang_up(terminal.get());
    return is_read ? std::optional(line) : std::nullopt;
}

// A background job would be stopped when it reads from its terminal.
bool can_ask() {
    if (isatty(STDERR_FILENO) != 1) return false;
    const sys::Fd terminal = open_terminal();
    const pid_t foreground = terminal ? tcgetpgrp(terminal.get()) : -1;
    return terminal && (foreground < 0 || foreground == getpgrp());
}

TerminalAnswer ask_yes_no(const std::string& text, Choices choices, std::int64_t timeout_ms,
                          const std::function<bool()>& stop) {
    const bool may_always = choices != Choices::yes_no;
    const bool may_change = choices == Choices::yes_no_always_even_if_changed;
    TerminalAnswer answer = TerminalAnswer::no;
    const auto take = [&](const std::string& line) -> std::string {
        const std::string word = base::to_lower_ascii(line);
        if (word == "y" || word == "yes") answer = TerminalAnswer::yes;
        if (may_always && (word == "a" || word == "always")) answer = TerminalAnswer::always;
        if (may_change && (word == "e" || word == "even")) answer = TerminalAnswer::even_if_changed;
        const bool known = answer != TerminalAnswer::no || word == "n" || word == "no";
        return known ? "" : "type one of the letters";
    };
    const std::string choice = may_change   ? "[y]es, [n]o, [a]lways, [e]ven if they change? "
                               : may_always ? "[y]es, [n]o, [a]lways? "
                                            : "[y]es, [n]o? ";
    return ask(text, choice, timeout_ms, stop, take) ? answer : TerminalAnswer::nobody;
}

std::optional<std::string> ask_line(const std::string& text, std::int64_t timeout_ms,
                                    const std::function<bool()>& stop,
                                    const std::function<std::string(const std::string&)>& accept) {
    return ask(text, "> ", timeout_ms, stop, accept);
}

}  // namespace chorus::cli
