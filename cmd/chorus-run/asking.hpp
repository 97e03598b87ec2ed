// Asks the person at the terminal what a turn wants to know.
#pragma once

#include <cstdint>

#include "cli/output.hpp"
#include "place/turn_options.hpp"
#include "sys/signals.hpp"

namespace chorus::run_command {

// Returns how questions are asked, each for at most timeout_ms (0: without limit); an empty
// function where there is no terminal.
decltype(place::Surroundings::ask) asks_at_terminal(cli::Output& output, std::int64_t timeout_ms,
                                                    const sys::Interrupt& interrupt);

}  // namespace chorus::run_command
