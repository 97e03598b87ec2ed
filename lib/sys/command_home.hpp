// What a command has besides its workspace: a home of its own, caches, and git's configuration; for
// this room's own use.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sys/sandbox.hpp"

namespace chorus::sys {

// Returns the home inside the sandbox, in a file system that is new for each command.
std::string home_inside(const Sandbox& sandbox);
// Returns a home on the host, which belongs to the command and is released with it.
std::string home_outside(const Sandbox& sandbox, ProcessCommand& command);
// Below sandbox.belongings: caches, kept from one command to the next.
std::string cache_of(const Sandbox& sandbox);
// Returns links and their targets, for programs that keep caches in one directory with settings:
// the caches are kept between commands, the settings are not.
std::vector<std::pair<std::string, std::string>> cache_links(const Sandbox& sandbox,
                                                             const std::string& home);
// Below sandbox.belongings: generated, and read-only for commands.
std::string git_configuration_of(const Sandbox& sandbox);
// Makes the caches and git's configuration, and points the command's environment to them and to its
// home.
void furnish(const Sandbox& sandbox, const std::string& home, ProcessCommand& command);

}  // namespace chorus::sys
