// Opens a home: created with mode 0700 on first use, owned by this user, on a local file system.
#pragma once

#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "sys/environment.hpp"

namespace chorus::agent {

enum class IfMissing { create, refuse };

// Whether a first run may create the home and migrate its database: `automatic` does so; with
// `manual` it is refused, and the user runs it again with `automatic`. `pristine` is like manual,
// and starts no hook.
enum class Groom { automatic, manual, pristine };
std::vector<std::string> groom_names();
// Returns the given value (--groom), else CHORUS_GROOM, else automatic. Error(config_invalid).
Groom groom_in_force(const std::string& given, const sys::Environment& environment);

// Returns $CHORUS_HOME, else ~/.chorus-agents. Error(config_invalid) if neither CHORUS_HOME nor
// HOME is set.
Home find_home(const sys::Environment& environment);
// Error(forbidden) for a home that another user owns or can write to; Error(config_invalid) for a
// network file system that is not allowed explicitly.
void check_home(const Home& home, const sys::Environment& environment);
// The same, and Error(not_found) for a missing home with IfMissing::refuse.
void open_home(const Home& home, const sys::Environment& environment, IfMissing if_missing);
// Returns what to do if root's home is in another user's directory, as `sudo -E` makes it; else "".
std::string foreign_place(const Home& home);
// Returns the installed share directory: relative to the executable, else the one set at build
// time.
std::string share_directory();
// Returns --template, $CHORUS_HOME/template or the installed one.
std::string template_directory(const Home& home, const std::string& given);

}  // namespace chorus::agent
