// What Landlock confines to a few directories, where mounts do not: commands, and the programs of
// Chorus that work for this process, which get nothing of it but a socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sys/environment.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"
#include "sys/sandbox.hpp"

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

struct FencedPlaces {
    // Open directories (O_PATH), whatever their paths lead to now.
    std::vector<std::shared_ptr<const Fd>> writable = {};
    std::vector<std::shared_ptr<const Fd>> readable = {};
    std::vector<std::string> system = {};  // readable too; missing ones are skipped
    std::vector<std::string> hidden = {};  // below readable ones; absolute, without links

    // Returns the entries of a PATH value that a command can read. A shell runs the first match,
    // and elsewhere a match may exist but not be readable.
    std::string searchable(std::string_view path) const;
    std::vector<std::string> paths = {};  // all that can be read, without links
};

// `home` is the command's own directory, or "". Throws Error(failed) where a path no longer leads
// to the place that it named, or where something to be hidden lies in a directory that commands
// write.
FencedPlaces fenced_places(const Sandbox& sandbox, const std::string& home);
// Returns why the kernel cannot confine commands this way, or nothing.
std::optional<base::Error> fence_problem();

}  // namespace chorus::sys
