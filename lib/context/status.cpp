#include "context/status.hpp"

#include "base/text.hpp"

namespace chorus::context {
namespace {

std::string thread_line(const store::Thread& thread) {
    std::string line = "- thread " + std::to_string(thread.id);
    if (!thread.branch.empty() && thread.branch != "main") line += " (branch " + thread.branch + ")";
    line += ": " + thread.status;
    if (!thread.current_step.empty()) line += ", " + base::visible(thread.current_step, base::Newlines::escape);
    if (!thread.summary.empty()) line += "; " + base::visible(thread.summary, base::Newlines::escape);
    return line + "\n";
}

}  // namespace

std::string status_block(const std::vector<store::Thread>& threads, store::ThreadId own,
                         const std::vector<store::Prompt>& pending) {
    std::string others;
    for (const store::Thread& thread : threads)
        if (thread.id != own && thread.status != "completed") others += thread_line(thread);
    std::string waiting;
    for (const store::Prompt& prompt : pending)
        waiting += "- " + prompt.id + ": " + base::visible(prompt.action, base::Newlines::escape) + "\n";
    if (others.empty() && waiting.empty()) return {};
    std::string text = "<status>\n";
    if (!others.empty()) text += "Other threads of this agent:\n" + others;
    if (!waiting.empty()) text += "Waiting for a person's decision:\n" + waiting;
    return text + "</status>";
}

}  // namespace chorus::context
