// The ways in which an agent comes to be, and what must hold of one that a crash broke off.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fault/world.hpp"

namespace fault {

enum class BirthWay {
    fresh,     // beside another agent
    first,     // in a home that is not there
    adopt,     // a directory from elsewhere
    in_place,  // one that lies under agents/ already
};

const std::map<std::string, BirthWay>& birth_ways();
BirthWay birth_way(const std::string& name);

// What is there before.
void begin_birth(World& world, BirthWay way);
std::vector<std::string> birth_arguments(const World& world, BirthWay way);
long count_birth_calls(World& world, BirthWay way);
// Goes on after `first` (again: the same command; run: a turn of that agent) and looks: either
// there is no agent or a whole one, and afterwards a whole one.
std::vector<std::string> birth_complaints(World& world, BirthWay way, const std::string& then,
                                          const Ended& first);

}  // namespace fault
