#include "sys/fence.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/command_home.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/inner.hpp"
#include "sys/mounts.hpp"
#include "sys/open_beneath.hpp"
#include "sys/system_places.hpp"

namespace chorus::sys {
namespace {

constexpr long landlock_create_ruleset = 444;  // the same on all architectures
constexpr unsigned version_flag = 1;
// The first version that lets a file be moved to another directory.
constexpr long least_landlock = 2;

Fd open_installed(const std::string& name) {
    const std::string path = installed_program(name);
    if (path.empty())
        throw base::Error(base::ErrorCode::failed, name + " is not installed with this program");
    Fd program(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!program) throw base::system_error(path);
    return program;
}

// Opens the directories before the program is started. They are named by descriptor, so that the
// rules are made for them even where their paths lead elsewhere by then.
void pass_places(ProcessCommand& command, const Confinement& confinement) {
    const auto pass = [&](const char* option, Fd place) {
        if (!place) return false;
        const int fd = command.pass(std::make_shared<const Fd>(std::move(place)));
        command.arguments.insert(command.arguments.end(), {option, proc_path(fd)});
        return true;
    };
    for (const std::string& path : confinement.writable)
        if (!pass("--write", open_real(path, O_PATH | O_DIRECTORY))) throw not_opened_real(path);
    for (const std::string& path : confinement.readable)
        pass("--read", Fd(open(path.c_str(), O_PATH | O_CLOEXEC)));
}

// The mounts are made by path: bubblewrap of Debian 12 takes no descriptors.
std::vector<std::string> mounted(const Confinement& confinement, const std::string& inner) {
    std::string bwrap;
    if (find_program("bwrap", bwrap) != 0)
        throw base::Error(
            base::ErrorCode::failed, "git: this kernel has no Landlock, and bwrap is not installed",
            "install the package bubblewrap; it needs " + std::string(what_fences_need));
    const SandboxMode mode =
        confinement.network ? SandboxMode::workspace_net : SandboxMode::workspace;
    std::vector<std::string> all = alone(bwrap, mode);
    std::map<std::string, std::string> readable;
    for (const std::string& path : confinement.readable)
        if (exists(path)) readable[path] = real_path(path);
    Mounts mounts = mounts_of({.mode = mode, .readable = std::move(readable)});
    for (const std::string& path : confinement.writable) mounts.bind_writable(path);
    mounts.append_to(all);
    all.insert(all.end(), {"--remount-ro", "/", "--chdir", "/", "--", inner, "git", "--mounted"});
    all.insert(all.end(), mounts.inside().begin(), mounts.inside().end());
    return all;
}

}  // namespace

Fence fence_of_this_kernel() {
    static const long version = syscall(landlock_create_ruleset, nullptr, 0UL, version_flag);
    return version >= least_landlock ? Fence::landlock : Fence::mounts;
}

ConfinedProcess start_confined(const std::string& name, const Confinement& confinement,
                               std::vector<std::string> environment) {
    const Fd inner = open_installed(inner_name);
    const Fd program = open_installed(name);
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw base::system_error("socketpair");
    Fd ours(sockets[0]);
    const Fd theirs(sockets[1]);
    ProcessCommand command;
    command.environment = std::move(environment);
    command.directory = "/";
    command.umask = confinement.umask;
    command.keep_fds = {inner.get(), program.get(), theirs.get()};
    if (confinement.fence == Fence::landlock) {
        command.arguments = {proc_path(inner.get()), "git"};
        pass_places(command, confinement);
    } else {
        command.arguments = mounted(confinement, proc_path(inner.get()));
    }
    if (confinement.network) command.arguments.emplace_back("--network");
    if (confinement.unix_sockets) command.arguments.emplace_back("--unix-sockets");
    command.arguments.insert(command.arguments.end(),
                             {"--socket", std::to_string(theirs.get()), "--program-fd",
                              std::to_string(program.get()), "--", name});
    Fd errors = memory_file("");
    const Identity identity = start(command, {.err = errors.get()});
    return {identity, std::move(ours), std::move(errors)};
}

std::int64_t processor_time_ns(const Identity& identity) {
    std::vector<Identity> all = descendants(identity);
    all.push_back(identity);
    std::int64_t sum = 0;
    for (const Identity& process : all) {
        clockid_t clock = 0;
        timespec used{};
        if (clock_getcpuclockid(static_cast<pid_t>(process.pid), &clock) == 0 &&
            clock_gettime(clock, &used) == 0)
            sum += used.tv_sec * 1'000'000'000LL + used.tv_nsec;
    }
    return sum;
}

namespace {

class Builder {
  public:
    explicit Builder(const Sandbox& sandbox) : sandbox_(sandbox) {}

