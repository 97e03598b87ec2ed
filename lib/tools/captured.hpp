// The output of a command, as tools return it.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.hpp"
#include "sys/process.hpp"

namespace chorus::tools {

// How much of the end of each stream is read.
constexpr std::size_t captured_bytes = base::limits::tool_result_characters * 4;

// Returns "stdout:\n…stderr:\n…", the end of each within the limit of a result, with a note on what
// was left out; or "no output\n".
std::string captured_text(const sys::Captured& out, const sys::Captured& err);

}  // namespace chorus::tools
