#include "tools/effect.hpp"

#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

class EffectTest : public Workspace {
  protected:
    // The arguments have to outlive their plan.
    Plan plan_of(const std::string& name, const std::string& json) {
        arguments_.push_back(std::make_unique<Arguments>(Arguments::parse(json)));
        Planned planned = plan(*find_tool(name), *arguments_.back(), workplace);
        if (const auto* refused = std::get_if<chat::ToolResult>(&planned))
            throw std::runtime_error(refused->text);
        return std::move(std::get<Plan>(planned));
    }
    Effect effect(const std::string& evidence) const { return find_effect(evidence, root).effect; }

  private:
    std::vector<std::unique_ptr<Arguments>> arguments_;
};

// What each writing tool plans is told apart from what it has done, whatever was there before.
TEST_F(EffectTest, TellsWhetherAFileWasWritten) {
    put("there", "one\ntwo\n");
    const std::vector<std::pair<std::string, std::string>> calls{
        {"create_file", R"({"path": "new/deep", "content": "x"})"},
        {"create_file", R"({"path": "there", "content": "three\n"})"},
        {"append_file", R"({"path": "log", "content": "x\n"})"},
        {"append_file", R"({"path": "there", "content": "four\n"})"},
        {"str_replace", R"({"path": "there", "old_str": "three", "new_str": "3"})"},
    };
    for (const auto& [name, json] : calls) {
        const Plan planned = plan_of(name, json);
        EXPECT_EQ(effect(planned.evidence), Effect::absent) << name << json;
        EXPECT_FALSE(planned.apply()->is_error) << name << json;
        EXPECT_EQ(effect(planned.evidence), Effect::done) << name << json;
    }
    EXPECT_EQ(get("there"), "3\nfour\n");
}

TEST_F(EffectTest, NamesWhatItFound) {
    const Plan planned = plan_of("create_file", R"({"path": "./a//b", "content": "x"})");
    planned.apply();
    EXPECT_EQ(find_effect(planned.evidence, root).what, "./a//b was written");
}

TEST_F(EffectTest, IsUnclearWhenSomethingElseHappened) {
    const std::string evidence =
        plan_of("create_file", R"({"path": "a", "content": "x"})").evidence;
    put("a", "of somebody else");
    EXPECT_EQ(effect(evidence), Effect::unclear);
    std::filesystem::remove(at("a"));
    std::filesystem::create_directory(at("a"));
    EXPECT_EQ(effect(evidence), Effect::unclear);
}

TEST_F(EffectTest, IsUnclearWithoutEvidence) {
    EXPECT_EQ(effect(""), Effect::unclear);
    EXPECT_EQ(effect("{}"), Effect::unclear);
    EXPECT_EQ(effect("broken"), Effect::unclear);
    EXPECT_EQ(plan_of("bash", R"({"command": "true"})").evidence, "");
}

// Until the plan is gone nobody else reads the file to change it.
TEST_F(EffectTest, ThePlanHoldsTheFile) {
    put("a", "1");
    {
        const Plan planned = plan_of("append_file", R"({"path": "a", "content": "2"})");
        workplace.stop = [] { return true; };
        EXPECT_TRUE(has(fails("append_file", R"({"path": "a", "content": "3"})"), "another call"));
        ok("append_file", R"({"path": "b", "content": "3"})");
        planned.apply();
    }
    ok("append_file", R"({"path": "a", "content": "3"})");
    EXPECT_EQ(get("a"), "123");
}

TEST_F(EffectTest, TellsWhetherACommitWasMade) {
    ok("git_init", "{}");
    put("a", "1");
    std::string evidence;
    {
        const Plan planned = plan_of("git_commit", R"({"message": "first"})");
        evidence = planned.evidence;
        EXPECT_EQ(effect(evidence), Effect::absent);
        planned.apply();
    }
    EXPECT_EQ(effect(evidence), Effect::done);
    std::filesystem::remove_all(at(".git"));
    EXPECT_EQ(effect(evidence), Effect::unclear);
}

TEST_F(EffectTest, ACommitOnAnotherBranchIsFound) {
    ok("git_init", "{}");
    ok("git_checkout", R"({"ref": "other", "create": true})");
    put("a", "1");
    std::string evidence;
    {
        const Plan planned = plan_of("git_commit", R"({"message": "elsewhere"})");
        evidence = planned.evidence;
        planned.apply();
    }
    ok("git_checkout", R"({"ref": "main"})");
    EXPECT_EQ(effect(evidence), Effect::done);
}

TEST_F(EffectTest, WhatCannotWorkIsRefusedBeforeItBegins) {
    const Arguments arguments =
        Arguments::parse(R"({"path": "a", "old_str": "x", "new_str": "y"})");
    EXPECT_TRUE(std::holds_alternative<chat::ToolResult>(
        plan(*find_tool("str_replace"), arguments, workplace)));
}

}  // namespace
}  // namespace chorus::tools
