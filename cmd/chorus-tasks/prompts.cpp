#include <iostream>
#include <memory>

#include "chat/json_text.hpp"
#include "chorus-tasks/verb.hpp"
#include "cli/time.hpp"
#include "store/turns.hpp"
#include "turn/questions.hpp"

namespace chorus::tasks_command {
namespace {

struct Options {
    std::string agent;
    bool json = false;
};

std::string agent_name(store::Store& store, const store::Prompt& prompt) {
    const auto agent = store::find_agent(store, prompt.agent_id);
    return agent ? agent->name : "";
}

std::int64_t thread_of(store::Store& store, const store::Prompt& prompt) {
    const auto turn = store::find_turn(store, prompt.turn_id);
    return turn ? turn->thread_id : 0;
}

void print_json(Opened& opened, const std::vector<store::Prompt>& prompts) {
    store::Store& store = opened.store;
    chat::JsonText out;
    out.begin_array();
    for (const store::Prompt& prompt : prompts) {
        out.begin_object().key("agent").string(agent_name(store, prompt));
        out.key("thread").number(thread_of(store, prompt));
        out.key("created_at").string(base::iso8601(prompt.created_at));
        chat::PromptNotice notice = turn::notice_of(prompt);
        notice.changed = turn::changed_since_asked(store, opened.home, prompt);
        out.key("prompt").raw(chat::to_json(notice)).end_object();
    }
    std::cout << out.end_array().take() << '\n';
}

void print_lines(Opened& opened, const std::vector<store::Prompt>& prompts) {
    for (const store::Prompt& prompt : prompts) {
        std::cout << prompt.id << '\t' << agent_name(opened.store, prompt) << '\t'
                  << cli::shown_time(prompt.created_at) << '\t'
                  << one_line(turn::in_one_line(prompt));
        const std::string changed = turn::changed_since_asked(opened.store, opened.home, prompt);
        if (!changed.empty()) std::cout << "\tsince it was asked: " << one_line(changed);
        std::cout << '\n';
    }
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const auto prompts = turn::waiting_prompts(opened.store, options.agent);
    if (options.json)
        print_json(opened, prompts);
    else
        print_lines(opened, prompts);
    return base::ExitStatus::done;
}

}  // namespace

Action add_prompts(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "of one agent");
    verb.flag("--json", options->json, "print a JSON array");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