    FencedPlaces build(const std::string& home) {
        add_workspace();
        if (!home.empty()) write(home.substr(0, home.rfind('/')));
        if (!sandbox_.belongings.empty()) {
            write(real_path(cache_of(sandbox_)));
            read(real_path(git_configuration_of(sandbox_)));
        }
        for (const auto& [path, real] : sandbox_.readable)
            if (!real.empty()) read(real);
        for (const char* path : system_directories) {
            places_.system.emplace_back(path);
            if (const auto real = resolved(path)) places_.paths.push_back(*real);
        }
        for (const std::string& path : system_secrets()) hide(path);
        for (const std::string& path : sandbox_.masked) hide(path);
        return std::move(places_);
    }

  private:
    void write(const std::string& path) {
        write(path, held(path, open_real(path, O_PATH | O_DIRECTORY)));
    }
    void write(const std::string& path, std::shared_ptr<const Fd> directory) {
        places_.writable.push_back(std::move(directory));
        written_.push_back(path);
        places_.paths.push_back(path);
    }
    void read(const std::string& path) {
        Fd place = open_real(path, O_PATH);
        if (!place && errno == ENOENT) return;
        places_.readable.push_back(held(path, std::move(place)));
        places_.paths.push_back(path);
    }
    static std::shared_ptr<const Fd> held(const std::string& path, Fd place) {
        if (!place) throw not_opened_real(path);
        return std::make_shared<const Fd>(std::move(place));
    }

    // A linked worktree may write what all worktrees share, but not the HEAD, index or
    // configuration of another one.
    void add_workspace() {
        if (sandbox_.workspace.empty()) return;
        write(sandbox_.workspace);
        const GitPlace git = find_git(sandbox_.workspace);
        if (!git.is_there() || is_within(git.git_directory, sandbox_.workspace)) return;
        write(git.git_directory, git.git);
        if (!git.is_linked_worktree()) return;
        places_.readable.push_back(git.common);
        for (const char* name : shared_by_worktrees) {
            const std::string path = git.common_directory + "/" + name;
            if (!is_directory(path)) make_directory(path);
            write(path, held(path, open_beneath(git.common->get(), name, O_PATH | O_DIRECTORY,
                                                Links::none)));
        }
    }

    void hide(const std::string& path) {
        const auto real = resolved(path);
        if (!real) return;
        for (const std::string& writable : written_)
            if (is_within(*real, writable))
                throw base::Error(base::ErrorCode::failed,
                                  path +
                                      ": it is in a directory that commands write, where the "
                                      "sandbox \"landlock\" cannot hide it",
                                  "move it out of " + writable);
        places_.hidden.push_back(*real);
    }

    const Sandbox& sandbox_;
    FencedPlaces places_;
    std::vector<std::string> written_;
};

}  // namespace

FencedPlaces fenced_places(const Sandbox& sandbox, const std::string& home) {
    return Builder(sandbox).build(home);
}

std::string FencedPlaces::searchable(std::string_view path) const {
    std::vector<std::string> kept;
    for (const std::string_view entry : base::split(path, ':')) {
        const auto real = resolved(std::string(entry));
        if (real && std::any_of(paths.begin(), paths.end(),
                                [&](const std::string& place) { return is_within(*real, place); }))
            kept.emplace_back(entry);
    }
    return base::join(kept, ":");
}

std::optional<base::Error> fence_problem() {
    if (fence_of_this_kernel() == Fence::landlock) return {};
    return base::Error(base::ErrorCode::failed,
                       "landlock: this kernel lacks it, or has a version below 2");
}

}  // namespace chorus::sys
