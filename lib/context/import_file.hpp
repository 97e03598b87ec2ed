// The lines of a file that export wrote, one after the other, and that each stands where it may;
// for this room's own use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "context/import_line.hpp"

namespace chorus::context {

// `name` is what errors call the file: Error(bad_request) that names the line.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use);

// A look at every line, before anything is written, finds what a file holds.
struct Contents {
    std::vector<SessionLine> sessions;
    std::int64_t messages = 0;  // with those that stand in for missing results
    std::int64_t turns = 0;
};
Contents contents_of(std::string_view text, const std::string& name);

}  // namespace chorus::context
