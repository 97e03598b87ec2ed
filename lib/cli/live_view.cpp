#include "cli/live_view.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iostream>

#include "base/error.hpp"
#include "base/width.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"
#include "sys/signals.hpp"

namespace chorus::cli {
namespace {

using base::ExitStatus;

constexpr int ask_ms = 100;
constexpr std::int64_t redraw_ms = 1'000;

sys::TerminalSize size_of_stdout() {
    return sys::terminal_size(STDOUT_FILENO).value_or(sys::TerminalSize{});
}

// Redraws in place without an alternate screen: what was on the screen before moves into the
// scrollback, and the last frame stays.
class Screen {
  public:
    Screen() : cursor_(STDOUT_FILENO) { make_room(); }
    // erases the "^C" that a terminal echoes
    ~Screen() { sys::try_write_all(STDOUT_FILENO, "\r\x1b[K"); }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    bool draw(const std::vector<std::string>& lines) {
        if (cursor_.came_back()) make_room();
        const std::string text = frame_text(lines, size_of_stdout());
        if (text == shown_) return true;
        shown_ = text;
        return sys::try_write_all(STDOUT_FILENO, text);
    }

  private:
    void make_room() {
        shown_ = std::string(size_of_stdout().rows - 1, '\n') + "\x1b[H\x1b[J";
        sys::try_write_all(STDOUT_FILENO, shown_);
    }

    sys::HiddenCursor cursor_;
    std::string shown_;
};

bool print_lines(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::cout << line << '\n';
    std::cout.flush();
    return std::cout.good();
}

enum class Wake { again, unread, signal };

Wake wait(const View& view, const sys::Interrupt& interrupt) {
    const std::int64_t look_ms = view.look_ms > 0 ? view.look_ms : ask_ms;
    const std::int64_t until = sys::monotonic_ms() + (view.look_ms > 0 ? view.look_ms : redraw_ms);
    const sys::TerminalSize size = size_of_stdout();
    while (sys::monotonic_ms() < until) {
        std::array<pollfd, 2> watched{pollfd{interrupt.fd(), POLLIN, 0},
                                      pollfd{STDOUT_FILENO, 0, 0}};
        const int ready = poll(watched.data(), watched.size(), static_cast<int>(look_ms));
        if (interrupt.requested()) return Wake::signal;
        if (ready > 0 && (watched[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
            return Wake::unread;
        if (view.has_changed() || size_of_stdout() != size) break;
    }
    return Wake::again;
}

template <typename Put>
ExitStatus repeat(const View& view, std::size_t spare, Put put) {
    sys::Interrupt& interrupt = sys::Interrupt::install();
    for (;;) {
        const Frame frame = view.draw(size_of_stdout().columns - spare);
        if (!put(frame.lines)) return ExitStatus::failed;
        if (interrupt.requested()) break;
        if (frame.goes_on) continue;
        if (frame.is_last) return ExitStatus::done;
        const Wake wake = wait(view, interrupt);
        if (wake == Wake::unread) throw base::system_error("stdout", EPIPE);
        if (wake == Wake::signal) break;
    }
    return static_cast<ExitStatus>(128 + interrupt.signal());
}

}  // namespace

std::string frame_text(const std::vector<std::string>& lines, const sys::TerminalSize& size) {
    // the row below the last line is left to the cursor
    const std::size_t room = std::max<std::size_t>(size.rows, 2) - 1;
    const bool fits = lines.size() <= room;
    const std::size_t shown = fits ? lines.size() : room - 1;
    std::string text = "\x1b[H";
    for (std::size_t i = 0; i < shown; ++i) text += lines[i] + "\x1b[K\r\n";
    if (!fits) {
        const std::string note = "… " + std::to_string(lines.size() - shown) + " more lines";
        text += base::cut_to_width(note, size.columns - 1) + "\x1b[K\r\n";
    }
    return text + "\x1b[J";
}

std::vector<std::string> NewLines::of(const std::vector<std::string>& lines) {
    std::vector<std::string> fresh;
    std::unordered_set<std::string> now;
    for (const std::string& line : lines)
        if (now.insert(line).second && before_.find(line) == before_.end()) fresh.push_back(line);
    before_ = std::move(now);
    return fresh;
}

ExitStatus show(const View& view) {
    print_lines(view.draw(size_of_stdout().columns).lines);
    return ExitStatus::done;
}

ExitStatus append(const View& view, bool waits) {
    if (waits) return repeat(view, 0, print_lines);
    Frame frame;
    do frame = view.draw(size_of_stdout().columns);
    while (print_lines(frame.lines) && frame.goes_on);
    return ExitStatus::done;
}

ExitStatus follow(const View& view, Form form) {
    sys::Interrupt::install();  // before the cursor is hidden
    if (form == Form::terminal && sys::takes_escapes(STDOUT_FILENO)) {
        Screen screen;
        // a line that fills its row leaves the cursor in it, and clearing would erase the line's
        // end
        return repeat(view, 1, [&](const auto& lines) { return screen.draw(lines); });
    }
    NewLines fresh;
    return repeat(view, 0, [&](const auto& lines) { return print_lines(fresh.of(lines)); });
}

}  // namespace chorus::cli
