#include <iostream>
#include <memory>

#include "base/text.hpp"
#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/verb.hpp"
#include "life/find_agent.hpp"
#include "place/agent_tasks.hpp"

namespace chorus::tasks_command {
namespace {

struct Options {
    std::string agent;
    std::vector<std::string> words;
    place::HandOrder order;
    bool json = false;
};

// Quotes a word for the shell.
std::string shell_word(const std::string& word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

// One word is a command line; several are a program and its arguments.
std::string command_of(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    std::vector<std::string> quoted;
    for (const std::string& word : words) quoted.push_back(shell_word(word));
    return base::join(quoted, " ");
}

base::ExitStatus run(Options& options, Opened& opened) {
    options.order.command = command_of(options.words);
    if (base::trim(options.order.command).empty())
        throw base::Error(base::ErrorCode::bad_request, "run: the command is empty");
    if (base::find_invalid_utf8(options.order.command))
        throw base::Error(base::ErrorCode::bad_request, "run: the command is not UTF-8");
    if (options.order.goes_on && options.order.on_exit.empty())
        throw base::Error(base::ErrorCode::bad_request, "--run: needs the message of --on-exit");
    const store::Task task = place::start_by_hand(
        opened.store, life::require_agent(opened.home, opened.store, options.agent), options.order,
        opened.home, opened.environment);
    if (options.json)
        std::cout << json_of(task, options.agent) << '\n';
    else
        std::cout << task.id << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_run(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent").required();
    verb.words("COMMAND", options->words,
               "after --: one word for bash -c, or a program and its arguments")
        .required()
        .may_be_empty();
    verb.option("--on-exit PROMPT", options->order.on_exit,
                "message to the agent when the task has ended");
    verb.flag("--run", options->order.goes_on, "start a turn with the message of --on-exit");
    verb.option("--actor NAME", options->order.actor,
                "name of the person who starts it, for the audit log");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
