#include <algorithm>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "tools/tool.hpp"

// One line per tool, sorted: <name>.cpp defines <name>_tool().
#define CHORUS_TOOLS(TOOL)        \
    TOOL(append_file)             \
    TOOL(artifact_append)         \
    TOOL(artifact_create)         \
    TOOL(artifact_get)            \
    TOOL(artifact_list)           \
    TOOL(ask_user)                \
    TOOL(bash)                    \
    TOOL(create_file)             \
    TOOL(git_branch)              \
    TOOL(git_checkout)            \
    TOOL(git_commit)              \
    TOOL(git_diff)                \
    TOOL(git_init)                \
    TOOL(git_log)                 \
    TOOL(git_status)              \
    TOOL(list_agents)             \
    TOOL(list_files)              \
    TOOL(plan)                    \
    TOOL(read_agent_docs)         \
    TOOL(search_files)            \
    TOOL(self_edit_docs)          \
    TOOL(self_edit_model)         \
    TOOL(self_edit_permissions)   \
    TOOL(self_edit_system_prompt) \
    TOOL(send_to_agent)           \
    TOOL(spawn_agent)             \
    TOOL(str_replace)             \
    TOOL(task_kill)               \
    TOOL(task_output)             \
    TOOL(task_wait)               \
    TOOL(view)

#define CHORUS_DECLARE(tool) extern const std::string_view tool_##tool;
namespace chorus::embedded {
CHORUS_TOOLS(CHORUS_DECLARE)
}
#undef CHORUS_DECLARE

namespace chorus::tools {

#define CHORUS_DECLARE(tool) Tool tool##_tool();
CHORUS_TOOLS(CHORUS_DECLARE)
#undef CHORUS_DECLARE

namespace {

constexpr std::size_t expected_schema_bytes = 1024;

Tool completed(std::string_view name, std::string_view description, Tool tool) {
    tool.name = name;
    tool.description = description;
    if (tool.family.empty()) tool.family = name;
    return tool;
}

std::string detail_of(const Tool& tool, const Arguments& arguments, const Workplace& workplace) {
    if (tool.detail != nullptr) return tool.detail(arguments, workplace);
    std::vector<std::string> words;
    if (tool.name != tool.family) words.emplace_back(tool.name.substr(tool.family.size() + 1));
    for (const std::string_view argument : tool.shown)
        if (std::string word = arguments.text(std::string(argument)); !word.empty())
            words.push_back(std::move(word));
    return base::join(words, " ");
}

void append_type(std::string& schema, std::string_view type) {
    if (type == "string or object") {
        schema += R"(["string","object"])";
    } else {
        chat::append_quoted(schema, type);
        if (type == "array") schema += R"(,"items":{"type":"string"})";
    }
}

}  // namespace

const std::vector<Tool>& registry() {
#define CHORUS_ROW(tool) completed(#tool, embedded::tool_##tool, tool##_tool()),
    static const std::vector<Tool> tools = {CHORUS_TOOLS(CHORUS_ROW)};
#undef CHORUS_ROW
    return tools;
}

const Tool* find_tool(std::string_view name) {
    if (name == "PersistentAgent") name = "spawn_agent";
    const std::vector<Tool>& tools = registry();
    const auto found = std::find_if(tools.begin(), tools.end(),
                                    [&](const Tool& tool) { return tool.name == name; });
    return found == tools.end() ? nullptr : &*found;
}

// Every turn describes every tool, so the text is made without JsonText, which takes twice as long.
chat::ToolDefinition definition(const Tool& tool) {
    std::string schema;
    schema.reserve(expected_schema_bytes);
    schema += R"({"type":"object","properties":{)";
    std::string required;
    for (const Parameter& parameter : tool.parameters) {
        if (&parameter != tool.parameters.data()) schema += ',';
        chat::append_quoted(schema, parameter.name);
        schema += R"(:{"type":)";
        append_type(schema, parameter.type);
        schema += R"(,"description":)";
        chat::append_quoted(schema, parameter.description);
        schema += '}';
        if (!parameter.required) continue;
        if (!required.empty()) required += ',';
        chat::append_quoted(required, parameter.name);
    }
    schema += R"(},"required":[)" + required + R"(],"additionalProperties":false})";
    return {std::string(tool.name), std::string(tool.description), std::move(schema)};
}

Planned plan(const Tool& tool, const Arguments& arguments, const Workplace& workplace) {
    if (tool.plan != nullptr) return tool.plan(arguments, workplace);
    return Plan{{}, [&] { return tool.run(arguments, workplace); }, {}};
}

std::string action(const Tool& tool, const Arguments& arguments, const Workplace& workplace) {
    return "tool:" + std::string(tool.family) + ":" + detail_of(tool, arguments, workplace);
}

std::string action_prefix(const Tool& tool) {
    std::string prefix = "tool:" + std::string(tool.family) + ":";
    if (tool.name != tool.family) prefix += tool.name.substr(tool.family.size() + 1);
    return prefix;
}

std::string action_pattern(const Tool& tool) {
    return action_prefix(tool) + (tool.name == tool.family ? "[\\s\\S]*" : "( [\\s\\S]*)?");
}

}  // namespace chorus::tools
