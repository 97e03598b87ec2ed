#include <iostream>

#include "chorus-tasks/view.hpp"
#include "place/shutdown.hpp"

namespace chorus::command {
namespace {

using store::Task;

struct Kill : OfTasks {
    explicit Kill(cli::Command& verb) : OfTasks(verb) {
        verb.list("ID|all", ids, "the tasks, or all").required();
    }

    std::vector<Task> chosen(const task::Site& site) const {
        if (ids.size() == 1 && ids.front() == "all") return task::settle(site);
        std::vector<Task> tasks;
        for (const std::string& id : ids) tasks.push_back(task::require_task(site, id));
        return tasks;
    }

    ExitStatus run(Opened& opened) const {
        const task::Site place = site(opened);
        const auto ended =
            task::end(place, chosen(place), place::shutdown_grace_ms(opened.environment));
        task::mirror(place);
        ExitStatus status = ExitStatus::done;
        for (const Task& task : ended) {
            tell_end(task);
            if (json) std::cout << cli::json("task", fields_of(task, name)) << '\n';
            if (task.ended_at == 0) status = ExitStatus::failed;
        }
        if (ended.empty()) notice("no task is running");
        return status;
    }
};

}  // namespace

const cli::Verb kill_verb = verb<Kill>("kill", "end background tasks", json_lines);

}  // namespace chorus::command
