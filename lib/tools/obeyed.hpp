// What calls leave in the workspace for programs outside the sandbox to obey (sys/plants.hpp), and
// who is told; for this room's own use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/kept_plants.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

// Whether that file, relative to the workspace, can be part of it: looking through the workspace
// takes its time.
bool may_be_obeyed(const Workplace& workplace, const std::string& path);
// Before a call that may change it.
task::KeptPlants look_for_plants(const Workplace& workplace);
// Looks again. Warns the user; what the model is told, or "". `when`: "while it ran".
std::string tell_plants(task::KeptPlants& before, std::string_view when,
                        const Workplace& workplace);
// The running task that is kept from writing the file, by a mount that another file of that name
// would end; or "".
std::string guarding_task(const Workplace& workplace, const std::string& path);
// Those files of the workspace that a running task is kept from so.
std::vector<std::string> guarded_files(const Workplace& workplace);

}  // namespace chorus::tools
