// What a command can leave in its workspace for programs outside the sandbox to obey, where mounts
// cannot prevent it: repositories that it makes or finds below the workspace, whose configuration
// or hooks run programs, and settings files of other programs.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

namespace chorus::sys {

struct Plant {
    std::string path;  // relative to the workspace
    std::string what;  // "core.fsmonitor", "a hook"
    std::string mark;  // tells one content from another
    friend auto operator<=>(const Plant&, const Plant&) = default;
};

class Plants {
  public:
    // All that is there now. The whole tree is looked through, no link followed, nothing run.
    static Plants in(const std::string& workspace);

    // "sub/.git/config: core.fsmonitor": what is here and was not in `before`.
    std::vector<std::string> since(const Plants& before) const;

  private:
    std::set<Plant> all_;
};

}  // namespace chorus::sys
