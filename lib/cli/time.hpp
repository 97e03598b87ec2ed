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
// As a word of a sentence: "30 sec", "5 min", "3 h", "2 days"; what is below 0 is 0.
std::string span_text(std::int64_t ms);
// With what a step takes: "12 ms", "1.2 sec", "2 min 5 sec".
std::string duration_text(std::int64_t ms);

}  // namespace chorus::cli
