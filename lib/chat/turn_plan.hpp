// The steps that a turn says it takes (the tool plan).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.hpp"

namespace chorus::chat {

class JsonText;

enum class StepStatus { pending, in_progress, completed };
inline constexpr base::EnumNames<StepStatus, 3> step_statuses{
    {"pending", "in_progress", "completed"}};

struct PlanStep {
    StepStatus status = StepStatus::pending;
    std::string text;
};
using Plan = std::vector<PlanStep>;

// "[x] ", "[>] " or "[ ] " before the text: completed, in progress, pending.
std::string marked(const PlanStep& step);
// A step without a mark is pending.
PlanStep parse_marked(std::string_view text);
// "2 of 5 steps done: read the tests": how many are completed, and the text of the first one in
// progress; "" for no steps.
std::string in_brief(const Plan& plan);

// [{"status", "text"}]
void write_plan(JsonText& out, const Plan& plan);
std::string to_json(const Plan& plan);
// Of what to_json() wrote; "" is an empty plan.
Plan parse_plan(std::string_view json);

}  // namespace chorus::chat
