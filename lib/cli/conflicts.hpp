// Options that exclude each other (cli/conflicts.txt).
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"

namespace chorus::cli {

// The lines of the table for one command.
class Conflicts {
  public:
    explicit Conflicts(const Command& command);
    bool exclude(const Option& one, const Option& other) const;

  private:
    // Lists of names; no option of one list may be given with one of the other.
    std::vector<std::pair<std::string_view, std::string_view>> lines_;
};

}  // namespace chorus::cli
