// What start() hands to the supervisor, as JSON; for this room's own use.
#pragma once

#include <string>
#include <string_view>

#include "task/task.hpp"

namespace chorus::task {

struct Instructions {
    std::string home;
    std::string directory;  // the agent's, absolute
    std::string agent_name;
    Order order;
};

std::string to_json(const Instructions& instructions);
Instructions parse_instructions(std::string_view json);

}  // namespace chorus::task
