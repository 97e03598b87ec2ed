// The model's summary in the place of the window's older messages.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "life/agents.hpp"
#include "store/sessions.hpp"
#include "turn/live.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

struct Compacted {
    std::size_t messages = 0;  // that one stands for now
    std::size_t kept = 0;
    store::Session saved;  // of the window as it was
};
// chorus-context compact: the older half of the thread's window. The model is asked before `hold`
// takes the agent's lock exclusively. Error(not_found) where there is but one turn,
// Error(provider_error) where no summary could be made, Error(agent_busy) where something was said
// meanwhile or a turn has not ended: nothing has changed then.
Compacted compact(store::Store& store, const store::Agent& agent, store::Thread thread,
                  const Surroundings& surroundings, const std::function<life::HeldAgent()>& hold);

// The window of the next request. What its limits leave out is summarised first where auto_compact
// says so, and otherwise told, once for each cut. Before a turn begins (`open_turn` is 0) the
// thread's stored cut moves, too.
AssembledWindow fit_window(Place& place, const Loaded& loaded, const Surroundings& surroundings,
                           const WindowFrame& frame, std::int64_t open_turn);

}  // namespace chorus::turn
