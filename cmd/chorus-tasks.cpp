#include <CLI/CLI.hpp>
#include <iostream>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "cli/main.hpp"
#include "cli/time.hpp"
#include "life/opening.hpp"
#include "store/agents.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"
#include "sys/process.hpp"
#include "turn/decision.hpp"
#include "turn/questions.hpp"
#include "turn/settings.hpp"

namespace {

using namespace chorus;
using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using Verb = turn::Decision::Verb;

constexpr const char* program = "chorus-tasks";

struct Options {
    std::string agent;
    std::string id;
    std::vector<std::string> words;
    std::string reason;
    std::string actor;
    bool always = false;
    bool goes_on = false;
    bool json = false;
};

struct Home {
    sys::Environment environment = sys::Environment::of_process();
    agent::Home home = agent::find_home(environment);
    store::Store store = open();

  private:
    store::Store open() {
        return life::open_home(home, environment, agent::IfMissing::refuse,
                               agent::groom_in_force("", environment));
    }
};

std::string agent_name(store::Store& store, const store::Prompt& prompt) {
    const auto agent = store::find_agent(store, prompt.agent_id);
    return agent ? agent->name : "";
}

std::int64_t thread_of(store::Store& store, const store::Prompt& prompt) {
    const auto turn = store::find_turn(store, prompt.turn_id);
    return turn ? turn->thread_id : 0;
}

std::string one_line(const std::string& text) {
    return base::visible(text, base::Newlines::escape);
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

ExitStatus list(const Options& options) {
    Home home;
    const auto prompts = turn::waiting_prompts(home.store, options.agent);
    if (options.json)
        print_json(home.store, prompts);
    else
        print_lines(home.store, prompts);
    return ExitStatus::done;
}

// In a session of its own: it outlives the terminal.
void go_on(Home& home, const store::Prompt& prompt) {
    const std::string self = sys::executable_path();
    sys::Command command;
    command.arguments = {self.substr(0, self.rfind('/')) + "/chorus-run",
                         agent_name(home.store, prompt),
                         "-t",
                         std::to_string(thread_of(home.store, prompt)),
                         "--resume",
                         "--wait",
                         "-q"};
    for (const auto& [name, value] : home.environment.all())
        command.environment.push_back(name + "=" + value);
    sys::start(command, {});
}

ExitStatus decide(const Options& options, Verb verb) {
    Home home;
    turn::Decision decision;
    decision.verb = verb;
    decision.id = options.id;
    decision.text = verb == Verb::answer ? base::join(options.words, " ") : options.reason;
    decision.always = options.always;
    if (decision.id == "all")
        throw Error(ErrorCode::bad_request, "all: of which turn?",
                    "chorus-run NAME --approve all decides what waits there");
    const turn::Decider decider{
        .home = home.home,
        .environment = home.environment,
        .actor = turn::actor_text(options.actor, home.environment),
        .show = {},
        .warn = [](const std::string& what) { cli::print_line(program, "notice", what); }};
    const auto decided = turn::decide(home.store, decider, {}, decision);
    for (const store::Prompt& prompt : decided) {
        cli::print_line(program, "notice",
                        prompt.state + " " + prompt.id + ": " + turn::in_one_line(prompt));
        if (options.goes_on && prompt.turn_id != 0) go_on(home, prompt);
    }
    return ExitStatus::done;
}

using Action = std::function<ExitStatus()>;

CLI::App* add_decision(CLI::App& app, Options& options, Action& action, Verb verb, const char* name,
                       const char* description) {
    auto* command = app.add_subcommand(name, description);
    command->add_option("ID", options.id, "the prompt")->required();
    command->add_flag("--run", options.goes_on, "and go on with the turn in the background");
    command->add_option("--actor", options.actor, "who decides, for the audit log")
        ->type_name("NAME");
    command->callback(
        [&action, &options, verb] { action = [&options, verb] { return decide(options, verb); }; });
    return command;
}

void add_verbs(CLI::App& app, Options& options, Action& action) {
    app.require_subcommand(1);
    auto* prompts = app.add_subcommand("prompts", "what waits for a person");
    prompts->add_option("NAME", options.agent, "of one agent");
    prompts->add_flag("--json", options.json, "print a JSON array");
    prompts->callback([&] { action = [&options] { return list(options); }; });
    add_decision(app, options, action, Verb::approve, "approve", "let a call run")
        ->add_flag("--always", options.always, "and allow that very action from now on");
    add_decision(app, options, action, Verb::deny, "deny", "refuse a call, or to answer")
        ->add_option("--reason", options.reason, "what the model is told")
        ->type_name("TEXT");
    add_decision(app, options, action, Verb::answer, "answer", "answer a question")
        ->add_option("TEXT", options.words, "the answer")
        ->required();
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    Action action;
    return cli::run_main(argc, argv,
                         {.name = program,
                          .description = "What waits for a person, and the decision.",
                          .options =
                              [&](CLI::App& app) {
                                  add_verbs(app, options, action);
                                  return [&] { return action(); };
                              },
                          .on_error = {}});
}
