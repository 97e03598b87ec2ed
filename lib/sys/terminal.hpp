// A terminal that something is drawn on again and again.
#pragma once

#include <cstddef>
#include <optional>

namespace chorus::sys {

struct TerminalSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
    friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
// Nothing where `fd` is no terminal; 24 by 80 where it does not know its own.
std::optional<TerminalSize> terminal_size(int fd);

// Whether escape sequences do there what they should: a terminal, and TERM neither unset nor
// "dumb".
bool takes_escapes(int fd);

// The cursor is hidden as long as this lives. It is shown again however the process ends (SIGQUIT
// and the second SIGINT too, SIGKILL excepted), and while it is stopped. One at a time.
class HiddenCursor {
  public:
    explicit HiddenCursor(int fd);
    ~HiddenCursor();
    HiddenCursor(const HiddenCursor&) = delete;
    HiddenCursor& operator=(const HiddenCursor&) = delete;

    // Whether the process was stopped and went on since this was asked last: others have written on
    // the terminal. The cursor is hidden again then.
    bool came_back();
};

// For who ends the process at once; may be called by a signal's handler.
void show_hidden_cursor() noexcept;

}  // namespace chorus::sys
