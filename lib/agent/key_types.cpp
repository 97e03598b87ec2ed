// The types of configuration values: how messages name them, and what they take.
#include <algorithm>
#include <array>

#include "agent/configuration.hpp"
#include "agent/keys.hpp"
#include "agent/reading.hpp"
#include "base/money.hpp"
#include "base/time.hpp"
#include "sys/sandbox.hpp"

namespace chorus::agent {
namespace {

using chat::Json;

bool is_text(const Json& value) {
    return value.is_string();
}

bool is_text_or_null(const Json& value) {
    return value.is_string() || value.is_null();
}

bool is_boolean(const Json& value) {
    return value.is_boolean();
}

bool is_object(const Json& value) {
    return value.is_object();
}

bool is_array(const Json& value) {
    return value.is_array();
}

bool is_text_or_object(const Json& value) {
    return value.is_string() || value.is_object();
}

bool is_anything(const Json& /*value*/) {
    return true;
}

template <bool (*is_one)(const Json&)>
bool is_list_of(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_one);
}

// The upper bound is far above any useful count, and far below an overflow of sums.
bool is_count(const Json& value) {
    return value.is_number_integer() && value.get<std::int64_t>() >= 0 &&
           value.get<std::int64_t>() <= 1'000'000'000;
}

bool is_positive(const Json& value) {
    return is_count(value) && value != 0;
}

bool is_amount(const Json& value) {
    return value.is_number() && base::is_budget(value.get<double>());
}

bool is_temperature(const Json& value) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 2;
}

bool is_duration(const Json& value) {
    if (value.is_string()) return base::parse_duration_ms(value.get<std::string>()).has_value();
    return is_count(value);
}

bool is_timeout(const Json& value) {
    return is_duration(value) && milliseconds(value) >= 1000;
}

bool is_name(const Json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty();
}

bool is_names(const Json& value) {
    return is_name(value) || is_list_of<is_name>(value);
}

bool is_path(const Json& value) {
    if (!value.is_string()) return false;
    const auto& text = value.get_ref<const std::string&>();
    return text.starts_with('/') && text.find('\0') == std::string::npos;
}

bool is_variable(const Json& value) {
    if (!value.is_string()) return false;
    const auto& name = value.get_ref<const std::string&>();
    const std::string digits = "0123456789";
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return !name.empty() && letters.find(name.front()) != std::string::npos &&
           name.find_first_not_of(letters + digits) == std::string::npos;
}

bool is_sandbox(const Json& value) {
    return value.is_string() && sys::sandbox_modes.find(value.get<std::string>());
}

bool is_profile_mode(const Json& value) {
    return value.is_string() && profile_modes.find(value.get<std::string>());
}

bool is_sink(const Json& value) {
    return value == "syslog" || is_path(value);
}

struct TypeRow {
    KeyType type;
    std::string_view expected;
    bool (*fits)(const Json&);
    std::span<const Member> members = {};
};

const TypeRow& row(KeyType wanted) {
    using enum KeyType;
    static constexpr std::array<Member, 4> of_budget{{{"tokens_per_day", count},
                                                      {"tokens_per_turn", integer},
                                                      {"usd_per_day", amount},
                                                      {"usd_per_turn", amount}}};
    static constexpr std::array<Member, 3> of_model_options{
        {{"effort", text}, {"max_tokens", count}, {"temperature", temperature}}};
    static constexpr std::array<Member, 8> of_limits{{{"budget", budget},
                                                      {"checkpoint_mib", integer},
                                                      {"environment", variables},
                                                      {"first_byte", timeout},
                                                      {"permissions", permissions},
                                                      {"private_webhooks", boolean},
                                                      {"sandbox", sandbox},
                                                      {"stall", timeout}}};
    static constexpr std::array<Member, 6> of_profile{{{"allow", array},
                                                       {"ask", array},
                                                       {"base", text},
                                                       {"deny", array},
                                                       {"match", text_list},
                                                       {"not_match", text_list}}};
    static constexpr std::array<Member, 2> of_programs{{{"bash", path}, {"bwrap", path}}};
    static constexpr std::array<Member, 8> of_provider{{{"api_version", text},
                                                        {"base_url", text},
                                                        {"first_byte", timeout},
                                                        {"headers", texts},
                                                        {"key_header", text},
                                                        {"max_output_tokens", integer},
                                                        {"query", texts},
                                                        {"stall", timeout}}};
    static constexpr std::array<Member, 1> any_text{{{"", text}}};
    static constexpr std::array<Member, 1> any_profile{{{"", profile}}};
    static constexpr std::array<Member, 1> any_provider{{{"", provider}}};
    static constexpr std::array<Member, 1> any_names{{{"", names}}};
    static constexpr std::array<Member, 1> anything{{{"", any}}};

    static constexpr std::array types{
        TypeRow{text, "a string", is_text},
        TypeRow{text_or_null, "a string or null", is_text_or_null},
        TypeRow{texts, "an object of strings by name", is_object, any_text},
        TypeRow{channel, "a string or null", is_text_or_null},
        TypeRow{integer, "a whole number", is_count},
        TypeRow{count, "a whole number, 1 or more", is_positive},
        TypeRow{amount, "dollars, from 0.000001 to 1000000", is_amount},
        TypeRow{duration, "a whole number of seconds or a duration like \"10m\"", is_duration},
        TypeRow{timeout, "a duration of a second or more", is_timeout},
        TypeRow{boolean, "true or false", is_boolean},
        TypeRow{text_list, "a list of strings", is_list_of<is_text>},
        TypeRow{variables, "a list of variable names", is_list_of<is_variable>},
        TypeRow{paths, "a list of absolute paths", is_list_of<is_path>},
        TypeRow{names, "a name or a list of names", is_names},
        TypeRow{object, "an object", is_object, anything},
        TypeRow{array, "a list", is_array},
        TypeRow{permissions, "a profile's name or an object", is_text_or_object, of_profile},
        TypeRow{profile, "an object", is_object, of_profile},
        TypeRow{profiles, "an object of profiles by name", is_object, any_profile},
        TypeRow{sandbox, "\"workspace\", \"workspace+net\", \"landlock\" or \"off\"", is_sandbox},
        TypeRow{profile_mode, "\"auto\" or \"manual\"", is_profile_mode},
        TypeRow{sink, "\"syslog\" or the absolute path of a file", is_sink},
        TypeRow{path, "an absolute path", is_path},
        TypeRow{programs, "an object", is_object, of_programs},
        TypeRow{budget, "an object", is_object, of_budget},
        TypeRow{model_options, "an object", is_object, of_model_options},
        TypeRow{temperature, "a number from 0 to 2", is_temperature},
        TypeRow{limits, "an object", is_object, of_limits},
        TypeRow{providers, "an object of objects by provider", is_object, any_provider},
        TypeRow{provider, "an object", is_object, of_provider},
        TypeRow{name_lists, "an object of names or lists of names", is_object, any_names},
        TypeRow{any, "a value", is_anything, anything},
    };

    return *std::find_if(types.begin(), types.end(),
                         [&](const TypeRow& one) { return one.type == wanted; });
}

}  // namespace

std::string_view expected(KeyType type) {
    return row(type).expected;
}

std::span<const Member> members(KeyType type) {
    return row(type).members;
}

bool fits(const Json& value, KeyType type) {
    return row(type).fits(value);
}

std::int64_t milliseconds(const Json& duration) {
    return duration.is_string() ? *base::parse_duration_ms(duration.get<std::string>())
                                : duration.get<std::int64_t>() * 1000;
}

}  // namespace chorus::agent
