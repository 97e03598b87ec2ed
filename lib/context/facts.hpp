// The facts at the head of a transcript, and numbers formatted for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "context/export_record.hpp"

namespace chorus::context {

struct Fact {
    std::string name;
    std::string text;
};
// Model, time, messages, turns, tokens and cost; unknown ones are left out.
std::vector<Fact> facts(const ExportRecord& record);

std::string with_commas(std::int64_t number);                      // "12,345"
std::string dollars(double usd);                                   // "$0.0123", "$12.30"
std::string shown_utc(base::TimeMs time);                          // "2026-02-12 10:30"
std::string counted(std::int64_t count, const std::string& what);  // "1 turn", "2 turns"

}  // namespace chorus::context
