#include <iostream>
#include <memory>
#include <optional>

#include "approval/decision.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "life/find_agent.hpp"
#include "turn/questions.hpp"

namespace chorus::tasks_command {
namespace {

struct Options {
    std::string agent;
    bool json = false;
};

void print_json(Opened& opened, const store::Prompt& prompt) {
    chat::PromptNotice notice = turn::notice_of(prompt);
    notice.changed = approval::changed_since_asked(opened.store, opened.home, prompt);
    chat::JsonText out = chat::open_object("pending");
    write_text(out, "agent", agent_of(opened, prompt));
    write_number(out, "thread", thread_of(opened, prompt), 0);
    write_number(out, "turn_id", prompt.turn_id, 0);
    write_time(out, "created_at", prompt.created_at);
    write_members(out, notice);
    std::cout << out.end_object().text() << '\n';
}

void print_lines(Opened& opened, const std::vector<store::Prompt>& prompts) {
    for (const store::Prompt& prompt : prompts) {
        std::cout << prompt.id << '\t' << agent_of(opened, prompt) << '\t'
                  << cli::shown_time(prompt.created_at) << '\t'
                  << one_line(approval::in_one_line(prompt));
        const std::string changed =
            approval::changed_since_asked(opened.store, opened.home, prompt);
        if (!changed.empty()) std::cout << "\tsince it was asked: " << one_line(changed);
        std::cout << '\n';
    }
}

base::ExitStatus run(const Options& options, Opened& opened) {
    std::optional<store::AgentId> agent;
    if (!options.agent.empty())
        agent = life::require_agent(opened.home, opened.store, options.agent).id;
    const auto prompts = approval::waiting_prompts(opened.store, agent);
    if (options.json)
        for (const store::Prompt& prompt : prompts) print_json(opened, prompt);
    else
        print_lines(opened, prompts);
    return base::ExitStatus::done;
}

}  // namespace

Action add_pending(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "only questions of this agent");
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
