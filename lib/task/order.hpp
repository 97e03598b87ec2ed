// What start() hands to the supervisor; for this room's own use. CBOR, because the strings of JSON
// hold no path of any bytes.
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
