#include "place/secrets.hpp"

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/choice.hpp"
#include "sys/file.hpp"

namespace chorus::place {
namespace {

using chat::Json;

bool names_secret(const std::string& name) {
    constexpr std::array<std::string_view, 5> ends{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"};
    return model::is_key_variable(name) ||
           std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

// Adds every member, at any depth, that is a key or says where one is.
void add_credentials(const Json& value, const sys::Environment& environment,
                     policy::Redaction& redaction) {
    if (!value.is_structured()) return;
    for (const auto& [name, member] : value.items()) {
        add_credentials(member, environment, redaction);
        if (!member.is_string()) continue;
        const std::string text = member.get<std::string>();
        if (name == "key_env") redaction.add(environment.get(text));
        if (name == "key" || name == "api_key" || name == "token") redaction.add(text);
        if (name == "key_file")
            if (const auto key = sys::try_read_file(text, base::limits::config_bytes))
                redaction.add(std::string(base::trim(*key)));
    }
}

}  // namespace

void add_secrets(policy::Redaction& redaction, const sys::Environment& environment,
                 const std::vector<std::string>& configured) {
    for (const std::string& name : configured)
        if (names_secret(name)) redaction.add(environment.get(name));
}

policy::Redaction secrets_of(const agent::Home& home, const sys::Environment& environment,
                             const std::vector<std::string>& configured) {
    policy::Redaction redaction;
    for (const auto& [name, value] : environment.all())
        if (model::is_key_variable(name)) redaction.add(value);
    add_secrets(redaction, environment, configured);
    if (const auto text = sys::try_read_file(home.credentials(), base::limits::config_bytes))
        if (const auto credentials = chat::try_parse_json(*text))
            add_credentials(*credentials, environment, redaction);
    return redaction;
}

std::string redacted(std::string_view text, const sys::Environment& environment) {
    const std::string user_home = environment.get("HOME") + "/.chorus-agents";
    return secrets_of(agent::Home(environment.get("CHORUS_HOME", user_home)), environment)
        .apply(text);
}

}  // namespace chorus::place
