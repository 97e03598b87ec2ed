#include "context/status_block.hpp"

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

}  // namespace

std::string status_block(const std::string& stands_in, const std::vector<store::Thread>& threads,
                         store::ThreadId own, const std::vector<store::Prompt>& pending,
                         const std::vector<store::Task>& tasks) {
    std::string others;
    for (const store::Thread& thread : threads)
        if (thread.id != own) others += thread_line(thread);
    std::string waiting;
    for (const store::Prompt& prompt : pending)
        waiting += "- " + prompt.id + ": " + block_line(prompt.action) + "\n";
    std::string background;
    for (const store::Task& task : tasks) background += task_line(task);
    if (stands_in.empty() && others.empty() && waiting.empty() && background.empty()) return {};
    std::string text = "<status>\n";
    if (!stands_in.empty()) text += "The user is in " + block_line(stands_in) + "/\n";
    if (!others.empty()) text += "Other threads of this agent:\n" + others;
    if (!background.empty()) text += "Background tasks:\n" + background;
    if (!waiting.empty()) text += "Waiting for a person's decision:\n" + waiting;
    return text + "</status>";
}

}  // namespace chorus::context
