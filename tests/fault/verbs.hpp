// A suite that kills each of a command's verbs at its k-th system call.
#pragma once

#include <sys/prctl.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fault/suite.hpp"
#include "fault/world.hpp"

namespace fault {

struct VerbSuite {
    std::vector<std::string> verbs;
    long points = 0;        // of a run
    long least_killed = 0;  // of them
};

// What `make(programs, directory, kept, bin)` gives, by shared_ptr, prepares the home that every
// point begins with, and puts it where `kept` says; counts a verb's calls with length(); works at
// a point and keeps its files as a Worker does.
template <typename Make>
int kill_verbs(int argc, char** argv, const VerbSuite& suite, Make make) {
    const Options options = parse(argc, argv, {"verb", "at"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = scratch_directory(argv[0]);
    const Programs programs{options.bin + "/chorus-run", options.bin + "/chorus-init"};
    const std::string kept = directory + "/kept";
    std::vector<Point> points = {options.point};
    {
        const auto first = make(programs, directory + "/first", kept, options.bin);
        first->prepare();
        if (options.point.empty()) {
            std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
            std::map<std::string, long> lengths;
            for (const std::string& verb : suite.verbs) lengths[verb] = first->length(verb);
            points = points_of(lengths, suite.points, options);
        }
    }
    run_points(argv[0], options, directory, points,
               [&](const std::string& own) {
                   const auto scene = make(programs, own, kept, options.bin);
                   return Worker{[scene](const Point& point) { return scene->work(point); },
                                 [scene](const std::string& path) { scene->keep_as(path); }};
               },
               {{"killed", options.points != 0 ? 0 : suite.least_killed}});
}

template <typename Value>
std::vector<std::string> names_of(const std::map<std::string, Value>& verbs) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : verbs) names.push_back(name);
    return names;
}

}  // namespace fault
