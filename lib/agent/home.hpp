// Opening a home: made 0700 on first use, owned by this user, on a local file system.
#pragma once

#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "sys/environment.hpp"

namespace chorus::agent {

enum class IfMissing { create, refuse };

// What answers the questions that a first run can meet, whether to make the home and to migrate its
// database: yes, or a person, who then does it with `automatic`. `pristine` is manual, and starts
// no hook and no MCP server.
enum class Groom { automatic, manual, pristine };
std::vector<std::string> groom_names();
// What was given (--groom), else CHORUS_GROOM, else automatic. Error(config_invalid).
Groom groom_in_force(const std::string& given, const sys::Environment& environment);

// $CHORUS_HOME, else ~/.chorus-agents. Error(config_invalid) where neither is set.
Home find_home(const sys::Environment& environment);
// Error(forbidden) for a home of another user or one that others can write; Error(config_invalid)
// for a network file system that is not allowed by name.
void check_home(const Home& home, const sys::Environment& environment);
// The same, and Error(not_found) for a missing home with IfMissing::refuse.
void open_home(const Home& home, const sys::Environment& environment, IfMissing if_missing);
// Says what to do where root has the home in another user's directory, as `sudo -E` makes it;
// else "".
std::string foreign_place(const Home& home);
// The installed share directory: beside the executable's prefix, else the one of the build.
std::string share_directory();
// --template, $CHORUS_HOME/template or the installed one.
std::string template_directory(const Home& home, const std::string& given);

}  // namespace chorus::agent
