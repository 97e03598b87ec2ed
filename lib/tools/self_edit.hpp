// Shared by the self-edit tools: they rewrite one file of the agent's directory under the agent's
// configuration lock and report old and new.
#pragma once

#include <optional>
#include <string>

#include "agent/configuration.hpp"
#include "sys/lock.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

// Returns what self_edit_permissions is asked to set; an object may also be given as its text. It
// is neither looked up nor compiled. Throws Error(config_invalid), with the tool's result, if it is
// malformed.
agent::Permissions wanted_permissions(const Arguments& arguments);

// Held from reading the file to writing it. Nothing if another process holds it too long.
std::optional<sys::Lock> lock_configuration(const Workplace& workplace);
// The result if that returned nothing.
chat::ToolResult configuration_locked();

// What is changed, how it is shown, and in which file it is.
struct SelfEdit {
    std::string what;     // "system_prompt"
    std::string before;   // as a person reads it; "" for nothing
    std::string after;    // the same
    std::string note;     // the answer's last line
    std::string path;     // of the file, relative to the agent's directory
    std::string hash;     // of the file now (tools/effect.hpp)
    std::string content;  // the whole new file
};
Plan plan_self_edit(const Workplace& workplace, sys::Lock lock, SelfEdit edit);

}  // namespace chorus::tools
