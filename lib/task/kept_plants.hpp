// The plants of a workspace (sys/plants.hpp) before a call that may change them, kept in a file:
// where the process of the call is killed, another one compares.
#pragma once

#include <string>

#include "sys/fd.hpp"
#include "sys/plants.hpp"

namespace chorus::task {

class KeptPlants {
  public:
    // `file` is agent::Directory::call_plants(); "": nothing is kept.
    KeptPlants(std::string workspace, std::string file);
    // Looks again, and removes the file. Returns what changed, as Plants::told() says it.
    std::string told();

  private:
    std::string workspace_;
    std::string file_;
    sys::Fd fd_;  // locked as long as this process lives
    sys::Plants before_;
};

// "; inspect them in DIRECTORY before you run git or other programs there"
std::string plants_advice(const std::string& directory);
// Returns what changed in the directory since then, as Plants::told() says it; "" where it is gone.
std::string plants_since(const std::string& directory, const sys::Plants& before);
// Returns what changed during a call whose process was killed, with the advice; "" where there is
// no such file, or the process lives.
std::string left_plants(const std::string& file);

}  // namespace chorus::task
