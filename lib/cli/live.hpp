// What is looked at while it changes: drawn again in place on a terminal, elsewhere new lines below
// those that are there.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "sys/terminal.hpp"

namespace chorus::cli {

// How what is shown is written.
enum class Form { terminal, plain, json };
Form form_of_stdout(bool json);

struct Frame {
    std::vector<std::string> lines;
    bool is_last = false;  // nothing will come after it
    bool goes_on = false;  // there is more of it now, for the next one
};

struct View {
    // What there is to see now; no line is to be wider than `width` where the form is terminal.
    std::function<Frame(std::size_t width)> draw;
    // Cheap, asked ten times a second: whether it is to be drawn before a second has passed.
    std::function<bool()> has_changed;
};
// Once. A line on stdout each.
base::ExitStatus show(const View& view);
// What view.draw gives is always new: printed, until a frame that does not go on, or with `waits`
// as long as follow() does.
base::ExitStatus append(const View& view, bool waits);
// Until the last frame, a signal (its exit status comes back), or until nobody reads stdout. On a
// terminal in place, of other forms the lines that were not in the frame before.
base::ExitStatus follow(const View& view, Form form);

// What takes one frame's place by the next, in one write: from the top left corner, each line
// cleared behind its end, nothing left below. Of more lines than there are rows the last is a note.
std::string frame_text(const std::vector<std::string>& lines, const sys::TerminalSize& size);

// The lines that were not in the frame before, in order.
class NewLines {
  public:
    std::vector<std::string> of(const std::vector<std::string>& lines);

  private:
    std::unordered_set<std::string> before_;
};

}  // namespace chorus::cli
