// What is put in a target's place.
#pragma once

#include <string>
#include <vector>

#include "ground.hpp"

namespace escape {

// Where links lead, all absolute.
struct Outside {
    std::string tree;                // a work tree with the names of the ground's, .git included
    std::vector<std::string> files;  // each by itself
    std::vector<std::string> directories;
    std::string commit;        // of the repository in `tree`
    std::string magic;         // a link below /proc that leads into other mounts, or ""
    bool is_harmless = false;  // nothing leads out then
};

class Decoys {
  public:
    Decoys(std::string ground, Outside outside)
        : ground_(std::move(ground)), outside_(std::move(outside)) {}

    // At `place`, to be swapped with `target`; false where that was not possible.
    bool make(const Spot& place, const Spot& target, Random& random) const;

  private:
    bool link(const Spot& place, const Spot& target, const std::string& to, Random& random) const;
    bool leads_out(const Spot& place, const Spot& target, bool is_directory, Random& random) const;
    bool stays_inside(const Spot& place, const Spot& target, bool is_directory,
                      Random& random) const;
    bool make_directory_of_links(const Spot& place, const Spot& target, Random& random) const;
    bool make_repository(const Spot& place) const;
    std::string any_file(Random& random) const;
    std::string any_directory(Random& random) const;
    std::string text_for(const std::string& target, Random& random) const;

    std::string ground_;
    Outside outside_;
};

bool make_file(int directory, const std::string& name, const std::string& text);
// At most a few MiB of it.
std::string text_of(int directory, const std::string& name);

}  // namespace escape
