#include "chat/turn_plan.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"

namespace chorus::chat {
namespace {

constexpr std::array<std::string_view, 3> marks{"[ ]", "[>]", "[x]"};

}  // namespace

std::string marked(const PlanStep& step) {
    return std::string(marks.at(static_cast<std::size_t>(step.status))) + " " + step.text;
}

PlanStep parse_marked(std::string_view text) {
    text = base::trim(text);
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (text.starts_with(marks[i]))
            return {static_cast<StepStatus>(i),
                    std::string(base::trim(text.substr(marks[i].size())))};
    return {StepStatus::pending, std::string(text)};
}

std::string in_brief(const Plan& plan) {
    if (plan.empty()) return {};
    const auto done = std::count_if(plan.begin(), plan.end(), [](const PlanStep& step) {
        return step.status == StepStatus::completed;
    });
    const auto current = std::find_if(plan.begin(), plan.end(), [](const PlanStep& step) {
        return step.status == StepStatus::in_progress;
    });
    return std::to_string(done) + " of " +
           base::counted(static_cast<std::int64_t>(plan.size()), "step") + " done" +
           (current == plan.end() ? "" : ": " + current->text);
}

void write_plan(JsonText& out, const Plan& plan) {
    out.begin_array();
    for (const PlanStep& step : plan)
        out.begin_object()
            .member("status", step_statuses.name(step.status))
            .member("text", step.text)
            .end_object();
    out.end_array();
}

std::string to_json(const Plan& plan) {
    JsonText out;
    write_plan(out, plan);
    return out.take();
}

Plan parse_plan(std::string_view json) {
    Plan plan;
    for (const Json& step : try_parse_json(json).value_or(Json::array()))
        plan.push_back({step_statuses.find(string_or(step, "status")).value_or(StepStatus::pending),
                        string_or(step, "text")});
    return plan;
}

}  // namespace chorus::chat
