// Directories of commands that run outside the sandbox; for this room's own use.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

// A new directory with links in it, locked as long as this process has it: one that a killed
// process left is known by that. All of it goes with the object.
class HomeOutside {
  public:
    // `links`: paths below the directory, and what they lead to.
    HomeOutside(const std::string& parent,
                const std::vector<std::pair<std::string, std::string>>& links);
    ~HomeOutside();
    HomeOutside(const HomeOutside&) = delete;
    HomeOutside& operator=(const HomeOutside&) = delete;

    // The home itself: empty.
    std::string home() const { return path_ + "/home"; }
    bool is_as_made() const;

  private:
    // All that is there, and what links lead to. False where it cannot be read.
    bool list(std::vector<std::string>& all) const;

    std::string path_;
    Fd fd_;
    std::vector<std::string> directories_;
    std::vector<std::string> made_;
};

// What one command left as it was made serves the next: file systems take hundreds of microseconds
// to make such directories and to free them.
class Homes {
  public:
    // Nothing where all are in use.
    std::unique_ptr<HomeOutside> take();
    void give_back(std::unique_ptr<HomeOutside> home);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<HomeOutside>> free_;
};

}  // namespace chorus::sys
