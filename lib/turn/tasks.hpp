// Background tasks as turns and people meet them.
#pragma once

#include <string>

#include "task/task.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

task::Site task_site(store::Store& store, const agent::Home& home, const store::Agent& agent);

// Before the status block of a turn that begins: what nobody watches any more is not said to run,
// here and in agent.json, which read as `text` a moment ago. Those that run.
std::vector<store::Task> settle_tasks(Place& place, const Surroundings& surroundings,
                                      const std::string& text);

// A command that a person starts in the agent's workspace, as its bash would run it now.
struct HandOrder {
    std::string command;  // for bash -c
    std::string on_exit;  // "": nothing is said
    bool goes_on = false;
    std::string actor;  // --actor
};
// Error(bad_request) for a command that holds a key, because it would be stored; Error(forbidden)
// for a process below a turn; Error(failed) where the sandbox cannot be had; as
// task::start.
store::Task start_by_hand(store::Store& store, const store::Agent& agent, const HandOrder& order,
                          const agent::Home& home, const sys::Environment& environment);

}  // namespace chorus::turn
