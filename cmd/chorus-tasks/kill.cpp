#include <iostream>
#include <memory>

#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/verb.hpp"
#include "place/shutdown.hpp"

namespace chorus::tasks_command {
namespace {

struct Options {
    std::string agent;
    std::vector<std::string> ids;
    bool json = false;
};

std::vector<store::Task> chosen(const task::Site& site, const std::vector<std::string>& ids) {
    if (ids.size() == 1 && ids.front() == "all") return task::settle(site);
    std::vector<store::Task> tasks;
    for (const std::string& id : ids) tasks.push_back(task::require_task(site, id));
    return tasks;
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const task::Site site = require_site(opened, options.agent);
    const auto ended =
        task::end(site, chosen(site, options.ids), place::shutdown_grace_ms(opened.environment));
    task::mirror(site);
    base::ExitStatus status = base::ExitStatus::done;
    for (const store::Task& task : ended) {
        tell_end(task);
        if (options.json) std::cout << json_of(task, options.agent) << '\n';
        if (task.ended_at == 0) status = base::ExitStatus::failed;
    }
    if (ended.empty()) notice("no task is running");
    return status;
}

}  // namespace

Action add_kill(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent").required();
    verb.list("ID|all", options->ids, "the tasks, or all").required();
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
