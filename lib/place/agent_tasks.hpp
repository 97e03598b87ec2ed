// Background tasks as turns and people use them.
#pragma once

#include <string>

#include "place/place.hpp"
#include "task/task.hpp"

namespace chorus::place {

task::Site task_site(store::Store& store, const agent::Home& home, const store::Agent& agent);

// Called before the status block of a new turn is made. Closes tasks whose supervisor is gone and
// updates agent.json, whose content was just read as `text`. Returns the running tasks.
std::vector<store::Task> settle_tasks(Place& place, const std::string& text);

// A command that a person starts in the agent's workspace, run as the agent's bash tool would run
// it.
struct HandOrder {
    std::string command;  // for bash -c
    std::string on_exit;  // "": no message
    bool goes_on = false;
    std::string actor;  // --actor
};
// Error(bad_request) for a command that contains a key, because it would be stored;
// Error(forbidden) inside a turn; Error(failed) if the sandbox is not available; other errors as of
// task::start.
store::Task start_by_hand(store::Store& store, const store::Agent& agent, const HandOrder& order,
                          const agent::Home& home, const sys::Environment& environment);

}  // namespace chorus::place
