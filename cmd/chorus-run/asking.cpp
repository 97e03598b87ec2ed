#include "chorus-run/asking.hpp"

#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chat/asked.hpp"
#include "cli/terminal_question.hpp"
#include "cli/time_text.hpp"

namespace chorus::run_command {
namespace {

// Starts its further lines with "  | ", so that the model cannot imitate the lines of a question.
std::string indented(const std::string& untrusted) {
    const std::string shown = base::visible(untrusted);
    std::vector<std::string> lines;
    for (const std::string_view line : base::split(shown, '\n')) lines.emplace_back(line);
    return base::join(lines, "\n  | ");
}

std::string asking(const chat::PromptNotice& prompt, const std::string& agent) {
    return prompt.sub_agent.empty()
               ? agent
               : "sub-agent " + base::visible(prompt.sub_agent, base::Newlines::escape);
}

using What = place::PersonAnswer::What;

std::string standing(std::int64_t timeout_ms) {
    return timeout_ms <= 0
               ? ""
               : "  (for " + cli::span_text(timeout_ms) + "; then the turn is suspended)\n";
}

place::PersonAnswer ask_permission(const chat::PromptNotice& prompt, std::int64_t timeout_ms,
                                   const std::function<bool()>& stop) {
    const bool is_again = prompt.text.starts_with(chat::asked_again);
    std::string text = "\nMay " + asking(prompt, "it") + " do this?\n  " + indented(prompt.action);
    if (!chat::says_all(prompt.action, prompt.tool, prompt.arguments))
        text +=
            "\n  tool: " + indented(prompt.tool) + "\n  arguments: " + indented(prompt.arguments);
    if (is_again) text += "\n  " + indented(prompt.text);
    if (!prompt.changed.empty()) text += "\n  since it was asked: " + indented(prompt.changed);
    text += "\n  (always: exactly this action, even if the programs it runs change)\n" +
            standing(timeout_ms);
    const auto choices = is_again || !prompt.changed.empty()
                             ? cli::Choices::yes_no_always_even_if_changed
                             : cli::Choices::yes_no_always;
    switch (cli::ask_yes_no(text, choices, timeout_ms, stop)) {
        case cli::TerminalAnswer::yes:
            return {What::yes};
        case cli::TerminalAnswer::even_if_changed:
            return {What::yes_even_if_changed};
        case cli::TerminalAnswer::no:
            return {What::no};
        case cli::TerminalAnswer::always:
            return {What::always};
        case cli::TerminalAnswer::nobody:
            break;
    }
    return {};
}

place::PersonAnswer answer_question(const chat::PromptNotice& prompt, std::int64_t timeout_ms,
                                    const std::function<bool()>& stop) {
    std::string text =
        "\n" + asking(prompt, "The agent") + " asks:\n  | " + indented(prompt.text) + "\n";
    for (std::size_t i = 0; i < prompt.options.size(); ++i)
        text += "  " + std::to_string(i + 1) + ") " +
                base::visible(prompt.options[i], base::Newlines::escape) + "\n";
    text += standing(timeout_ms);
    const auto accept = [&](const std::string& line) -> std::string {
        if (prompt.options.empty()) return line.empty() ? "the answer is empty" : "";
        return approval::chosen_option(prompt.options, line)
                   ? ""
                   : "type one of the answers, or its number";
    };
    const auto line = cli::ask_line(text, timeout_ms, stop, accept);
    if (!line) return {};
    return {What::answer,
            prompt.options.empty() ? *line : *approval::chosen_option(prompt.options, *line)};
}

}  // namespace

decltype(place::Surroundings::ask) asks_at_terminal(cli::Output& output, std::int64_t timeout_ms,
                                                    const sys::Interrupt& interrupt) {
    if (!cli::can_ask()) return {};
    return [&output, timeout_ms, &interrupt](const chat::PromptNotice& prompt,
                                             const std::function<bool()>& settled) {
        output.pause_progress();
        const auto stop = [&] { return interrupt.requested() || settled(); };
        place::PersonAnswer reply = prompt.kind == chat::PromptKind::question
                                        ? answer_question(prompt, timeout_ms, stop)
                                        : ask_permission(prompt, timeout_ms, stop);
        output.resume_progress();
        return reply;
    };
}

}  // namespace chorus::run_command
