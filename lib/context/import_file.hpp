// Reads the lines of an exported file in order, and checks that each is allowed where it is; for this
// room's own use, in .cpp files only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "context/import_line.hpp"

namespace chorus::context {

// A transcript has the lines that an export of its messages would have. `name` is what errors call
// the file. Throws Error(bad_request), which names the line, or the message.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use);

// The contents of a file. Every line is read before anything is written.
struct Contents {
    std::vector<SavedSession> sessions;
    std::int64_t messages = 0;  // including results to be added for calls without one
    std::int64_t turns = 0;
};
Contents contents_of(std::string_view text, const std::string& name);

}  // namespace chorus::context
