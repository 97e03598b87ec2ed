#include "cli/question.hpp"

#include <fcntl.h>
#include <poll.h>
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

// A line, or nothing at the end of input, after the timeout or when stopped.
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

}  // namespace

bool can_ask() {
    return isatty(STDERR_FILENO) == 1 && static_cast<bool>(open_terminal());
}

Answer ask_yes_no(const std::string& text, std::int64_t timeout_ms,
                  const std::function<bool()>& stop) {
    const sys::Fd terminal = open_terminal();
    if (!terminal) return Answer::nobody;
    tcflush(terminal.get(), TCIFLUSH);
    sys::write_all(terminal.get(), text, "terminal");
    std::string line;
    for (int tries = 0; tries < 3; ++tries) {
        sys::write_all(terminal.get(), "[y]es, [n]o? ", "terminal");
        if (!read_line(terminal.get(), timeout_ms, stop, line)) {
            sys::write_all(terminal.get(), "\n", "terminal");
            return Answer::nobody;
        }
        const std::string answer = base::to_lower_ascii(base::trim(line));
        if (answer == "y" || answer == "yes") return Answer::yes;
        if (answer == "n" || answer == "no") return Answer::no;
    }
    return Answer::no;
}

}  // namespace chorus::cli
