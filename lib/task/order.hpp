// Instructions are what start() hands to the supervisor; for this room's own use. They are CBOR,
// because a string of JSON cannot hold a path that is not UTF-8.
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

std::string to_cbor(const Instructions& instructions);
Instructions parse_instructions(std::string_view cbor);

}  // namespace chorus::task
