#include <algorithm>
#include <regex>
#include <set>

#include "chat/json.hpp"
#include "unit/tools/workspace.hpp"

namespace chorus::tools {
namespace {

TEST(Registry, IsSortedAndFindsEveryToolByName) {
    const std::vector<Tool>& tools = registry();
    EXPECT_EQ(tools.size(), 31U);
    for (std::size_t i = 0; i < tools.size(); ++i) {
        EXPECT_EQ(find_tool(tools[i].name), &tools[i]);
        EXPECT_TRUE(i == 0 || tools[i - 1].name < tools[i].name) << tools[i].name;
    }
    EXPECT_EQ(find_tool("nothing"), nullptr);
    EXPECT_EQ(find_tool(""), nullptr);
    EXPECT_EQ(find_tool("zzz"), nullptr);
}

TEST(Registry, NamesFitEveryProviderAndDescriptionsAreShort) {
    for (const Tool& tool : registry()) {
        EXPECT_TRUE(std::regex_match(std::string(tool.name), std::regex("[a-zA-Z0-9_-]{1,64}")));
        EXPECT_GT(tool.description.size(), 40U) << tool.name;
        EXPECT_LE(std::count(tool.description.begin(), tool.description.end(), '\n'), 6);
        std::set<std::string_view> names;
        for (const Parameter& parameter : tool.parameters) {
            EXPECT_TRUE(names.insert(parameter.name).second) << tool.name << parameter.name;
            EXPECT_FALSE(parameter.description.empty()) << tool.name << parameter.name;
        }
    }
}

TEST(Registry, SchemasAreStrictObjects) {
    for (const Tool& tool : registry()) {
        const chat::ToolDefinition made = definition(tool);
        EXPECT_EQ(made.name, tool.name);
        EXPECT_EQ(made.schema, definition(tool).schema);
        const chat::Json schema = chat::parse_json(made.schema, made.name);
        EXPECT_EQ(schema["type"], "object");
        EXPECT_EQ(schema["additionalProperties"], false);
        EXPECT_EQ(schema["properties"].size(), tool.parameters.size());
        for (const auto& name : schema["required"])
            EXPECT_TRUE(schema["properties"].contains(name.get<std::string>()));
    }
}

TEST(Registry, SchemaIsWrittenInOneOrder) {
    EXPECT_EQ(definition(*find_tool("git_commit")).schema,
              R"({"type":"object","properties":{"message":{"type":"string","description":)"
              R"("the commit message"},"files":{"type":"array","items":{"type":"string"},)"
              R"("description":"paths to commit; default every change"}},)"
              R"("required":["message"],"additionalProperties":false})");
}

TEST(Registry, AnArgumentMayBeTextOrAnObject) {
    const chat::Json schema =
        chat::parse_json(definition(*find_tool("self_edit_permissions")).schema, "schema");
    EXPECT_EQ(schema["properties"]["new_profile"]["type"].dump(), R"(["string","object"])");
}

using Actions = Workspace;

TEST_F(Actions, PathsAreCanonicalUnlessTheyLeadOut) {
    EXPECT_EQ(action_of("view", R"({"path":"./src//a/../b.txt"})"), "tool:view:src/b.txt");
    EXPECT_EQ(action_of("view", R"({"path":"."})"), "tool:view:.");
    EXPECT_EQ(action_of("view", R"({"path":")" + at("x") + R"("})"), "tool:view:x");
    EXPECT_EQ(action_of("create_file", R"({"path":"../x/./y","content":""})"),
              "tool:create_file:../x/./y");
    EXPECT_EQ(action_of("append_file", R"({"path":"a b","content":""})"), "tool:append_file:a b");
    EXPECT_EQ(action_of("str_replace", R"({"path":"a/","old_str":"","new_str":""})"),
              "tool:str_replace:a");
    EXPECT_EQ(action_of("list_files", "{}"), "tool:list_files:.");
    EXPECT_EQ(action_of("search_files", R"({"pattern":"x","path":"src"})"),
              "tool:search_files:src");
}

TEST_F(Actions, CommandsAreRaw) {
    EXPECT_EQ(action_of("bash", R"({"command":" ls\nrm -rf x "})"), "tool:bash: ls\nrm -rf x ");
}

TEST_F(Actions, GitCarriesTheVerb) {
    EXPECT_EQ(action_of("git_init", "{}"), "tool:git:init");
    EXPECT_EQ(action_of("git_commit", R"({"message":"m"})"), "tool:git:commit");
    EXPECT_EQ(action_of("git_status", "{}"), "tool:git:status");
    EXPECT_EQ(action_of("git_log", R"({"count":3})"), "tool:git:log");
    EXPECT_EQ(action_of("git_diff", "{}"), "tool:git:diff");
    EXPECT_EQ(action_of("git_diff", R"({"ref1":"HEAD~1"})"), "tool:git:diff HEAD~1");
    EXPECT_EQ(action_of("git_diff", R"({"ref1":"a","ref2":"b"})"), "tool:git:diff a b");
    EXPECT_EQ(action_of("git_branch", R"({"name":"topic"})"), "tool:git:branch topic");
    EXPECT_EQ(action_of("git_checkout", R"({"ref":"topic","create":true})"),
              "tool:git:checkout topic");
}

}  // namespace
}  // namespace chorus::tools
