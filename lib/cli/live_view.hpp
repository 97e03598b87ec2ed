// Shows a changing view: redrawn in place on a terminal, elsewhere as new lines below the earlier
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "cli/table.hpp"
#include "sys/terminal.hpp"

namespace chorus::cli {

struct Frame {
    std::vector<std::string> lines;
    bool is_last = false;  // nothing will come after it
    bool goes_on = false;  // more is available now, for the next frame
};

struct View {
    // Returns the present frame; no line may be wider than `width` if the form is terminal.
    std::function<Frame(std::size_t width)> draw;
    // Whether to draw again before a second has passed. Must be cheap: called ten times a second.
    std::function<bool()> has_changed;
    std::int64_t look_ms = 0;  // draw again and ask after this time instead; 0: not
};
// Prints the view once, line by line on stdout.
base::ExitStatus show(const View& view);
// For a view whose frames hold only new lines. Prints frames until one that does not go on, or with
// `waits` for as long as follow() does.
base::ExitStatus append(const View& view, bool waits);
// Shows frames until the last one, until a signal, whose exit status is returned, or until stdout
// has no reader. Redraws in place on a terminal; other forms print the lines that were not in the
// frame before.
base::ExitStatus follow(const View& view, Form form);

// Returns the text that replaces one frame by the next in one write: from the top left corner, each
// line cleared after its end, and all rows below. If there are more lines than rows, the last row
// is a note.
std::string frame_text(const std::vector<std::string>& lines, const sys::TerminalSize& size);

// The lines that were not in the frame before, in order.
class NewLines {
  public:
    std::vector<std::string> of(const std::vector<std::string>& lines);

  private:
    std::unordered_set<std::string> before_;
};

}  // namespace chorus::cli
