#include <CLI/CLI.hpp>
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

void print_json(store::Store& store, const std::vector<store::Prompt>& prompts) {
    chat::JsonText out;
    out.begin_array();
    for (const store::Prompt& prompt : prompts) {
        out.begin_object().key("agent").string(agent_name(store, prompt));
        out.key("thread").number(thread_of(store, prompt));
        out.key("created_at").string(base::iso8601(prompt.created_at));
        out.key("prompt").raw(chat::to_json(turn::notice_of(prompt))).end_object();
    }
    std::cout << out.end_array().take() << '\n';
}

void print_lines(store::Store& store, const std::vector<store::Prompt>& prompts) {
    for (const store::Prompt& prompt : prompts)
        std::cout << prompt.id << '\t' << agent_name(store, prompt) << '\t'
                  << cli::shown_time(prompt.created_at) << '\t'
                  << one_line(turn::in_one_line(prompt)) << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const auto prompts = turn::waiting_prompts(opened.store, options.agent);
    if (options.json)
        print_json(opened.store, prompts);
    else
        print_lines(opened.store, prompts);
    return base::ExitStatus::done;
}

}  // namespace

Action add_prompts(CLI::App& verb) {
    const auto options = std::make_shared<Options>();
    verb.add_option("NAME", options->agent, "of one agent");
    verb.add_flag("--json", options->json, "print a JSON array");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
