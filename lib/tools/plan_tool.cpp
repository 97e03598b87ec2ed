#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/turn_plan.hpp"
#include "tools/result.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

chat::ToolResult show_plan(const Arguments& arguments, const Workplace& workplace) {
    chat::Plan steps;
    for (const std::string& text : arguments.list("steps"))
        steps.push_back(chat::parse_marked(text));
    if (std::ssize(steps) > base::limits::plan_steps)
        return failure("plan: " + base::counted(std::ssize(steps), "step") + ", at most " +
                       std::to_string(base::limits::plan_steps));
    for (const chat::PlanStep& step : steps) {
        if (step.text.empty()) return failure("plan: a step without text");
        if (step.text.size() > base::limits::plan_step_bytes)
            return failure("plan: a step of " + base::counted(std::ssize(step.text), "byte") +
                           ", at most " + std::to_string(base::limits::plan_step_bytes));
    }
    workplace.keep_plan(steps);
    const std::string brief = chat::in_brief(steps);
    return answer((brief.empty() ? "the plan is gone" : brief) + "\n");
}

}  // namespace

Tool plan_tool() {
    return {
        .parameters = {{"steps", "array",
                        "all steps in order, such as '[x] read the tests'; empty: no plan", true}},
        .run = show_plan};
}

}  // namespace chorus::tools
