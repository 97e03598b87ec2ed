#include "chat/asked.hpp"

#include "base/text.hpp"
#include "chat/json.hpp"

namespace chorus::chat {

namespace {

// Returns what bash's arguments add to the action, read as leniently as the tool itself reads them.
std::string told_background(const std::string& arguments) {
    if (arguments.find("background") == std::string::npos) return {};
    const Json object = try_parse_json(arguments).value_or(Json());
    const Json& background = member(object, "background");
    if (!object.contains("background") || background == false || background == "false") return {};
    const std::string next = string_or(object, "on_exit");
    return " [in the background" +
           (next.empty() ? "" : "; when it ends, starts a turn with: " + next) + "]";
}

}  // namespace

std::string asked_action(const std::string& action, const std::string& arguments,
                         const std::string& text) {
    return action + told_background(arguments) +
           (text.starts_with(asked_again) ? " (" + text + ")" : "");
}

bool says_all(const std::string& action, const std::string& tool, const std::string& arguments) {
    const auto object = try_parse_json(arguments);
    if (!object || !object->is_object() || object->size() != 1) return false;
    const Json& only = object->begin().value();
    return only.is_string() && action == "tool:" + tool + ":" + only.get<std::string>();
}

std::vector<std::string> parse_options(const std::string& json) {
    const auto options = try_parse_json(json);
    if (!options || !options->is_array()) return {};
    return options->get<std::vector<std::string>>();
}

std::string asked_question(const std::string& text, const std::vector<std::string>& options) {
    return options.empty() ? text : text + " [" + base::join(options, " | ") + "]";
}

}  // namespace chorus::chat
