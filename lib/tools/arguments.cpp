#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

using chat::Json;

constexpr double largest_exact = 9007199254740992.0;  // 2^53: above it a double skips integers

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<bool> parse_flag(std::string_view text) {
    const std::string lower = base::to_lower_ascii(text);
    if (lower == "true") return true;
    if (lower == "false") return false;
    return std::nullopt;
}

std::optional<std::int64_t> whole_number(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    const double real = value.get<double>();
    if (std::trunc(real) != real || std::fabs(real) > largest_exact) return std::nullopt;
    return static_cast<std::int64_t>(real);
}

bool is_list_of_texts(const Json& value) {
    if (!value.is_array()) return false;
    for (const Json& item : value)
        if (!item.is_string()) return false;
    return true;
}

}  // namespace

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
    for (const auto& [name, member] : object->items()) {
        if (member.is_null()) continue;  // how strict schemas write an omitted optional argument
        Value value;
        if (member.is_string()) {
            value.type = Type::text;
            value.text = member.get<std::string>();
        } else if (member.is_boolean()) {
            value.type = Type::flag;
            value.integer = member.get<bool>() ? 1 : 0;
        } else if (member.is_number()) {
            const std::optional<std::int64_t> number = whole_number(member);
            if (number) value.type = Type::integer;
            value.integer = number.value_or(0);
        } else if (is_list_of_texts(member)) {
            value.type = Type::list;
            value.list = member.get<std::vector<std::string>>();
        } else if (member.is_object()) {
            value.type = Type::object;
            value.text = chat::dump(member);
        }
        arguments.values_[name] = std::move(value);
    }
    return arguments;
}

bool Arguments::has(const std::string& name) const {
    return values_.count(name) > 0;
}

std::string Arguments::text(const std::string& name, std::string fallback) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.type != Type::text) return fallback;
    return found->second.text;
}

std::int64_t Arguments::integer(const std::string& name, std::int64_t fallback) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return fallback;
    if (found->second.type == Type::text)
        return parse_integer(found->second.text).value_or(fallback);
    return found->second.type == Type::integer ? found->second.integer : fallback;
}

bool Arguments::flag(const std::string& name, bool fallback) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return fallback;
    if (found->second.type == Type::text) return parse_flag(found->second.text).value_or(fallback);
    return found->second.type == Type::flag ? found->second.integer != 0 : fallback;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    return found->second.list;
}

std::string Arguments::object(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.type != Type::object) return {};
    return found->second.text;
}

bool Arguments::fits(const std::string& name, std::string_view type) const {
    const Value& value = values_.at(name);
    if (type == "string") return value.type == Type::text;
    if (type == "string or object") return value.type == Type::text || value.type == Type::object;
    if (type == "array") return value.type == Type::list;
    if (type == "integer")
        return value.type == Type::integer ||
               (value.type == Type::text && parse_integer(value.text).has_value());
    return value.type == Type::flag ||
           (value.type == Type::text && parse_flag(value.text).has_value());
}

std::vector<std::string> Arguments::names() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : values_) all.push_back(name);
    return all;
}

}  // namespace chorus::tools
