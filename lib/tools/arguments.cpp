#include <algorithm>
#include <cmath>
#include <map>

#include "base/nearest.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

using chat::Json;

constexpr double largest_exact = 9007199254740992.0;  // 2^53: above it a double skips integers

// Models write "5" and 5.0 too.
std::optional<std::int64_t> integer_of(const Json& value) {
    if (value.is_string())
        return base::parse_number<std::int64_t>(value.get_ref<const std::string&>());
    if (value.is_number_float()) {
        const double real = value.get<double>();
        if (std::trunc(real) != real || std::fabs(real) > largest_exact) return std::nullopt;
        return static_cast<std::int64_t>(real);
    }
    const bool is_too_large = value.is_number_unsigned() &&
                              value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (!value.is_number() || is_too_large) return std::nullopt;
    return value.get<std::int64_t>();
}

// And "true" or "False".
std::optional<bool> flag_of(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (!value.is_string()) return std::nullopt;
    const std::string lower = base::to_lower_ascii(value.get_ref<const std::string&>());
    if (lower == "true") return true;
    if (lower == "false") return false;
    return std::nullopt;
}

bool is_list_of_texts(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(),
                                           [](const Json& item) { return item.is_string(); });
}

std::string type_of(const Parameter& parameter) {
    return std::string(parameter.type) + (parameter.type == "array" ? " of strings" : "");
}

std::string expected(const Tool& tool) {
    if (tool.parameters.empty()) return "expected: no arguments";
    std::string text = "expected: ";
    for (const Parameter& parameter : tool.parameters) {
        if (&parameter != &tool.parameters.front()) text += ", ";
        text += std::string(parameter.name) + " (" + type_of(parameter);
        text += parameter.required ? ", required)" : ")";
    }
    return text;
}

const Parameter* find_parameter(const Tool& tool, const std::string& name) {
    const auto found = std::find_if(tool.parameters.begin(), tool.parameters.end(),
                                    [&](const Parameter& each) { return each.name == name; });
    return found == tool.parameters.end() ? nullptr : &*found;
}

std::string unknown(const Tool& tool, const std::string& name) {
    std::vector<std::string> known;
    for (const Parameter& parameter : tool.parameters) known.emplace_back(parameter.name);
    const std::vector<std::string> near = base::nearest(name, known, 1);
    const std::string question = near.empty() ? "" : " (did you mean '" + near.front() + "'?)";
    return "unknown argument " + base::quoted(name) + question;
}

std::vector<std::string> problems(const Tool& tool, const Arguments& arguments) {
    std::vector<std::string> found;
    for (const Parameter& parameter : tool.parameters)
        if (parameter.required && !arguments.has(std::string(parameter.name)))
            found.push_back("missing '" + std::string(parameter.name) + "'");
    for (const std::string& name : arguments.names()) {
        const Parameter* parameter = find_parameter(tool, name);
        if (parameter == nullptr)
            found.push_back(unknown(tool, name));
        else if (!arguments.fits(name, parameter->type))
            found.push_back("'" + name + "' is not of type " + type_of(*parameter));
    }
    return found;
}

}  // namespace

struct Arguments::Values : std::map<std::string, Json> {
    const Json* find_value(const std::string& name) const {
        const auto found = find(name);
        return found == end() ? nullptr : &found->second;
    }
};

Arguments::Arguments() : values_(std::make_shared<Values>()) {}

Arguments Arguments::parse(std::string_view json) {
    Arguments arguments;
    // Some providers send nothing for a call without arguments.
    const std::string_view text = base::trim(json).empty() ? std::string_view("{}") : json;
    const std::optional<Json> object = chat::try_parse_json(text);
    if (!object || !object->is_object()) {
        arguments.problem_ = object ? "the arguments are not a JSON object"
                                    : "the arguments are not JSON of at most " +
                                          std::to_string(base::limits::json_depth) + " levels";
        return arguments;
    }
    arguments.canonical_ = nlohmann::json(*object).dump();
    Values values;
    for (const auto& [name, value] : object->items())
        if (!value.is_null())  // how strict schemas write an omitted optional argument
            values[name] = value;
    arguments.values_ = std::make_shared<Values>(std::move(values));
    return arguments;
}

bool Arguments::has(const std::string& name) const {
    return values_->contains(name);
}

std::string Arguments::text(const std::string& name, std::string fallback) const {
    const Json* value = values_->find_value(name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : fallback;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t fallback) const {
    const Json* value = values_->find_value(name);
    return value != nullptr ? integer_of(*value).value_or(fallback) : fallback;
}

bool Arguments::flag(const std::string& name, bool fallback) const {
    const Json* value = values_->find_value(name);
    return value != nullptr ? flag_of(*value).value_or(fallback) : fallback;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
    const Json* value = values_->find_value(name);
    if (value == nullptr || !is_list_of_texts(*value)) return {};
    return value->get<std::vector<std::string>>();
}

std::string Arguments::object(const std::string& name) const {
    const Json* value = values_->find_value(name);
    return value != nullptr && value->is_object() ? chat::dump(*value) : "";
}

bool Arguments::fits(const std::string& name, std::string_view type) const {
    const Json& value = values_->at(name);
    if (type == "string") return value.is_string();
    if (type == "string or object") return value.is_string() || value.is_object();
    if (type == "array") return is_list_of_texts(value);
    return type == "integer" ? integer_of(value).has_value() : flag_of(value).has_value();
}

std::vector<std::string> Arguments::names() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : *values_) all.push_back(name);
    return all;
}

std::string check_arguments(const Tool& tool, const Arguments& arguments) {
    const std::string found = arguments.problem().empty()
                                  ? base::join(problems(tool, arguments), ", ")
                                  : arguments.problem();
    if (found.empty()) return {};
    return std::string(tool.name) + ": " + found + "; " + expected(tool);
}

}  // namespace chorus::tools
