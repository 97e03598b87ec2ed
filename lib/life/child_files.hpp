// The files of a sub-agent's directory; for this room's own use, in .cpp files only.
#pragma once

#include <string>

#include "agent/layout.hpp"
#include "agent/preset.hpp"
#include "store/agents.hpp"

namespace chorus::life {

struct ChildFiles {
    std::string preset;  // the text of preset.md
    std::string parent;  // the name of the agent above it
    std::string cloned_from = {};
    std::string transcript = {};  // "": an empty one
    std::string tool_log = {};
};
void write_child_files(const agent::Home& home, const std::string& path, const store::Agent& child,
                       const ChildFiles& files);

// The preset's name in an id: "explorer" of "explorer-20261128120000-read-it"; "" if it has not
// this form.
std::string preset_in(const std::string& id);

}  // namespace chorus::life
