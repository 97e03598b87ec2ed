// The changes of an isolated sub-agent go back to the repository that was cloned.
#pragma once

#include <string>

#include "chat/event.hpp"
#include "place/place.hpp"

namespace chorus::turn {

// Commits what its clone holds beyond its HEAD, and fetches HEAD into the repository that was
// cloned, as the branch agents/ID. Doing it again changes nothing. Nothing for any other agent.
chat::HandedBack hand_back(place::Place& place, const store::Turn& turn);
// Returns the names of what is not committed in a clone ("a.txt, sub/ (a repository of its own)"),
// or why that cannot be told; "" if there is nothing.
std::string uncommitted_in(const std::string& work);

}  // namespace chorus::turn
