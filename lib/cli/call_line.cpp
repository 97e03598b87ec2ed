#include "cli/call_line.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/time.hpp"
#include "base/width.hpp"
#include "cli/field.hpp"

namespace chorus::cli {
namespace {

constexpr std::int64_t shown_from_ms = 100;

// Returns what follows "tool:bash:".
std::string_view detail_of(std::string_view action) {
    for (int colons = 0; colons < 2; ++colons) {
        const std::size_t colon = action.find(':');
        if (colon == std::string_view::npos) return {};
        action.remove_prefix(colon + 1);
    }
    return action;
}

std::string what_of(const std::string& tool, std::string_view action) {
    const std::string_view detail = detail_of(action);
    return one_line(tool) + (detail.empty() ? "" : "  " + one_line(detail));
}

// Matches the first line of a result of bash (tools/bash.cpp).
bool is_success(std::string_view text) {
    return text.starts_with("exit status 0,");
}

std::string end_of(const chat::CallComplete& done) {
    if (!done.change.patch.empty())
        return "+" + std::to_string(done.change.added) + " -" + std::to_string(done.change.removed);
    const bool is_plain = done.outcome != "ok" || done.tool != "bash" || is_success(done.text);
    // its first line says more: "exit status 2, 3.2 s"
    if ((done.outcome == "error" || !is_plain) && !done.text.empty())
        return one_line(base::split(done.text, '\n').front());
    return done.outcome +
           (done.duration_ms < shown_from_ms ? "" : " " + base::seconds_text(done.duration_ms));
}

const char* color_of(std::string_view line) {
    if (line.starts_with("diff ") || line.starts_with("+++") || line.starts_with("---"))
        return "\x1b[1m";
    if (line.starts_with('+')) return "\x1b[32m";
    if (line.starts_with('-')) return "\x1b[31m";
    return line.starts_with("@@") ? "\x1b[36m" : "";
}

}  // namespace

std::string running_line(const chat::CallEvent& event) {
    return what_of(event.call.name, event.action);
}

std::string call_line(const chat::CallEvent& event) {
    return event.action.empty() ? event.call.name : event.action;
}

std::string end_line(const chat::CallComplete& done, std::size_t width) {
    const std::string end = base::cut_to_width(end_of(done), width / 2);
    const std::string what = what_of(done.tool, done.action);
    const std::size_t taken = base::display_width(end) + 2;
    return base::cut_to_width(what, width - std::min(width, taken)) + "  " + end;
}

std::string shown_patch(const std::string& patch, ShownOn where) {
    if (where == ShownOn::pipe) return patch;
    std::string shown;
    for (const std::string_view line : base::split_lines(patch)) {
        const std::string_view of = where == ShownOn::color_terminal ? color_of(line) : "";
        shown.append(of).append(base::visible(line, base::Newlines::escape));
        shown += of.empty() ? "\n" : "\x1b[0m\n";
    }
    return shown;
}

std::string subtask_line(const chat::Subtask& subtask) {
    constexpr std::string_view of_tools = "tool:";
    std::string_view action = subtask.action;
    if (action.starts_with(of_tools)) action.remove_prefix(of_tools.size());
    std::string line = subtask.preset + ": " + subtask.description;
    if (subtask.tool_calls > 0) line += " · " + base::counted(subtask.tool_calls, "call");
    if (!action.empty()) line += " · " + std::string(action);
    return line;
}

}  // namespace chorus::cli
