// Commands as they are started: inside bubblewrap and the inner program, or under the watcher
// (chorus(7), section SANDBOX; chorus-sandbox(8)).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "sys/environment.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// landlock: without bubblewrap, by Landlock and a filter of system calls alone.
enum class SandboxMode { workspace, workspace_net, landlock, off };
std::string_view name(SandboxMode mode);  // "workspace", "workspace+net", "landlock", "off"
std::vector<std::string> sandbox_modes();
// False for another word.
bool parse_sandbox_mode(std::string_view text, SandboxMode& mode);
// What allows no more than either: of workspace+net and landlock neither does, so it is workspace.
SandboxMode strictest(SandboxMode one, SandboxMode other);
// Whether commands have no network and write their workspace only.
bool keeps_in_workspace(SandboxMode mode);

class Homes;
std::shared_ptr<Homes> keep_homes();

struct Sandbox {
    SandboxMode mode = SandboxMode::workspace;
    std::string workspace = {};  // absolute, without links; writable
    // sandbox_read of config.json: absolute paths, and where each led without links ("": nowhere)
    std::map<std::string, std::string> readable = {};
    std::vector<std::string> masked = {};  // key files of profiles
    unsigned umask = private_umask;        // of what commands make
    std::string program = "bwrap";         // as program_path() takes it
    std::string shell = "bash";
    // Where caches and git's configuration are kept; "": none, and HOME is as the command has it
    // with mode off.
    std::string belongings = {};
    std::string git_settings = {};  // git_settings()
    // keep_homes(): with mode off the directories of one command, where it left nothing in them,
    // serve the next. Nothing: each has new ones.
    std::shared_ptr<Homes> homes = {};
    std::string inner = {};  // chorus-sandbox; "": the one that belongs to this executable
};

// `bash -c` of it.
Command shell_command(const Sandbox& sandbox, const std::string& text);
// The command as it is started: under the watcher with modes off and landlock, else inside
// bubblewrap. It ends
// with this process, however this process ends. Throws Error(failed) where that cannot be had.
Command sandboxed(const Sandbox& sandbox, Command command);
// Why commands cannot be run so ("bwrap: No such file or directory"), and what helps; nothing where
// they can. Runs a self-test once per boot; its verdict is remembered in `state_file`, with the
// Landlock ABI that was found. Throws where the test cannot be made: a full disk.
std::optional<base::Error> sandbox_problem(const Sandbox& sandbox, const std::string& state_file);

}  // namespace chorus::sys
