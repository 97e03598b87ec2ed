// What the suite is told on its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace escape {

struct Options {
    std::string bin;
    std::int64_t seconds = 60;
    std::uint64_t seed = 0;
    std::int64_t first_round = 0;
    std::vector<std::string> kinds;     // empty: all of them in turn
    std::vector<std::string> tools;     // empty: all
    std::string only;                   // a part of what is swapped
    std::string sandbox = "workspace";  // as the home's configuration says it
    long user = -1;
    bool is_harmless = false;
    bool without_landlock = false;
    bool goes_on = false;  // after an effect
    bool keeps = false;    // the place of the last round
};

// Ends the program with its usage where it does not understand.
Options parse(int argc, char** argv);

}  // namespace escape
