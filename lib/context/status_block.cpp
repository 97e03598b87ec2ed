#include "context/status_block.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::context {
namespace {

// Returns the text on one line, unable to close the block.
std::string block_line(const std::string& text) {
    std::string out = base::visible(text, base::Newlines::escape);
    for (std::size_t at = 0; (at = out.find("</", at)) != std::string::npos; ++at)
        out.insert(at + 1, " ");
    return out;
}

std::string thread_line(const store::Thread& thread) {
    std::string line = "- thread " + std::to_string(thread.id);
    if (!thread.branch.empty() && thread.branch != "main")
        line += " (branch " + block_line(thread.branch) + ")";
    line += ": " + thread.status;
    if (!thread.current_step.empty()) line += ", " + block_line(thread.current_step);
    if (!thread.summary.empty()) line += "; " + block_line(thread.summary);
    return line + "\n";
}

constexpr std::size_t most_command_bytes = 200;

std::string task_line(const store::Task& task) {
    const std::string command = block_line(task.command);
    const std::string_view shown = base::utf8_prefix(command, most_command_bytes);
    std::string line = "- " + task.id + ": " + store::outcome(task);
    if (!task.note.empty()) line += " (" + block_line(task.note) + ")";
    line.append("; ").append(shown);
    return line + (shown.size() < command.size() ? "…\n" : "\n");
}

std::string prompt_line(const store::Prompt& prompt) {
    return "- " + prompt.id + ": " + block_line(prompt.action) + "\n";
}

// Returns the lines of the last items, at most `most`, and how many are left out.
template <typename Item, typename Line>
std::string section(std::string_view heading, const std::vector<Item>& items, Line line,
                    std::size_t most, std::size_t left_out = 0) {
    const std::size_t skipped = items.size() > most ? items.size() - most : 0;
    left_out += skipped;
    if (items.empty() && left_out == 0) return {};
    std::string text = fmt::format("{}:\n", heading);
    for (std::size_t i = skipped; i < items.size(); ++i) text += line(items[i]);
    if (left_out > 0) text += fmt::format("- and {} older\n", left_out);
    return text;
}

}  // namespace

OtherThreads other_threads(store::Store& store, store::AgentId agent, store::ThreadId own) {
    constexpr std::size_t most = base::limits::status_lines;
    OtherThreads others{store::list_recent_threads(store, agent, own, most)};
    if (others.listed.size() >= most)
        others.left_out =
            static_cast<std::size_t>(store::count_threads(store, agent)) - 1 - others.listed.size();
    return others;
}

std::string status_block(const std::string& stands_in, const OtherThreads& others,
                         const std::vector<store::Prompt>& pending,
                         const std::vector<store::Task>& tasks) {
    using base::limits::status_lines;
    std::string text = stands_in.empty() ? "" : "The user is in " + block_line(stands_in) + "/\n";
    text += section("Other threads of this agent", others.listed, thread_line, others.listed.size(),
                    others.left_out);
    text += section("Background tasks", tasks, task_line, status_lines);
    text += section("Waiting for a person's decision", pending, prompt_line, status_lines);
    return text.empty() ? text : "<status>\n" + text + "</status>";
}

}  // namespace chorus::context
