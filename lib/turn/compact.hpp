// Replaces the older messages of the window with a summary by the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "life/find_agent.hpp"
#include "place/place.hpp"
#include "store/sessions.hpp"
#include "turn/live.hpp"

namespace chorus::turn {

struct Compacted {
    std::size_t messages = 0;  // replaced by the summary
    std::size_t kept = 0;
    store::Session saved;  // the window as it was
};
// chorus-context compact: summarises the older half of the thread's window. The model is asked
// before `hold` takes the agent's exclusive lock. Error(not_found) if there is only one turn,
// Error(provider_error) if no summary could be made, Error(agent_busy) if the context has changed
// meanwhile or a turn has not ended; nothing is changed then.
Compacted compact(store::Store& store, const store::Agent& agent, store::Thread thread,
                  const place::Surroundings& surroundings,
                  const std::function<life::HeldAgent()>& hold);

// Returns the window of the next request. Messages that its limits leave out are summarised first
// if auto_compact is set; otherwise a warning counts them, once for each cut. Before a turn begins
// (`open_turn` is 0) the thread's stored cut moves too.
AssembledWindow fit_window(place::Place& place, const place::Loaded& loaded,
                           const WindowFrame& frame, std::int64_t open_turn);

// Returns the window of the open turn after a summary has replaced its older half; nothing, after a
// warning, if it holds no earlier turn or no summary could be made.
std::optional<AssembledWindow> shrink_window(place::Place& place, const place::Loaded& loaded,
                                             const WindowFrame& frame, std::int64_t open_turn);

}  // namespace chorus::turn
