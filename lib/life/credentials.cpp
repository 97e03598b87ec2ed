#include "life/credentials.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/endpoint.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::life {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

constexpr std::int64_t key_command_ms = 10'000;
constexpr std::size_t key_bytes = 64U << 10;  // of a file or an answer with a key

[[noreturn]] void refuse_credentials(const std::string& what, const std::string& why) {
    throw Error(ErrorCode::config_invalid, what + ": " + why);
}

bool is_words(const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_string(); });
}

Credential read_credential(const Json& row, const std::string& where) {
    if (!row.is_object()) refuse_credentials(where, "expected an object");
    Credential credential;
    int sources = 0;
    for (const auto& [name, value] : row.items()) {
        const auto source = key_sources.find(name);
        if (source) {
            ++sources;
            credential.source = *source;
        }
        if (source == KeySource::key_command) {
            if (!is_words(value))
                refuse_credentials(where + "." + name, "expected a list of words");
            credential.command = value.get<std::vector<std::string>>();
            continue;
        }
        if (!value.is_string() || value == "")
            refuse_credentials(where + "." + name, "expected text");
        std::string* text = source               ? &credential.value
                            : name == "name"     ? &credential.name
                            : name == "provider" ? &credential.provider
                                                 : nullptr;
        if (text == nullptr) refuse_credentials(where, "unknown member " + base::quoted(name));
        *text = value.get<std::string>();
    }
    if (sources != 1)
        refuse_credentials(
            where, "expected one of " +
                       base::quoted_list({key_sources.names.begin(), key_sources.names.end()}));
    if (const std::string why = credential_problem(credential); !why.empty())
        refuse_credentials(where, why);
    return credential;
}

bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

// The answer is the key alone, or a JSON object with the key and perhaps expires_in, in seconds.
Key read_answer(const std::string& text, const std::string& what) {
    if (!base::trim(text).starts_with('{')) return {only_line(text, what)};
    const auto json = chat::try_parse_json(text);
    if (!json) refuse_credentials(what, "not JSON");
    for (const char* name : {"key", "api_key", "access_token", "token"})
        if (const std::string key = chat::string_or(*json, name); !key.empty())
            return {only_line(key, what), chat::integer_or(*json, "expires_in")};
    refuse_credentials(what, "it has none of 'key', 'api_key', 'access_token' and 'token'");
}

sys::Finished run_key_command(const sys::ProcessCommand& command, const std::string& what,
                              const std::function<bool()>& stop) {
    try {
        return sys::run(command, {.timeout_ms = key_command_ms,
                                  .grace_ms = 500,
                                  .output_bytes = key_bytes,
                                  .stop = stop});
    } catch (const Error& error) {
        refuse_credentials(what, error.message());
    }
}

Key answered_key(const Credential& credential, const sys::Environment& environment,
                 const std::string& what, const std::function<bool()>& stop) {
    sys::ProcessCommand command{.arguments = credential.command};
    for (const auto& [name, value] : environment.all())
        command.environment.push_back(name + "=" + value);
    const sys::Finished finished = run_key_command(command, what, stop);
    if (finished.stopped) return {};
    if (finished.timed_out) refuse_credentials(what, "no answer within 10 s");
    if (finished.signal != 0)
        refuse_credentials(what, "ended by signal " + std::to_string(finished.signal));
    if (finished.exit_code != 0)
        refuse_credentials(what, "ended with status " + std::to_string(finished.exit_code));
    if (finished.out.total_bytes > key_bytes)
        refuse_credentials(what, "the answer is too long for a key");
    return read_answer(finished.out.text, what);
}

}  // namespace

std::string only_line(std::string_view text, const std::string& what) {
    const std::string_view line = base::trim(base::without_bom(text));
    if (line.empty()) refuse_credentials(what, "it is empty");
    if (line.find_first_of("\r\n") != line.npos)
        refuse_credentials(what, "it has more than one line");
    if (!model::is_header_value(line))
        refuse_credentials(what, "it contains a blank, a control or a non-ASCII character");
    return std::string(line);
}

