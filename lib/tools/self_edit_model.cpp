#include "base/limits.hpp"
#include "chat/json_text.hpp"
#include "model/choice.hpp"
#include "sys/file.hpp"
#include "tools/self_edit.hpp"

namespace chorus::embedded {
extern const std::string_view tool_self_edit_model;
}

namespace chorus::tools {
namespace {

std::variant<std::string, base::Error> find_wanted(const Arguments& arguments,
                                                   const Workplace& workplace) {
    const auto listed =
        sys::read_file_if_there(workplace.available_models_path, base::limits::config_bytes);
    return model::find_model(arguments.text("new_model"),
                             model::parse_available_models(listed.value_or("")),
                             model::Check::part);
}

std::string detail(const Arguments& arguments, const Workplace& workplace) {
    auto found = find_wanted(arguments, workplace);
    const std::string* full = std::get_if<std::string>(&found);
    return "model:" + (full != nullptr ? *full : arguments.text("new_model"));
}

std::string shown(const agent::Configuration& configuration) {
    return configuration.model;
}

Planned plan(const Arguments& arguments, const Workplace& workplace) {
    const auto found = find_wanted(arguments, workplace);
    if (const auto* error = std::get_if<base::Error>(&found)) throw base::Error(*error);
    return plan_member(workplace, "model", chat::quoted(std::get<std::string>(found)), shown,
                       "It is used from the next model call on, unless -m or CHORUS_MODEL chose "
                       "the model of this turn.");
}

}  // namespace

Tool self_edit_model_tool() {
    return {"self_edit_model",
            embedded::tool_self_edit_model,
            {{"new_model", "string", "provider/name, or a part that only one listed name contains",
              true}},
            Class::write,
            "self_edit",
            detail,
            nullptr,
            plan};
}

}  // namespace chorus::tools
