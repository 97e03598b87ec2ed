#include "sys/sandbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "sys/command_home.hpp"
#include "sys/fence.hpp"
#include "sys/file.hpp"
#include "sys/git_guard.hpp"
#include "sys/inner.hpp"
#include "sys/library.hpp"
#include "sys/mounts.hpp"
#include "sys/open_beneath.hpp"
#include "sys/proc_status.hpp"

namespace chorus::sys {
namespace {

bool is_executable(const std::string& path) {
    return !is_directory(path) && access(path.c_str(), X_OK) == 0;
}

// Returns the number of the descriptor.
std::string pass(ProcessCommand& command, Fd fd, const std::string& what) {
    if (!fd) throw base::system_error(what);
    return std::to_string(command.pass(std::make_shared<const Fd>(std::move(fd))));
}

// The command ends with this process, even where the end of this process sends no signal.
std::string pass_this_process(ProcessCommand& command) {
    return pass(command, open_pidfd(getpid()), "pidfd_open");
}

std::string require_inner(const Sandbox& sandbox) {
    if (const auto problem = inner_problem(sandbox)) throw base::Error(*problem);
    return inner_program(sandbox);
}

// `how`: the watcher's mode, and its options.
ProcessCommand watched(const Sandbox& sandbox, ProcessCommand command,
                       std::vector<std::string> how = {"watch"}) {
    const std::string program = program_path(command.arguments.at(0));
    std::vector<std::string> all{require_inner(sandbox)};
    all.insert(all.end(), how.begin(), how.end());
    all.insert(all.end(), {"--owner", pass_this_process(command), "--program", program});
    if (command.guarded_fd >= 0) {
        command.keep_fds.push_back(command.guarded_fd);
        all.insert(all.end(), {"--hold", std::to_string(command.guarded_fd)});
    }
    all.emplace_back("--");
    all.insert(all.end(), command.arguments.begin(), command.arguments.end());
    command.arguments = std::move(all);
    command.around = Around::watcher;
    return command;
}

void check(const Sandbox& sandbox) {
    if (!sandbox.workspace.empty() && !sandbox.workspace.starts_with('/'))
        throw base::Error(base::ErrorCode::failed, sandbox.workspace + ": not an absolute path");
    if (const auto problem = git_problem(sandbox.workspace)) throw base::Error(*problem);
}

}  // namespace

// Nothing but mounts hides a part of a workspace.
std::optional<base::Error> rules_problem(const Sandbox& sandbox) {
    if (sandbox.rules.empty()) return {};
    std::string why = why_not_mounted(sandbox.rules);
    if (sandbox.mode == SandboxMode::off || sandbox.mode == SandboxMode::landlock)
        why = "sandbox " + std::string(name(sandbox.mode)) + " mounts nothing";
    if (why.empty()) return {};
    return base::Error(base::ErrorCode::failed,
                       "commands cannot be held to the agent's paths: " + why,
                       "use the tools for files");
}

SandboxMode strictest(SandboxMode one, SandboxMode other) {
    const SandboxMode wider = std::max(one, other);
    if (wider == SandboxMode::landlock && std::min(one, other) == SandboxMode::workspace_net)
        return SandboxMode::workspace;
    return std::min(one, other);
}

bool keeps_in_workspace(SandboxMode mode) {
    return mode == SandboxMode::workspace || mode == SandboxMode::landlock;
}

std::string installed_program(const std::string& name) {
    for (const std::string& place : installed_places())
        if (is_executable(place + name)) return place + name;
    return {};
}

std::string inner_program(const Sandbox& sandbox) {
    if (!sandbox.inner.empty()) return is_executable(sandbox.inner) ? sandbox.inner : "";
    return installed_program(inner_name);
}

std::optional<base::Error> inner_problem(const Sandbox& sandbox) {
    if (!inner_program(sandbox).empty()) return {};
    return base::Error(base::ErrorCode::failed,
                       std::string(inner_name) + " is not installed with this program");
}

std::vector<std::string> alone(const std::string& bwrap, SandboxMode mode) {
    std::vector<std::string> all{
        bwrap,           "--unshare-user", "--disable-userns", "--unshare-pid",
        "--unshare-ipc", "--unshare-uts",  "--cap-drop",       "ALL",
        "--cap-add",     "CAP_SYS_ADMIN",  "--cap-add",        "CAP_SETPCAP",
        "--new-session"};
    if (mode == SandboxMode::workspace) all.emplace_back("--unshare-net");
    return all;
}

// The inner program is started by descriptor, so that the mounts need not show it.
ProcessCommand confined(const Sandbox& sandbox, ProcessCommand command,
                        const std::vector<std::string>& options) {
    check(sandbox);
    const std::string program = require_inner(sandbox);
    const std::string inner =
        pass(command, Fd(open(program.c_str(), O_RDONLY | O_CLOEXEC)), program);

    std::vector<std::string> all = alone(sandbox.program, sandbox.mode);
    all.emplace_back("--die-with-parent");
    furnish(sandbox, home_inside(sandbox), command);
    const Mounts mounts = mounts_of(sandbox);
    mounts.append_to(all);
    command.held.insert(command.held.end(), mounts.held.begin(), mounts.held.end());
    command.guard = mounts.guard();
    const std::string fallback = sandbox.workspace.empty() ? "/" : sandbox.workspace;
    // Otherwise what is not mounted would be writable, and results written there would be lost.
    all.insert(all.end(), {"--remount-ro", "/", "--chdir",
                           command.directory.empty() ? fallback : command.directory, "--",
                           "/proc/self/fd/" + inner, "confine", "--self", inner, "--owner",
                           pass_this_process(command), "--program",
                           program_path(command.arguments.at(0)), "--write", "/tmp"});
    for (const std::string& path : mounts.writable()) all.insert(all.end(), {"--write", path});
    all.insert(all.end(), mounts.inside().begin(), mounts.inside().end());
    all.insert(all.end(), options.begin(), options.end());
    all.emplace_back("--");
    all.insert(all.end(), command.arguments.begin(), command.arguments.end());
    command.arguments = std::move(all);
    command.directory = "/";
    // If bwrap is killed while it sets up, it leaves a child that waits for it forever.
    command = watched(sandbox, std::move(command));
    command.around = Around::watched_sandbox;
    return command;
}

namespace {

// Commands of another agent may replace the directory, or one above it, by a link.
void keep_directory(ProcessCommand& command) {
    if (command.directory.empty()) return;
    auto directory = std::make_shared<const Fd>(open_real(command.directory, O_PATH | O_DIRECTORY));
    if (!*directory) throw not_opened_real(command.directory);
    command.directory = proc_path(directory->get());
    command.held.push_back(std::move(directory));
}

// Passes open descriptors, so that the rules hold for these places whatever their paths name by
// then.
void add_places(ProcessCommand& command, std::vector<std::string>& how, const char* option,
                const std::vector<std::shared_ptr<const Fd>>& places) {
    for (const std::shared_ptr<const Fd>& place : places)
        how.insert(how.end(), {option, proc_path(command.pass(place))});
}

}  // namespace

ProcessCommand fenced(const Sandbox& sandbox, ProcessCommand command,
                      const std::vector<std::string>& options) {
    check(sandbox);
    if (const auto problem = rules_problem(sandbox)) throw base::Error(*problem);
    if (const auto problem = fence_problem()) throw base::Error(*problem);
    const std::string home = home_outside(sandbox, command);
    furnish(sandbox, home, command);
    if (!home.empty()) command.environment.push_back("TMPDIR=" + home);
    const FencedPlaces places = fenced_places(sandbox, home);
    for (std::string& variable : command.environment)
        if (variable.starts_with("PATH="))
            variable = "PATH=" + places.searchable(std::string_view(variable).substr(5));
    std::vector<std::string> how{"fence"};
    add_places(command, how, "--write", places.writable);
    add_places(command, how, "--read", places.readable);
    for (const std::string& path : places.system) how.insert(how.end(), {"--read", path});
    for (const std::string& path : places.hidden) how.insert(how.end(), {"--except", path});
    how.insert(how.end(), options.begin(), options.end());
    if (command.directory.empty()) command.directory = sandbox.workspace;
    keep_directory(command);
    return watched(sandbox, std::move(command), std::move(how));
}

ProcessCommand shell_command(const Sandbox& sandbox, const std::string& text) {
    return {.arguments = {sandbox.shell, "-c", "--", text}};
}

ProcessCommand sandboxed(const Sandbox& sandbox, ProcessCommand command) {
    command.umask = sandbox.umask;
    if (sandbox.mode == SandboxMode::off) {
        if (const auto problem = rules_problem(sandbox)) throw base::Error(*problem);
        furnish(sandbox, home_outside(sandbox, command), command);
        keep_directory(command);
        return watched(sandbox, std::move(command));
    }
    if (sandbox.mode == SandboxMode::landlock) return fenced(sandbox, std::move(command), {});
    return confined(sandbox, std::move(command), {});
}

}  // namespace chorus::sys
