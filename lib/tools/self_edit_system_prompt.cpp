#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "tools/result.hpp"
#include "tools/self_edit.hpp"

namespace chorus::embedded {
extern const std::string_view tool_self_edit_system_prompt;
}

namespace chorus::tools {
namespace {

std::string detail(const Arguments&, const Workplace&) {
    return "system_prompt";
}

std::string shown(const agent::Configuration& configuration) {
    return configuration.system_prompt;
}

Planned plan(const Arguments& arguments, const Workplace& workplace) {
    const std::string prompt = arguments.text("new_prompt");
    if (base::trim(prompt).empty()) return failure("new_prompt is empty; nothing was changed");
    if (prompt.find('\0') != std::string::npos)
        return failure("new_prompt contains a NUL byte; nothing was changed");
    return plan_member(workplace, "system_prompt", chat::quoted(prompt), shown,
                       "It is in force from the next model call on.");
}

}  // namespace

Tool self_edit_system_prompt_tool() {
    return {"self_edit_system_prompt",
            embedded::tool_self_edit_system_prompt,
            {{"new_prompt", "string", "the whole text of the new system prompt", true}},
            Class::write,
            "self_edit",
            detail,
            nullptr,
            plan};
}

}  // namespace chorus::tools
