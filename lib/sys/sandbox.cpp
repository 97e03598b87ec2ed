#include "sys/sandbox.hpp"

#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "base/text.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"

namespace chorus::sys {
namespace {

constexpr std::int64_t self_test_ms = 10'000;
constexpr std::size_t verdict_bytes = 4096;

constexpr std::array<std::pair<SandboxMode, std::string_view>, 3> mode_names{{
    {SandboxMode::workspace, "workspace"},
    {SandboxMode::workspace_net, "workspace+net"},
    {SandboxMode::off, "off"},
}};

// Programs, libraries and their settings. On merged-usr systems all but three are links.
constexpr std::array system_directories{"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                        "/lib64", "/libx32", "/etc",  "/opt"};

// Where the system keeps what its programs may read for everybody, and commands may not: as root
// they would be able to.
constexpr std::array system_secrets{
    "/etc/shadow",           "/etc/shadow-",     "/etc/gshadow",         "/etc/gshadow-",
    "/etc/security/opasswd", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt"};

// What other programs of the workspace's owner obey. Not masked where absent: that takes a mount
// point, and an empty file of these names is an error to the programs that read them.
constexpr std::array obeyed_files{".mcp.json", ".envrc", ".gitmodules"};

// What makes git run programs or look elsewhere: read-only below the writable .git. A name that is
// absent cannot be masked without a mount point, so that one is made, harmless to git and libgit2:
// an empty directory or file is the same as none, and a commondir of "./" names the repository
// itself
// ("." does too, but libgit2 does not find such a repository). Without it a command could write a
// commondir that points to a configuration of its own, which git on the host would obey.
struct Guarded {
    const char* name;
    bool directory;
    std::string_view content;
};
constexpr std::array<Guarded, 7> guarded_git{{{"hooks", true, ""},
                                              {"info", true, ""},
                                              {"modules", true, ""},
                                              {"worktrees", true, ""},
                                              {"config", false, ""},
                                              {"config.worktree", false, ""},
                                              {"commondir", false, "./\n"}}};

std::optional<struct stat> link_status(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return std::nullopt;
    return status;
}

bool is_within(std::string_view path, std::string_view directory) {
    if (directory == "/") return path.starts_with('/');
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

// realpath(3), or nothing where there is nothing.
std::optional<std::string> resolved(const std::string& path) {
    const base::Handle<char, std::free> real(realpath(path.c_str(), nullptr));
    if (!real) return std::nullopt;
    return std::string(real.get());
}

// bwrap works its arguments off in order and what is mounted later hides what is below. Sorted by
// path, what contains comes before what is contained, whatever lies where (a workspace in /tmp).
class Mounts {
  public:
    void bind(const std::string& path, const char* how = "--ro-bind") {
        if (const auto real = resolved(path)) visible_[path] = *real;
        rebind(path, how);
    }
    // Of what a bind shows already.
    void rebind(const std::string& path, const char* how = "--ro-bind") {
        arguments_[path] = {how, path, path};
    }
    void put(const std::string& path, std::vector<std::string> arguments) {
        visible_.erase(path);
        arguments_[path] = std::move(arguments);
    }
    bool has(const std::string& path) const { return arguments_.count(path) != 0; }

    // Wherever the file or directory can be seen, also through a bind of a path with links in it.
    void mask(const std::string& path) {
        const auto real = resolved(path);
        if (!real) return;
        const bool directory = is_directory(*real);
        for (const auto& [place, source] : visible_) {
            if (!is_within(*real, source)) continue;
            const std::string rest = real->substr(source == "/" ? 0 : source.size());
            const std::string target = place == "/" ? rest : place + rest;
            if (directory)
                arguments_[target] = {"--tmpfs", target};
            else
                arguments_[target] = {"--ro-bind", "/dev/null", target};
        }
    }

    bool shows(const std::string& path) const {
        for (const auto& [place, source] : visible_)
            if (is_within(path, place)) return true;
        return false;
    }

    void append_to(std::vector<std::string>& all) const {
        for (const auto& [path, arguments] : arguments_)
            all.insert(all.end(), arguments.begin(), arguments.end());
    }

  private:
    std::map<std::string, std::vector<std::string>> arguments_;
    std::map<std::string, std::string> visible_;  // of this path there is what lies at that one
};

void add_readable(Mounts& mounts, const Sandbox& sandbox) {
    for (const std::string& path : sandbox.readable) {
        const bool in_workspace = !sandbox.workspace.empty() && is_within(path, sandbox.workspace);
        if (path.starts_with('/') && !in_workspace && exists(path)) mounts.bind(path);
    }
}

void add_system(Mounts& mounts) {
    mounts.put("/proc", {"--proc", "/proc"});
    mounts.put("/dev", {"--dev", "/dev"});
    mounts.put("/tmp", {"--tmpfs", "/tmp"});
    if (mounts.has("/")) return;
    for (const std::string path : system_directories) {
        const auto status = link_status(path);
        if (!status) continue;
        if (S_ISLNK(status->st_mode)) {
            std::array<char, 4096> target{};
            const ssize_t size = readlink(path.c_str(), target.data(), target.size());
            if (size > 0)
                mounts.put(path,
                           {"--symlink", std::string(target.data(), static_cast<std::size_t>(size)),
                            path});
        } else {
            mounts.bind(path);
        }
    }
}

// resolv.conf is often a link to what a service writes under /run.
void add_resolver(Mounts& mounts) {
    const auto target = resolved("/etc/resolv.conf");
    if (target && !mounts.shows(*target)) mounts.bind(*target);
}

// Whether core.worktree or core.bare say that .git belongs to another tree than the one it lies in:
// git does not heed them any more once there is a commondir.
bool serves_another_tree(const std::string& config) {
    for (std::string_view line : base::split_lines(config)) {
        const std::string text = base::to_lower_ascii(base::trim(line));
        std::string_view entry = text;
        if (entry.starts_with("[core]")) entry = base::trim(entry.substr(6));
        const std::string_view key = base::trim(entry.substr(0, entry.find('=')));
        if (key == "worktree") return true;
        if (key == "bare" && entry.find("false") == std::string_view::npos) return true;
    }
    return false;
}

// Why the workspace's repository cannot be protected, or "".
std::string git_problem(const std::string& workspace) {
    if (workspace.empty()) return {};
    const std::string git = workspace + "/.git";
    const auto status = link_status(git);
    if (!status) return {};
    if (!S_ISDIR(status->st_mode)) return git + ": not a directory of its own: cannot be protected";
    for (const Guarded& guarded : guarded_git) {
        const std::string path = git + "/" + guarded.name;
        const auto entry = link_status(path);
        if (entry && S_ISLNK(entry->st_mode)) return path + ": a link cannot be protected";
    }
    if (exists(git + "/commondir")) return {};
    const auto config = read_file_if_there(git + "/config", 1U << 20);
    if (config && serves_another_tree(*config))
        return git + "/config: core.worktree or core.bare is set: cannot be protected";
    return {};
}

// With the permissions of .git: others may share the repository.
void make_guarded(const std::string& path, const Guarded& guarded, mode_t mode) {
    if (!guarded.directory) return write_file(path, guarded.content, mode & 0666U);
    make_directory(path);
    if (chmod(path.c_str(), mode & 0777U) != 0) throw base::system_error(path);
}

// Bound over itself .git cannot be renamed, and neither can what is bound below it. The kernel
// takes such a mount away when somebody outside renames another file over it, as `git config` does:
// until it ends, a command that runs meanwhile can then write that one.
void add_git(Mounts& mounts, const std::string& workspace) {
    const std::string git = workspace + "/.git";
    const auto status = link_status(git);
    if (!status) return;
    mounts.rebind(git, "--bind");
    const bool writable = access(git.c_str(), W_OK) == 0;
    for (const Guarded& guarded : guarded_git) {
        const std::string path = git + "/" + guarded.name;
        if (!link_status(path)) {
            // What we may not make, a command may not either.
            if (!writable) continue;
            make_guarded(path, guarded, status->st_mode);
        }
        mounts.rebind(path);
    }
}

void add_workspace(Mounts& mounts, const std::string& workspace) {
    if (workspace.empty()) return;
    mounts.bind(workspace, "--bind");
    for (const char* name : obeyed_files) {
        const std::string path = workspace + "/" + name;
        const auto status = link_status(path);
        if (status && S_ISREG(status->st_mode)) mounts.rebind(path);
    }
    add_git(mounts, workspace);
}

void mask_secrets(Mounts& mounts, const std::vector<std::string>& masked) {
    for (const char* path : system_secrets) mounts.mask(path);
    if (is_directory("/etc/ssh"))
        for (const std::string& name : list_directory("/etc/ssh"))
            if (fnmatch("ssh_host_*_key", name.c_str(), 0) == 0) mounts.mask("/etc/ssh/" + name);
    for (const std::string& path : masked) mounts.mask(path);
}

Mounts mounts_of(const Sandbox& sandbox) {
    Mounts mounts;
    add_readable(mounts, sandbox);
    add_system(mounts);
    add_workspace(mounts, sandbox.workspace);
    if (sandbox.mode == SandboxMode::workspace_net) add_resolver(mounts);
    mask_secrets(mounts, sandbox.masked);
    return mounts;
}

// What the verdict holds for: this boot, this mode, this program.
std::string verdict_key(const Sandbox& sandbox, const std::string& program) {
    struct stat status {};
    stat(program.c_str(), &status);
    return boot_id() + " " + std::string(name(sandbox.mode)) + " " + program + " " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

// Why `true` does not run in it, or "".
std::string self_test(const Sandbox& sandbox, const std::vector<std::string>& environment) {
    Command command;
    command.arguments = {"true"};
    command.environment = environment;
    const Finished finished =
        run(sandboxed(sandbox, std::move(command)), {.timeout_ms = self_test_ms, .grace_ms = 0});
    if (finished.exit_code == 0) return {};
    if (finished.timed_out) return sandbox.program + ": its self-test did not end";
    const std::string_view said = base::trim(finished.err.text);
    if (said.empty()) return sandbox.program + ": its self-test failed";
    return base::visible(said.substr(said.rfind('\n') + 1));
}

// Working verdicts of this boot stay; a failure is not remembered, so that a repair helps at once.
void remember(const std::string& state_file, const std::string& known, const std::string& key) {
    std::string lines;
    for (const std::string_view line : base::split_lines(known))
        if (line.starts_with(key.substr(0, key.find(' ')))) lines.append(line).append("\n");
    write_file(state_file, lines + key + "\n");
}

bool has_line(const std::string& text, const std::string& wanted) {
    for (const std::string_view line : base::split_lines(text))
        if (line == wanted) return true;
    return false;
}

}  // namespace

std::string_view name(SandboxMode mode) {
    return mode_names[static_cast<std::size_t>(mode)].second;
}

bool parse_sandbox_mode(std::string_view text, SandboxMode& mode) {
    for (const auto& [value, word] : mode_names) {
        if (text != word) continue;
        mode = value;
        return true;
    }
    return false;
}

Command sandboxed(const Sandbox& sandbox, Command command) {
    if (sandbox.mode == SandboxMode::off) return command;
    if (!sandbox.workspace.empty() && !sandbox.workspace.starts_with('/'))
        throw base::Error(base::ErrorCode::failed, sandbox.workspace + ": not an absolute path");
    if (const std::string problem = git_problem(sandbox.workspace); !problem.empty())
        throw base::Error(base::ErrorCode::failed, problem);

    std::vector<std::string> all{sandbox.program, "--unshare-user",   "--cap-drop",
                                 "ALL",           "--disable-userns", "--unshare-pid",
                                 "--unshare-ipc", "--unshare-uts"};
    if (sandbox.mode == SandboxMode::workspace) all.emplace_back("--unshare-net");
    all.insert(all.end(), {"--new-session", "--die-with-parent"});
    mounts_of(sandbox).append_to(all);
    const std::string fallback = sandbox.workspace.empty() ? "/" : sandbox.workspace;
    // What is not mounted would otherwise be a writable nowhere, and a result written there lost.
    all.insert(all.end(), {"--remount-ro", "/", "--chdir",
                           command.directory.empty() ? fallback : command.directory, "--"});
    all.insert(all.end(), command.arguments.begin(), command.arguments.end());
    command.arguments = std::move(all);
    command.directory = "/";
    command.wraps = true;
    return command;
}

std::string sandbox_problem(const Sandbox& sandbox, const std::string& state_file) {
    if (sandbox.mode == SandboxMode::off) return {};
    if (std::string problem = git_problem(sandbox.workspace); !problem.empty()) return problem;
    std::vector<std::string> environment;
    if (const auto path = Environment::of_process().find("PATH"))
        environment.push_back("PATH=" + *path);
    const auto program = find_program(sandbox.program, environment);
    if (!program) return base::system_error(sandbox.program, ENOENT).message();

    const std::string key = verdict_key(sandbox, *program);
    const std::string known = read_file_if_there(state_file, verdict_bytes).value_or("");
    if (has_line(known, key)) return {};
    std::string problem = self_test(sandbox, environment);
    if (problem.empty()) remember(state_file, known, key);
    return problem;
}

}  // namespace chorus::sys
