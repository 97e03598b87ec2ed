// What is swapped, and how often each.
#pragma once

#include <string>

#include "ground.hpp"

namespace escape {

// What a command of the sandbox can move: `guarded` is a command that began when .git was there,
// with .git and the parts of it that the sandbox protects in their places; for one that began
// before, `whole`, .git is a directory like others.
enum class Reach { guarded, whole };
enum class Part { git, tree, both };

class Targets {
  public:
    Targets(const Ground& ground, Reach reach, Part part, std::string only, std::string own)
        : ground_(ground),
          reach_(reach),
          part_(part),
          only_(std::move(only)),
          own_(std::move(own)) {}

    // A path below the ground; its entry need not be there.
    std::string choose(Random& random) const;
    // Whether it may be moved, and is asked for.
    bool is_allowed(const std::string& target) const;
    // A path for what is put in the target's place: on the same mount, and mostly where nothing
    // looks.
    std::string decoy_for(const std::string& target, Random& random) const;

  private:
    std::string any(Random& random) const;

    const Ground& ground_;
    Reach reach_;
    Part part_;
    std::string only_;  // a part of the target's name, to find out what an effect comes from
    std::string own_;   // what no other adversary has in its names
};

bool is_in_git(const std::string& target);

}  // namespace escape
