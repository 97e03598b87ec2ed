#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/choice.hpp"
#include "sys/file.hpp"
#include "tools/effect.hpp"
#include "tools/result.hpp"
#include "tools/self_edit.hpp"

namespace chorus::tools {
namespace {

constexpr std::string_view agent_json = "agent.json";

// Plans the change of one member of agent.json; `shown` returns it as a person reads it. A result
// if it has that value already. Throws Error(config_invalid) if agent.json is invalid or would be.
using Shown = std::string (*)(const agent::Configuration&);
Planned plan_member(const Workplace& workplace, const std::string& member, const std::string& json,
                    Shown shown, std::string note) {
    std::optional<sys::Lock> lock = lock_configuration(workplace);
    if (!lock) return configuration_locked();
    const agent::Configuration before = agent::load_configuration(workplace.directory);
    const agent::Configuration after =
        agent::parse_configuration(agent::with_members(before.text, {{member, json}}), agent_json);
    if (shown(before) == shown(after))
        return answer(member + " has that value already; nothing was changed\n");
    return plan_self_edit(workplace, std::move(*lock),
                          {member, shown(before), shown(after), std::move(note),
                           std::string(agent_json), content_hash(before.text), after.text});
}

std::variant<std::string, base::Error> find_wanted(const Arguments& arguments,
                                                   const Workplace& workplace) {
    const auto listed =
        sys::read_file_if_there(workplace.available_models_path, base::limits::json_bytes);
    return model::find_model(arguments.text("new_model"), workplace.catalog,
                             model::parse_available_models(listed.value_or("")),
                             model::Check::usable);
}

std::string model_detail(const Arguments& arguments, const Workplace& workplace) {
    auto found = find_wanted(arguments, workplace);
    const std::string* full = std::get_if<std::string>(&found);
    return "model:" + (full != nullptr ? *full : arguments.text("new_model"));
}

Planned plan_model(const Arguments& arguments, const Workplace& workplace) {
    const auto found = find_wanted(arguments, workplace);
    if (const auto* error = std::get_if<base::Error>(&found)) throw base::Error(*error);
    const Shown shown = [](const agent::Configuration& one) { return one.model; };
    return plan_member(workplace, "model", chat::quoted(std::get<std::string>(found)), shown,
                       "It is used from the next model call on, unless -m or CHORUS_MODEL chose "
                       "the model of this turn.");
}

constexpr const char* profile_argument = "new_profile";

// Returns the JSON of a profile given as an object, which some models send as text; "" for a name.
std::string written_out(const Arguments& arguments) {
    const std::string text = arguments.text(profile_argument);
    return base::trim(text).starts_with('{') ? text : arguments.object(profile_argument);
}

std::string permissions_detail(const Arguments& arguments, const Workplace&) {
    return "permissions:" +
           (written_out(arguments).empty() ? arguments.text(profile_argument) : "custom");
}

std::string shown_permissions(const agent::Configuration& configuration) {
    const agent::Permissions& permissions = configuration.permissions;
    return permissions.custom ? permissions.json : permissions.name;
}

Planned plan_permissions(const Arguments& arguments, const Workplace& workplace) {
    const agent::Permissions wanted = wanted_permissions(arguments);
    (void)agent::resolve_profile(wanted, workplace.home_configuration, profile_argument);
    return plan_member(workplace, "permissions", wanted.json, shown_permissions,
                       "It is in force from the next model call on.");
}

Planned plan_system_prompt(const Arguments& arguments, const Workplace& workplace) {
    const std::string prompt = arguments.text("new_prompt");
    if (base::trim(prompt).empty()) return failure("new_prompt is empty; nothing was changed");
    if (prompt.find('\0') != std::string::npos)
        return failure("new_prompt contains a NUL byte; nothing was changed");
    const Shown shown = [](const agent::Configuration& one) { return one.system_prompt; };
    return plan_member(workplace, "system_prompt", chat::quoted(prompt), shown,
                       "It is in force from the next model call on.");
}

}  // namespace

agent::Permissions wanted_permissions(const Arguments& arguments) {
    const std::string object = written_out(arguments);
    return agent::parse_permissions(
        object.empty() ? chat::quoted(arguments.text(profile_argument)) : object, profile_argument);
}

Tool self_edit_model_tool() {
    return {.parameters = {{"new_model", "string",
                            "provider/name, or a part that only one listed name contains", true}},
            .kind = Class::write,
            .family = "self_edit",
            .detail = model_detail,
            .plan = plan_model};
}

Tool self_edit_permissions_tool() {
    return {.parameters = {{"new_profile", "string or object",
                            "name of a profile, or an object with base, deny, allow, ask", true}},
            .kind = Class::write,
            .family = "self_edit",
            .detail = permissions_detail,
            .plan = plan_permissions};
}

Tool self_edit_system_prompt_tool() {
    return {
        .parameters = {{"new_prompt", "string", "the whole text of the new system prompt", true}},
        .kind = Class::write,
        .family = "self_edit",
        .plan = plan_system_prompt};
}

}  // namespace chorus::tools
