// Times as people type and read them.
#pragma once

#include <string>

#include "base/time.hpp"

namespace chorus::cli {

// What stands behind an option, "--since": Error(bad_request) that names it.
std::int64_t require_duration_ms(const std::string& text, const char* option);
base::TimeMs require_time(const std::string& text, const char* option);

// On a terminal how long ago, "3 min ago", elsewhere ISO 8601.
std::string shown_time(base::TimeMs time);

}  // namespace chorus::cli
