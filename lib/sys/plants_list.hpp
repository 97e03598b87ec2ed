// The list of plants that one search makes, and what that search may take; for this room's own use.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "base/limits.hpp"
#include "sys/plants.hpp"

namespace chorus::sys {

// Its limits end a search within seconds, whatever a command has made.
class PlantList {
  public:
    std::size_t left_bytes = base::limits::scanned_bytes;
    std::size_t left_index_bytes = base::limits::scanned_index_bytes;
    // These return false where too little is left. A path costs more the longer it is, as the
    // kernel walks all of it.
    bool take_directory(const std::string& path);
    // For names that the file `path` contains, or the repository `path` itself.
    bool take_names(std::size_t count, const std::string& path);

    // Where the list is full, plants change one last entry.
    void add(Plant plant);
    // Adds what was not read, or not looked up.
    void add_unread(Plant plant);
    bool is_whole() const { return is_whole_; }
    std::set<Plant> take();

  private:
    std::size_t left_path_bytes_ = base::limits::scanned_path_bytes;
    std::size_t left_names_ = base::limits::scanned_names;
    std::size_t left_listed_bytes_ = 4U << 20;
    std::set<Plant> plants_;
    std::string rest_;  // a hash of those that are not in the list
    bool is_whole_ = true;
};

}  // namespace chorus::sys
