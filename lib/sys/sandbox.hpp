// How commands are started: inside bubblewrap and the inner program, or under the watcher
// (chorus(7), section SANDBOX; chorus-sandbox(8)).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "sys/environment.hpp"
#include "sys/path_rules.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// landlock: without bubblewrap, by Landlock and a system call filter alone.
enum class SandboxMode { workspace, workspace_net, landlock, off };
inline constexpr base::EnumNames<SandboxMode, 4> sandbox_modes{
    {"workspace", "workspace+net", "landlock", "off"}};
inline std::string_view name(SandboxMode mode) {
    return sandbox_modes.name(mode);
}
// Returns a mode that allows no more than either; for workspace+net and landlock that is workspace.
SandboxMode strictest(SandboxMode one, SandboxMode other);
// Whether commands have no network and can write only their workspace.
bool keeps_in_workspace(SandboxMode mode);

class Homes;
std::shared_ptr<Homes> keep_homes();

struct Sandbox {
    SandboxMode mode = SandboxMode::workspace;
    std::string workspace = {};  // absolute, without links; writable
    // Where there are any, a command sees of the workspace only what every one of them allows, as
    // far as that can be mounted: in bubblewrap alone. It reads node_modules, and .git where the
    // rules show the history; it writes neither.
    std::vector<PathRules> rules = {};
    // sandbox_read of config.json: absolute paths, and where each leads without links ("": nowhere)
    std::map<std::string, std::string> readable = {};
    std::vector<std::string> masked = {};  // the home, key files of profiles
    unsigned umask = private_umask;        // for files that commands make
    std::string program = "bwrap";         // as program_path() takes it
    std::string shell = "bash";
    // Where caches and git's configuration are kept; "": nowhere, and outside bubblewrap HOME is
    // not set.
    std::string belongings = {};
    std::string git_settings = {};  // git_settings()
    // From keep_homes(): outside bubblewrap, a home that a command left unchanged is reused by the
    // next one. Null: each command gets a new one.
    std::shared_ptr<Homes> homes = {};
    std::string inner = {};  // chorus-sandbox; "": the one installed with this executable
};

// Returns the directory that a glob stands for, if it is DIR or DIR/**: what can be mounted; "."
// for **.
std::optional<std::string> mounted_directory(std::string_view glob);
// Returns why no command can be held to these rules, or "".
std::string why_not_mounted(const std::vector<PathRules>& rules);

// `bash -c` of `text`.
ProcessCommand shell_command(const Sandbox& sandbox, const std::string& text);
// Returns the command to start: under the watcher with modes off and landlock, else inside
// bubblewrap. It ends with this process, however this process ends. Throws Error(failed) where that
// is not possible.
ProcessCommand sandboxed(const Sandbox& sandbox, ProcessCommand command);
// Returns why commands cannot be run this way ("bwrap: No such file or directory"), with a hint;
// nothing where they can. Runs a self-test once per boot; its verdict is stored in `state_file`,
// with the Landlock ABI that was found. Throws where the test cannot be made: a full disk.
std::optional<base::Error> sandbox_problem(const Sandbox& sandbox, const std::string& state_file);
// Returns why a command in a sandbox, which runs as this user without those privileges, may not
// write in the directory ("which belongs to another user"), or "". ACLs are not read.
std::string why_not_written(const std::string& directory);

}  // namespace chorus::sys
