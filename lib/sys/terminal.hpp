// A terminal whose content is redrawn.
#pragma once

#include <cstddef>
#include <optional>

namespace chorus::sys {

struct TerminalSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
    friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
// Returns nothing where `fd` is not a terminal; 24 by 80 where the size is unknown.
std::optional<TerminalSize> terminal_size(int fd);

// Whether escape sequences work on `fd`: it is a terminal, and TERM is neither unset nor "dumb".
bool takes_escapes(int fd);

// Hides the cursor as long as the object lives. The cursor is shown again however the process ends
// (SIGQUIT and the second SIGINT too, SIGKILL excepted), and while it is stopped. One at a time.
class HiddenCursor {
  public:
    explicit HiddenCursor(int fd);
    ~HiddenCursor();
    HiddenCursor(const HiddenCursor&) = delete;
    HiddenCursor& operator=(const HiddenCursor&) = delete;

    // Whether the process was stopped and continued since the last call, so that others may have
    // written to the terminal. If so, hides the cursor again.
    bool came_back();
};

// For code that ends the process at once; may be called by a signal handler.
void show_hidden_cursor() noexcept;

}  // namespace chorus::sys
