#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "chorus-tasks/view.hpp"
#include "place/agent_tasks.hpp"

namespace chorus::command {
namespace {

using store::Task;

struct Run : Named {
    explicit Run(cli::Command& verb) : Named(verb) {
        verb.words("COMMAND", words,
                   "after --: one word for bash -c, or a program and its arguments")
            .required()
            .may_be_empty();
        verb.option("--on-exit PROMPT", order.on_exit,
                    "message to the agent when the task has ended");
        verb.flag("--run", order.goes_on, "start a turn with the message of --on-exit");
        verb.option("--actor NAME", order.actor,
                    "name of the person who starts it, for the audit log");
    }

    // One word is a command line; several are a program and its arguments.
    std::string command() const {
        if (words.size() == 1) return words.front();
        std::vector<std::string> quoted;
        for (const std::string& word : words) quoted.push_back(base::shell_quoted(word));
        return base::join(quoted, " ");
    }

    void run(Opened& opened) {
        order.command = command();
        if (base::trim(order.command).empty())
            throw Error(ErrorCode::bad_request, "run: the command is empty");
        if (base::find_invalid_utf8(order.command))
            throw Error(ErrorCode::bad_request, "run: the command is not UTF-8");
        if (order.goes_on && order.on_exit.empty())
            throw Error(ErrorCode::bad_request, "--run: needs the message of --on-exit");
        const Task task = place::start_by_hand(opened.store, require_agent(opened), order,
                                               opened.home, opened.environment);
        cli::print(json, "task", fields_of(task, name), task.id);
    }

    std::vector<std::string> words;
    place::HandOrder order;
};

}  // namespace

const cli::Verb run_verb = verb<Run>("run", "start a background task", json_object);

}  // namespace chorus::command
