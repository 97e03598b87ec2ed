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

bool names_sent_secret(std::string_view name) {
    constexpr std::array<std::string_view, 6> words{"authorization", "cookie", "key",
                                                    "password",      "secret", "token"};
    const std::string lower = base::to_lower_ascii(name);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

// The value may begin with a scheme: "Bearer …".
void add_sent(policy::Redaction& redaction, std::string_view name, const std::string& value) {
    if (!names_sent_secret(name)) return;
    redaction.add(value);
    redaction.add(value.substr(value.rfind(' ') + 1));
}

void add_secrets_of_url(policy::Redaction& redaction, const std::string& url) {
    const std::string user(base::user_of_url(url).value_or(""));
    redaction.add(user.substr(user.find(':') + 1));
    const std::size_t query = url.find('?');
    if (query == url.npos) return;
    for (const std::string_view one : base::split(std::string_view(url).substr(query + 1), '&'))
        if (const std::size_t equals = one.find('='); equals != one.npos)
            add_sent(redaction, one.substr(0, equals), std::string(one.substr(equals + 1)));
}

}  // namespace

void add_sent_secrets(policy::Redaction& redaction, const model::Endpoint& endpoint) {
    for (const auto& [name, value] : endpoint.provider.headers) add_sent(redaction, name, value);
    for (const auto& [name, value] : endpoint.provider.query) add_sent(redaction, name, value);
    for (const std::string& url : {endpoint.base_url, endpoint.provider.base_url})
        add_secrets_of_url(redaction, url);
}

void add_configured_secrets(policy::Redaction& redaction, std::string_view json) {
    const auto file = chat::try_parse_json(json);
    if (!file || !file->is_object()) return;
    const Json& providers = chat::member(*file, "providers");
    if (!providers.is_object()) return;
    for (const Json& provider : providers) {
        add_secrets_of_url(redaction, chat::string_or(provider, "base_url"));
        for (const char* sent : {"headers", "query"})
            if (const Json& values = chat::member(provider, sent); values.is_object())
                for (const auto& [name, value] : values.items())
                    if (value.is_string()) add_sent(redaction, name, value.get<std::string>());
    }
}

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
    const agent::Home home(environment.get("CHORUS_HOME", user_home));
    policy::Redaction redaction = secrets_of(home, environment);
    for (const std::string& path : {home.config(), home.models()})
        if (const auto file = sys::try_read_file(path, base::limits::json_bytes))
            add_configured_secrets(redaction, *file);
    return redaction.apply(text);
}

}  // namespace chorus::place
