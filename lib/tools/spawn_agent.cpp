#include "base/text.hpp"
#include "tools/result.hpp"
#include "tools/sub_agents.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

Planned plan_spawn(const Arguments& arguments, const Workplace& workplace) {
    const std::string prompt = arguments.text("prompt");
    if (base::trim(prompt).empty()) return failure("spawn_agent: 'prompt' is empty");
    if (prompt.find('\0') != std::string::npos)
        return failure("spawn_agent: 'prompt' contains a NUL");
    if (base::trim(arguments.text("description")).empty())
        return failure("spawn_agent: 'description' is empty");
    SpawnRequest request{.call_id = workplace.call_id,
                         .preset = arguments.text("preset"),
                         .description = arguments.text("description"),
                         .denied_paths = arguments.list("denied_paths"),
                         .wait = arguments.flag("wait", true),
                         .isolate = arguments.flag("isolate", false)};
    if (arguments.has("allowed_paths")) request.allowed_paths = arguments.list("allowed_paths");
    const std::string sub_agent = workplace.sub_agents->create(request);
    return Plan{.evidence = {},
                .apply = [&agents = *workplace.sub_agents, sub_agent, prompt,
                          request = std::move(request)]() -> std::optional<chat::ToolResult> {
                    if (request.wait) return agents.run(sub_agent, request, prompt);
                    return agents.start(sub_agent, request, prompt);
                }};
}

}  // namespace

Tool spawn_agent_tool() {
    return {.parameters = {{"preset", "string", "the kind of sub-agent", true},
                           {"description", "string", "what it is for, in a few words", true},
                           {"prompt", "string", "the work: everything it has to know", true},
                           {"allowed_paths", "array",
                            "globs of what it may read, such as src/**; by default what you may"},
                           {"denied_paths", "array", "globs of what it may neither read nor write"},
                           {"wait", "boolean",
                            "false: it works in the background, and its answer comes as a message"},
                           {"isolate", "boolean",
                            "true: it works in a git clone, and its changes come as a branch"}},
            .kind = Class::agent,
            .shown = {"preset", "description"},
            .plan = plan_spawn};
}

}  // namespace chorus::tools
