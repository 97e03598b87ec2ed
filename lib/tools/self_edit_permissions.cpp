#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "tools/self_edit.hpp"

namespace chorus::embedded {
extern const std::string_view tool_self_edit_permissions;
}

namespace chorus::tools {
namespace {

constexpr const char* argument = "new_profile";

// Returns the JSON of a profile given as an object, which some models send as text; "" for a name.
std::string written_out(const Arguments& arguments) {
    const std::string text = arguments.text(argument);
    return base::trim(text).starts_with('{') ? text : arguments.object(argument);
}

std::string detail(const Arguments& arguments, const Workplace&) {
    return "permissions:" + (written_out(arguments).empty() ? arguments.text(argument) : "custom");
}

std::string shown(const agent::Configuration& configuration) {
    const agent::Permissions& permissions = configuration.permissions;
    return permissions.custom ? permissions.json : permissions.name;
}

Planned plan(const Arguments& arguments, const Workplace& workplace) {
    const agent::Permissions wanted = wanted_permissions(arguments);
    (void)agent::resolve_profile(wanted, *workplace.home_configuration, argument);
    return plan_member(workplace, "permissions", wanted.json, shown,
                       "It is in force from the next model call on.");
}

}  // namespace

agent::Permissions wanted_permissions(const Arguments& arguments) {
    const std::string object = written_out(arguments);
    return agent::parse_permissions(
        object.empty() ? chat::quoted(arguments.text(argument)) : object, argument);
}

Tool self_edit_permissions_tool() {
    return {"self_edit_permissions",
            embedded::tool_self_edit_permissions,
            {{"new_profile", "string or object",
              "name of a profile, or an object with base, deny, allow, ask", true}},
            Class::write,
            "self_edit",
            detail,
            nullptr,
            plan};
}

}  // namespace chorus::tools
