// Runs a program to its end, or until just before its k-th system call.
#pragma once

#include <string>
#include <vector>

namespace fault {

struct Launch {
    std::vector<std::string> arguments;    // arguments[0] is a path
    std::vector<std::string> environment;  // "NAME=value"
    std::string out_path = "/dev/null";    // "": stdout is closed; "|": a pipe that nobody reads
    std::string err_path = "/dev/null";
    // strace's counters are per system call and process, so none of them is the k-th of all: here
    // the calls of the main thread are counted from the first after execve, and its children run
    // untraced.
    long kill_at = 0;            // SIGKILL in place of that call; 0: never
    bool counts = false;         // count without killing
    bool is_left_alone = false;  // what it started goes on, and nobody waits for that
    long timeout_s = 60;
};

struct Ended {
    int status = -1;      // what it exited with, or 128 + signal
    bool killed = false;  // by kill_at
    bool hung = false;    // by timeout_s
    bool left_children = false;
    long calls = 0;
    long peak_kib = 0;
};

// The caller must be a subreaper: what a killed program leaves behind is waited for, for 10 s at
// most.
Ended launch(const Launch& launch);
// What a program prints, for short answers; throws where it does not exit with 0.
std::string output_of(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment);

}  // namespace fault
