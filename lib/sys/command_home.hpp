// What a command has beside its workspace: a home of its own, caches, and git's configuration; for
// this room's own use.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sys/sandbox.hpp"

namespace chorus::sys {

// Inside the sandbox, in a file system that is new for each command.
std::string home_inside(const Sandbox& sandbox);
// A new directory on the host, which goes with the command.
std::string home_outside(const Sandbox& sandbox, Command& command);
// Below sandbox.belongings: kept from one command to the next; generated, to be read only.
std::string cache_of(const Sandbox& sandbox);
// Links in the directories of programs that have their caches there beside settings, and what they
// lead to: the caches are kept, the settings are not.
std::vector<std::pair<std::string, std::string>> cache_links(const Sandbox& sandbox,
                                                             const std::string& home);
std::string git_configuration_of(const Sandbox& sandbox);
// Makes these two, and points the command to it and to its home.
void furnish(const Sandbox& sandbox, const std::string& home, Command& command);

}  // namespace chorus::sys
