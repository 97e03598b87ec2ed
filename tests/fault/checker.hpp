// What must hold after every fault, however it came: the reference that is no part of chorus.
#pragma once

#include <string>
#include <vector>

#include "fault/world.hpp"

namespace fault {

// Of a file write or a commit that was broken off and told as `unknown`, which only a command may
// be where one could look.
inline const std::string could_be_found_out = "could have been found out";

// When the turn of the newest user text has ended well: everything that was told is there, once;
// what is there was told or asked for; nothing is left behind. One line for each complaint.
std::vector<std::string> complaints(const World& world);
// Goes on after a fault: --resume, "say 9" or "work 9", undisturbed; it must succeed as if there
// had been none.
std::vector<std::string> go_on(World& world, const std::string& then);
// The part of it that holds for a home whatever its agents do.
std::vector<std::string> home_complaints(const World& world);
// Also right after a crash, before anything has mended it: what is on disk and was never allowed to
// be.
std::vector<std::string> secret_complaints(const World& world);
// Of an end: its status is in the table of chorus(7), it kept to its bounds and left no process.
std::vector<std::string> end_complaints(const Ended& ended, const std::string& what);

}  // namespace fault
