// What a command of the sandbox tries beside the swapping. What works and should not is printed as
// a line that begins with "WORKED".
#pragma once

#include <string>

#include "decoys.hpp"
#include "targets.hpp"

namespace escape {

class Probes {
  public:
    Probes(std::string directory, const Outside& outside, Reach reach)
        : directory_(std::move(directory)), outside_(outside), reach_(reach) {}

    void try_all() const;

  private:
    void try_bits() const;
    void try_foreign_calls() const;
    void try_files() const;
    void try_descriptors() const;
    void try_processes() const;
    void try_name_spaces() const;
    void try_protected() const;
    void plant_in_kept_directories() const;
    // Whether a file of the ground has a bit that gives its starter another's rights; removes it.
    void look_for_bits(const char* how) const;

    std::string directory_;
    const Outside& outside_;
    Reach reach_;
};

}  // namespace escape
