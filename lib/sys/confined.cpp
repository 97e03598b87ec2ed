#include "sys/confined.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "base/error.hpp"
#include "sys/file.hpp"
#include "sys/inner.hpp"
#include "sys/mounts.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr long landlock_create_ruleset = 444;  // the same on all architectures
constexpr unsigned version_flag = 1;
// The first version that lets a file be moved to another directory.
constexpr long least_landlock = 2;

// Names an open directory by descriptor, so that the rules are made for it even where its path
// leads elsewhere by then.
std::string number_text(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

Fd open_installed(const std::string& name) {
    const std::string path = installed_program(name);
    if (path.empty())
        throw base::Error(base::ErrorCode::failed, name + " is not installed with this program");
    Fd program(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!program) throw base::system_error(path);
    return program;
}

// Opens the directories before the program is started; the caller keeps them open until it has
// been.
std::vector<Fd> pass_places(ProcessCommand& command, const Confinement& confinement) {
    std::vector<Fd> places;
    const auto pass = [&](const char* option, Fd place) {
        if (!place) return false;
        places.push_back(std::move(place));
        command.keep_fds.push_back(places.back().get());
        command.arguments.insert(command.arguments.end(),
                                 {option, number_text(places.back().get())});
        return true;
    };
    for (const std::string& path : confinement.writable)
        if (!pass("--write", open_real(path, O_PATH | O_DIRECTORY))) throw not_opened_real(path);
    for (const std::string& path : confinement.readable)
        pass("--read", Fd(open(path.c_str(), O_PATH | O_CLOEXEC)));
    return places;
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
    std::vector<Fd> places;
    if (confinement.fence == Fence::landlock) {
        command.arguments = {number_text(inner.get()), "git"};
        places = pass_places(command, confinement);
    } else {
        command.arguments = mounted(confinement, number_text(inner.get()));
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
