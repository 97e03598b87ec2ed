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

struct Outcome {
    std::vector<std::string> complaints;
    std::map<std::string, long> counted;  // summed up over all points: kills, for one
};

// Runs every point, shared out among worker processes; `prepare` is called once in each with its
// own directory. Prints each failure with the command that repeats it and where its files are kept,
// and the sums. False where a point failed.
class Crew {
  public:
    using Work = std::function<Outcome(const Point&)>;
    // Makes the worker's World, keeps it, and gives what runs a point and what keeps its files.
    struct Worker {
        Work work;
        std::function<void(const std::string& path)> keep;
    };
    Crew(std::string program, std::string directory, int workers)
        : program_(std::move(program)), directory_(std::move(directory)), workers_(workers) {}
    bool run(const std::vector<Point>& points,
             const std::function<Worker(const std::string& directory)>& prepare);
    const std::map<std::string, long>& counted() const { return counted_; }

  private:
    std::string program_;
    std::string directory_;
    int workers_;
    std::map<std::string, long> counted_;
};

// A new directory for the whole run, in memory where that is possible: a killed process loses
// nothing of what it wrote, on whatever file system. Directories of earlier runs are removed.
std::string scratch_directory(const std::string& program);

}  // namespace fault
