// The changes of an isolated sub-agent go back to the repository that was cloned.
#pragma once

#include "chat/event.hpp"
#include "place/place.hpp"

namespace chorus::turn {

// Commits what its clone holds beyond its HEAD, and fetches HEAD into the repository that was
// cloned, as the branch agents/ID. Doing it again changes nothing. Nothing for any other agent.
chat::HandedBack hand_back(place::Place& place, const store::Turn& turn);

}  // namespace chorus::turn
