// Reports what calls leave in the workspace for programs outside the sandbox to obey
// (sys/plants.hpp); for this room's own use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/kept_plants.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

// Whether that file, relative to the workspace, can be one of these. Asked first, as searching the
// workspace is slow.
bool may_be_obeyed(const Workplace& workplace, const std::string& path);
// Records the state before a call that may change it.
task::KeptPlants look_for_plants(const Workplace& workplace);
// Looks again, alerts the user and returns what the model is told, or "". `when`: "while it ran".
std::string tell_plants(task::KeptPlants& before, std::string_view when,
                        const Workplace& workplace);
// Alerts the user, with the advice, and returns what the model is told.
std::string alert(const Workplace& workplace, const sys::PlantReport& report,
                  const std::string& advice);
// Returns the running task that is kept from writing the file by a mount, which replacing the file
// would end; or "".
std::string guarding_task(const Workplace& workplace, const std::string& path);
// Returns the files of the workspace that a running task is kept from writing in this way.
std::vector<std::string> guarded_files(const Workplace& workplace);

}  // namespace chorus::tools
