// Homes of commands that run without bubblewrap; for this room's own use.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

// A new directory with links in it, locked while this process uses it: an unlocked one was left by
// a killed process. The destructor removes it.
class HomeOutside {
  public:
    // `links`: paths below the directory, and their targets.
    HomeOutside(const std::string& parent,
                const std::vector<std::pair<std::string, std::string>>& links);
    ~HomeOutside();
    HomeOutside(const HomeOutside&) = delete;
    HomeOutside& operator=(const HomeOutside&) = delete;

    // The home itself, which is made empty.
    std::string home() const { return path_ + "/home"; }
    bool is_as_made() const;

  private:
    // Lists all entries and the targets of links. Returns false where they cannot be read.
    bool list(std::vector<std::string>& all) const;

    std::string path_;
    Fd fd_;
    std::vector<std::string> directories_;
    std::vector<std::string> made_;
};

// Keeps homes that a command left unchanged for the next one: making and removing such directories
// takes hundreds of microseconds.
class Homes {
  public:
    // Returns null where all are in use.
    std::unique_ptr<HomeOutside> take();
    void give_back(std::unique_ptr<HomeOutside> home);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<HomeOutside>> free_;
};

}  // namespace chorus::sys
