#include "sys/confined.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/error.hpp"
#include "sys/file.hpp"
#include "sys/inner.hpp"
#include "sys/mounts.hpp"

namespace chorus::sys {
namespace {

constexpr long landlock_create_ruleset = 444;  // the same on all architectures
constexpr unsigned version_flag = 1;
// The first one that governs truncate(2).
constexpr long least_landlock = 3;

// An open place keeps its name until the rules for it are made, whatever its path names by then.
std::string name_of(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

struct Places {
    std::vector<Fd> writable;
    std::vector<Fd> readable;
};

Places open_places(const Confinement& confinement) {
    Places places;
    for (const std::string& path : confinement.writable) {
        places.writable.emplace_back(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!places.writable.back()) throw base::system_error(path);
    }
    for (const std::string& path : confinement.readable) {
        Fd place(open(path.c_str(), O_PATH | O_CLOEXEC));
        if (place) places.readable.push_back(std::move(place));
    }
    return places;
}

void pass(Command& command, const std::vector<Fd>& places, const char* option) {
    for (const Fd& place : places) {
        command.keep_fds.push_back(place.get());
        command.arguments.insert(command.arguments.end(), {option, name_of(place.get())});
    }
}

std::string require_installed(const char* name) {
    std::string path = installed_program(name);
    if (path.empty())
        throw base::Error(base::ErrorCode::failed,
                          std::string(name) + " is not installed with this program");
    return path;
}

// The mounts are made by path: bubblewrap of Debian 12 takes no descriptors.
std::vector<std::string> mounted(const Confinement& confinement, const std::string& inner) {
    std::string bwrap;
    if (find_program("bwrap", bwrap) != 0)
        throw base::Error(base::ErrorCode::failed,
                          "git: this kernel has no Landlock, and bwrap is not installed",
                          "install the package bubblewrap");
    std::vector<std::string> all{bwrap,           "--unshare-user", "--unshare-pid",
                                 "--unshare-ipc", "--unshare-uts",  "--cap-drop",
                                 "ALL",           "--new-session"};
    if (!confinement.network) all.emplace_back("--unshare-net");
    Mounts mounts = mounts_of(
        {.mode = confinement.network ? SandboxMode::workspace_net : SandboxMode::workspace,
         .readable = confinement.readable});
    for (const std::string& path : confinement.writable) mounts.bind_writable(real_path(path));
    mounts.append_to(all);
    all.insert(all.end(), {"--remount-ro", "/", "--chdir", "/", "--", inner, "git", "--mounted"});
    return all;
}

std::pair<Fd, Fd> make_sockets() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw base::system_error("socketpair");
    return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Fence fence_of_this_kernel() {
    static const long version = syscall(landlock_create_ruleset, nullptr, 0UL, version_flag);
    return version >= least_landlock ? Fence::landlock : Fence::mounts;
}

ConfinedProcess start_confined(const std::string& name, const Confinement& confinement,
                               std::vector<std::string> environment) {
    const std::string inner_path = require_installed(inner_name);
    const std::string program_path = require_installed(name.c_str());
    const Fd inner(open(inner_path.c_str(), O_RDONLY | O_CLOEXEC));
    const Fd program(open(program_path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!inner) throw base::system_error(inner_path);
    if (!program) throw base::system_error(program_path);
    auto [ours, theirs] = make_sockets();
    Command command;
    command.environment = std::move(environment);
    command.directory = "/";
    command.umask = confinement.umask;
    command.keep_fds = {inner.get(), program.get(), theirs.get()};
    const Places places = open_places(confinement);
    if (confinement.fence == Fence::landlock) {
        command.arguments = {name_of(inner.get()), "git"};
        pass(command, places.writable, "--write");
        pass(command, places.readable, "--read");
    } else {
        command.arguments = mounted(confinement, name_of(inner.get()));
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

}  // namespace chorus::sys