std::string credential_problem(const Credential& credential) {
    constexpr std::size_t longest_name_bytes = 64;
    const std::string& name = credential.name;
    if (name.empty() || name.size() > longest_name_bytes || name.front() == '-' ||
        !std::all_of(name.begin(), name.end(), is_name_byte))
        return "name: expected 1 to 64 letters, digits and \"._-\", not \"-\" first";
    if (credential.provider.empty()) return "provider: missing";
    if (credential.source == KeySource::key_file && !credential.value.starts_with('/'))
        return "key_file: expected an absolute path";
    // commands must not see it, which is decided by the name
    if (credential.source == KeySource::key_env)
        if (const std::string why = model::key_variable_problem(credential.value); !why.empty())
            return "key_env: " + why;
    if (credential.source == KeySource::key_command &&
        (credential.command.empty() || credential.command.front().empty()))
        return "key_command: expected a program";
    return {};
}

std::vector<Credential> load_credentials(const agent::Home& home) {
    const std::string path = home.credentials();
    const auto text = sys::read_private_file(path, base::limits::config_bytes);
    if (!text) return {};
    const Json json = chat::parse_json(base::without_bom(*text), path, chat::DuplicateKeys::refuse,
                                       base::limits::config_bytes, ErrorCode::config_invalid);
    const Json& rows = chat::member(json, "profiles");
    if (json.size() != 1 || !rows.is_array())
        refuse_credentials(path, "expected an object with one member, 'profiles', a list");
    std::vector<Credential> credentials;
    std::set<std::string> names;
    for (const Json& row : rows) {
        const std::string where = path + ": profiles[" + std::to_string(credentials.size()) + "]";
        credentials.push_back(read_credential(row, where));
        if (!names.insert(credentials.back().name).second)
            refuse_credentials(where,
                               "another profile is named " + base::quoted(credentials.back().name));
    }
    return credentials;
}

const std::vector<Credential>& CredentialFile::now() {
    const std::string mark = sys::settled_mark(home_.credentials());
    if (is_read_ && !mark.empty() && mark == mark_) return credentials_;
    try {
        credentials_ = load_credentials(home_);
        is_read_ = true;
    } catch (const Error&) {
        if (!is_read_) throw;
    }
    mark_ = mark;
    return credentials_;
}

std::string credentials_text(const std::vector<Credential>& credentials) {
    Json rows = Json::array();
    for (const Credential& credential : credentials) {
        Json row = {{"name", credential.name}, {"provider", credential.provider}};
        Json& value = row[std::string(key_sources.name(credential.source))];
        if (credential.source == KeySource::key_command)
            value = credential.command;
        else
            value = credential.value;
        rows.push_back(std::move(row));
    }
    return Json{{"profiles", std::move(rows)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

const Credential* find_credential(const std::vector<Credential>& credentials,
                                  std::string_view name) {
    const auto found = std::find_if(credentials.begin(), credentials.end(),
                                    [&](const Credential& one) { return one.name == name; });
    return found == credentials.end() ? nullptr : &*found;
}

std::vector<std::string> profiles_of(const std::vector<Credential>& credentials,
                                     std::string_view provider) {
    std::vector<std::string> names;
    for (const Credential& credential : credentials)
        if (credential.provider == provider) names.push_back(credential.name);
    return names;
}

Key read_key(const Credential& credential, const sys::Environment& environment,
             const std::function<bool()>& stop) {
    const std::string what = "profile " + credential.name + ": ";
    switch (credential.source) {
        case KeySource::key:
            return {only_line(credential.value, what + "its key")};
        case KeySource::key_file: {
            const auto text = sys::read_private_file(credential.value, key_bytes);
            if (!text) refuse_credentials(what + credential.value, "no such file");
            return {only_line(*text, what + credential.value)};
        }
        case KeySource::key_env:
            if (!environment.has(credential.value))
                refuse_credentials(what + credential.value, "the variable is not set");
            return {only_line(environment.get(credential.value), what + credential.value)};
        case KeySource::key_command:
            break;
    }
    return answered_key(credential, environment, what + credential.command.front(), stop);
}

std::string place_of_key(const model::Provider& provider,
                         const std::vector<Credential>& credentials,
                         const sys::Environment& environment) {
    const auto names = profiles_of(credentials, provider.name);
    if (!names.empty()) return "profile " + names.front();
    return environment.has(provider.key_variable) ? provider.key_variable : "";
}

}  // namespace chorus::life
