// What the suites of this directory share: options, a printed seed, two workers, one summary.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fault {

struct Options {
    std::string bin;  // of the executables
    std::uint64_t seed = 0;
    long points = 0;                           // at least so many; 0: the suite's own figure
    bool every = false;                        // every k there is: the soak
    std::map<std::string, std::string> point;  // --phase, --at …: that one point alone
    int workers = 2;
};

// Options that are not listed in `of_point` end the program with its usage.
Options parse(int argc, char** argv, const std::vector<std::string>& of_point);

// What main() does: an exception is told and is a failure.
int run_suite(int (*suite)(int, char**), int argc, char** argv);

// One experiment, written as the options that run it again alone.
using Point = std::map<std::string, std::string>;
std::string command(const std::string& program, const Point& point);

// Of each verb, given how many calls it makes, an equal share of `figure` (or of Options::points)
// different k, or every k there is; printed.
std::vector<Point> points_of(const std::map<std::string, long>& lengths, long figure,
                             const Options& options);

struct Outcome {
    std::vector<std::string> complaints;
    std::map<std::string, long> counted;  // summed up over all points: kills, for one
};

// What runs a point and what keeps its files, in a worker's own World.
struct Worker {
    std::function<Outcome(const Point&)> work;
    std::function<void(const std::string& path)> keep;
};

// The rest of a suite: every point, shared out among worker processes; `prepare` is called once in
// each with its own directory. Each failure is printed with the command that repeats it and where
// its files are kept, then the sums. The program ends, with 0 where no point failed and each sum in
// `least` was reached; what `least` says counts for no single point. `directory` is removed then.
[[noreturn]] void run_points(const std::string& program, const Options& options,
                             const std::string& directory, const std::vector<Point>& points,
                             const std::function<Worker(const std::string& directory)>& prepare,
                             const std::map<std::string, long>& least);

// A new directory for the whole run, in memory where that is possible: a killed process loses
// nothing of what it wrote, on whatever file system. Directories of earlier runs are removed.
std::string scratch_directory(const std::string& program);

}  // namespace fault
