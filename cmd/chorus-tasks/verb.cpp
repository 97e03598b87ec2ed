#include "chorus-tasks/verb.hpp"

#include "cli/main.hpp"
#include "life/find_agent.hpp"
#include "place/agent_tasks.hpp"
#include "store/turns.hpp"

namespace chorus::tasks_command {

task::Site require_site(Opened& opened, const std::string& name) {
    return place::task_site(opened.store, opened.home,
                            life::require_agent(opened.home, opened.store, name));
}

std::string agent_of(Opened& opened, const store::Prompt& prompt) {
    const auto agent = store::find_agent(opened.store, prompt.agent_id);
    return agent ? agent->name : "";
}

store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt) {
    const auto turn = store::find_turn(opened.store, prompt.turn_id);
    return turn ? turn->thread_id : 0;
}

base::ExitStatus status_of(const store::Task& task) {
    if (task.signal != 0) return static_cast<base::ExitStatus>(128 + task.signal);
    if (task.exit_code >= 0) return static_cast<base::ExitStatus>(task.exit_code);
    return base::ExitStatus::failed;
}

void tell_end(const store::Task& task) {
    std::string line = task.id + ": " + store::outcome(task);
    if (!task.note.empty()) line += "; " + task.note;
    notice(line);
}

void notice(const std::string& what) {
    cli::print_line(program, "notice", what);
}

void tell_plants(const task::Site& site) {
    for (const std::string& plants : task::plants_of(site, task::settle(site, tell_end)))
        notice(plants);
}

}  // namespace chorus::tasks_command
