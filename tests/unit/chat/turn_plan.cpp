#include "chat/turn_plan.hpp"

#include "chat/event.hpp"
#include "support/scratch.hpp"

namespace chorus::chat {
namespace {

const Plan steps{{StepStatus::completed, "read"},
                 {StepStatus::in_progress, "write \"it\""},
                 {StepStatus::pending, "test"}};

TEST(Plan, AStepWithoutAMarkIsPending) {
    for (const PlanStep& step : steps) {
        const PlanStep parsed = parse_marked(marked(step));
        EXPECT_EQ(parsed.status, step.status);
        EXPECT_EQ(parsed.text, step.text);
    }
    EXPECT_EQ(parse_marked("  [x]read ").status, StepStatus::completed);
    EXPECT_EQ(parse_marked("  [x]read ").text, "read");
    EXPECT_EQ(parse_marked("[y] read").text, "[y] read");
    EXPECT_EQ(parse_marked("").text, "");
}

TEST(Plan, InBrief) {
    EXPECT_EQ(in_brief({}), "");
    EXPECT_EQ(in_brief(steps), "1 of 3 steps done: write \"it\"");
    EXPECT_EQ(in_brief({{StepStatus::completed, "a"}}), "1 of 1 step done");
}

TEST(Plan, IsReadBackFromJson) {
    const std::string json = to_json(steps);
    EXPECT_EQ(
        json,
        R"([{"status":"completed","text":"read"},{"status":"in_progress","text":"write \"it\""},{"status":"pending","text":"test"}])");
    EXPECT_EQ(to_json(parse_plan(json)), json);
    EXPECT_TRUE(parse_plan("").empty());
    EXPECT_TRUE(parse_plan("[").empty());
}

TEST(Plan, TheEventHasItsSteps) {
    const std::string line = to_json(PlanUpdate{steps}, {"a", 1, 7}, 0);
    EXPECT_NE(line.find(R"("kind":"plan")"), std::string::npos) << line;
    EXPECT_NE(line.find(R"("steps":[{"status":"completed","text":"read"})"), std::string::npos)
        << line;
}

}  // namespace
}  // namespace chorus::chat
