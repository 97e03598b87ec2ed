// A program of Chorus's own that works for this process where it cannot leave a few places: started
// through chorus-sandbox(8), mode git, with nothing of this process but a socket.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sys/environment.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

// How a process is kept where it belongs. `mounts` (bubblewrap) is for kernels without Landlock.
enum class Fence { landlock, mounts };
Fence fence_of_this_kernel();
// A hint where neither is to be had.
constexpr const char* what_fences_need =
    "Linux 5.19 or later, or user namespaces: docker run --security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined lets them through (man chorus-sandbox); or do without git "
    "tools and confinement: chorus-config set sandbox off";

struct Confinement {
    std::vector<std::string> writable = {};  // directories, without links; opened first
    std::vector<std::string> readable = {};  // what is not there is passed over
    bool network = false;
    bool unix_sockets = false;  // with the network: an agent of ssh
    unsigned umask = private_umask;
    Fence fence = fence_of_this_kernel();
};

struct ConfinedProcess {
    Identity identity;
    Fd socket;
    Fd errors;  // a file of what it says on stderr
};
// The program is the one installed with this executable; it finds the socket as descriptor 3 and
// ends when this end of it is closed. Throws Error(failed) where it cannot be confined.
ConfinedProcess start_confined(const std::string& name, const Confinement& confinement,
                               std::vector<std::string> environment);
// What it and its children have had of the processor: the same twice means that it waits.
std::int64_t processor_time_ns(const Identity& identity);

}  // namespace chorus::sys
