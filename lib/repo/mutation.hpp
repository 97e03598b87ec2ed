// Held around every change of a git directory: one Chorus process at a time, and a lock file of
// git's that a killed one left behind does not stop the next. For this room's own use.
#pragma once

#include <optional>
#include <string>

#include "sys/lock.hpp"

namespace chorus::repo {

// There while a mutation is under way. No name of ours ends in ".lock": those are git's, and are
// removed as such.
constexpr const char* marker_name = "chorus.mutation";

class Mutation {
  public:
    // Waits for another process as long as for a file; then throws Error(failed).
    explicit Mutation(const std::string& git_directory);
    Mutation(const Mutation&) = delete;
    Mutation& operator=(const Mutation&) = delete;
    ~Mutation();

  private:
    std::string marker_;
    std::optional<sys::Lock> lock_;
};

// Removes what a killed process left; nothing while another is at it.
void clear_mutation(const std::string& git_directory);

}  // namespace chorus::repo
