// What a command wrote, as tools answer with it.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.hpp"
#include "sys/process.hpp"

namespace chorus::tools {

// Of each stream, so much of its end is looked at.
constexpr std::size_t captured_bytes = base::limits::tool_result_characters * 4;

// "stdout:\n…stderr:\n…", the end of each within the bound of a result, with what was left out;
// "no output\n".
std::string captured_text(const sys::Captured& out, const sys::Captured& err);

}  // namespace chorus::tools
