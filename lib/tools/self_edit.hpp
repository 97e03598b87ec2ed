// What the self-edits share: one file of the agent's directory written anew under the agent's
// configuration lock, old and new told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/configuration.hpp"
#include "sys/lock.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

// What self_edit_permissions is asked to set; an object may come as its text too. Not looked up and
// not compiled. Throws Error(config_invalid) where it is malformed, with what the tool answers.
agent::Permissions wanted_permissions(const Arguments& arguments);

// Held from reading the file to writing it. Nothing when another process keeps it too long.
std::optional<sys::Lock> lock_configuration(const Workplace& workplace);
// The result where that gave nothing.
chat::ToolResult configuration_locked();

// What is changed, as it is shown, and where it stands.
struct SelfEdit {
    std::string what;     // "system_prompt"
    std::string before;   // as a person reads it; "" for nothing
    std::string after;    //
    std::string note;     // the answer's last line
    std::string path;     // of the file, relative to the agent's directory
    std::string hash;     // of the file now (tools/effect.hpp)
    std::string content;  // the whole file to come
};
Plan plan_self_edit(const Workplace& workplace, sys::Lock lock, SelfEdit edit);

// One member of agent.json; `shown` is what a person reads of it. A result where it has that value
// already. Throws Error(config_invalid) where agent.json is or would be none.
using Shown = std::string (*)(const agent::Configuration&);
Planned plan_member(const Workplace& workplace, const std::string& member, const std::string& json,
                    Shown shown, std::string note);

}  // namespace chorus::tools
