// Starts a program of Chorus that works for this process, confined to a few directories: through
// chorus-sandbox(8), mode git, and with nothing of this process but a socket.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sys/environment.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// How a process is confined. `mounts` (bubblewrap) is for kernels without Landlock.
enum class Fence { landlock, mounts };
Fence fence_of_this_kernel();
// The hint where neither is available.
constexpr const char* what_fences_need =
    "Linux 5.19 or later, or user namespaces: docker run --security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined allows them (man chorus-sandbox); to work without git "
    "tools and confinement: chorus-config set sandbox off";

struct Confinement {
    std::vector<std::string> writable = {};  // directories, without links; opened first
    std::vector<std::string> readable = {};  // missing ones are skipped
    bool network = false;
    bool unix_sockets = false;  // with the network: for ssh-agent
    unsigned umask = private_umask;
    Fence fence = fence_of_this_kernel();
};

struct ConfinedProcess {
    Identity identity;
    Fd socket;
    Fd errors;  // a file with its stderr
};
// Starts the program of that name that is installed with this executable. It gets the socket as
// descriptor 3, and ends when this end of it is closed. Throws Error(failed) where it cannot be
// confined.
ConfinedProcess start_confined(const std::string& name, const Confinement& confinement,
                               std::vector<std::string> environment);
// Returns the processor time that the process and its descendants have used. The same value twice
// means that they wait.
std::int64_t processor_time_ns(const Identity& identity);

}  // namespace chorus::sys
