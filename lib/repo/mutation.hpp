// Held around every change of a git directory: only one Chorus process changes it at a time, and
// lock files that a killed one left do not block the next. For this room's own use.
#pragma once

#include <optional>
#include <string>

#include "sys/lock.hpp"

namespace chorus::repo {

// Exists while a mutation is in progress. Our file names do not end in ".lock", because such files
// are removed as git's.
constexpr const char* marker_name = "chorus.mutation";

class Mutation {
  public:
    // Waits for another process up to file_lock_ms, then throws Error(failed).
    explicit Mutation(const std::string& git_directory);
    Mutation(const Mutation&) = delete;
    Mutation& operator=(const Mutation&) = delete;
    ~Mutation();

  private:
    std::string marker_;
    std::optional<sys::Lock> lock_;
};

// Removes what a killed process left; does nothing while another process holds the lock.
void clear_mutation(const std::string& git_directory);

}  // namespace chorus::repo
