// Times and amounts as people type and read them.
#pragma once

#include <string>

#include "base/money.hpp"
#include "base/time.hpp"

namespace chorus::cli {

// Parse the value of an option. Throw Error(bad_request), which names the option: "--since".
std::int64_t require_duration_ms(const std::string& text, const char* option);
base::MicroUsd require_usd(const std::string& text, const char* option);
base::TimeMs require_time(const std::string& text, const char* option);

// Returns how long ago it was on a terminal, "3 min ago", elsewhere ISO 8601.
std::string shown_time(base::TimeMs time);
// Returns "3 min ago"; "" for 0.
std::string ago(base::TimeMs time);
// Returns a span for a sentence: "30 sec", "5 min", "3 h", "2 days"; a negative one is 0.
std::string span_text(std::int64_t ms);
// Returns how long a step took: "12 ms", "1.2 sec", "2 min 5 sec".
std::string duration_text(std::int64_t ms);

}  // namespace chorus::cli
