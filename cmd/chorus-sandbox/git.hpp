// chorus-git, which does the git work of another program of Chorus.
#pragma once

#include <vector>

namespace chorus::sandbox {

struct GitMode {
    int socket = -1;   // of the program it works for; becomes its descriptor 3
    int program = -1;  // chorus-git, open
    std::vector<const char*> readable;
    bool network = false;
    bool unix_sockets = false;  // with the network
    bool mounted = false;       // what it may not touch is not mounted: Landlock is not needed
};
// Ends the process where it cannot be confined.
[[noreturn]] void become_git(const GitMode& git, const std::vector<const char*>& writable,
                             char* const* arguments, char* const* environment);

}  // namespace chorus::sandbox
