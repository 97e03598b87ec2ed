// bubblewrap's arguments, from one builder (chorus(7), section SANDBOX).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sys/process.hpp"

namespace chorus::sys {

enum class SandboxMode { workspace, workspace_net, off };
std::string_view name(SandboxMode mode);  // "workspace", "workspace+net", "off"
// False for another word.
bool parse_sandbox_mode(std::string_view text, SandboxMode& mode);

struct Sandbox {
    SandboxMode mode = SandboxMode::workspace;
    std::string workspace = {};              // absolute, writable
    std::vector<std::string> readable = {};  // sandbox_read of config.json, absolute
    std::vector<std::string> masked = {};    // key files of profiles
    std::string program = "bwrap";
};

// The command as it is started: itself with mode off, else inside bubblewrap.
Command sandboxed(const Sandbox& sandbox, Command command);
// Why commands cannot be sandboxed here ("bwrap: No such file or directory"), or "". Runs a
// self-test once per boot; its verdict is remembered in `state_file`.
std::string sandbox_problem(const Sandbox& sandbox, const std::string& state_file);

}  // namespace chorus::sys
