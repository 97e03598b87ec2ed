// The plants of a workspace (sys/plants.hpp) before a call that may change them, kept in a file:
// where the process of the call is killed, another one compares.
#pragma once

#include <string>

#include "store/agents.hpp"
#include "store/records.hpp"
#include "sys/fd.hpp"
#include "sys/plants.hpp"

namespace chorus::task {

class KeptPlants {
  public:
    // `file` is agent::Directory::call_plants(); "": nothing is kept.
    KeptPlants(std::string workspace, std::string file);
    // Looks again. The file stays where something changed, until forget_plants().
    sys::PlantReport report();

  private:
    std::string workspace_;
    std::string file_;
    sys::Fd fd_;  // locked as long as this process lives
    sys::Plants before_;
};

// "; inspect them in DIRECTORY before you run git or other programs there"
std::string plants_advice(const std::string& directory);
// Returns what changed in the directory since then; nothing where it is gone.
sys::PlantReport plants_since(const std::string& directory, const sys::Plants& before);
// Returns what changed during a call whose process was killed, the line with the advice; nothing
// where there is no such file, or the process lives.
sys::PlantReport left_plants(const std::string& file);
// Removes the file of a call that has ended, once what changed is recorded.
void forget_plants(const std::string& file);
// Records what changed, which is not "", in the audit log. `row` has the turn and the actor. Inside
// a transaction of the caller.
void audit_plants(store::Store& store, const store::Agent& agent, store::AuditRow row,
                  const std::string& record);

}  // namespace chorus::task
