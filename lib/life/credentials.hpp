// credentials.json: the credential profiles of a home, and where the key of each comes from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "base/enum_names.hpp"
#include "model/catalog.hpp"
#include "sys/environment.hpp"

namespace chorus::life {

enum class KeySource { key, key_file, key_env, key_command };
inline constexpr base::EnumNames<KeySource, 4> key_sources{
    {"key", "key_file", "key_env", "key_command"}};

struct Credential {
    std::string name;
    std::string provider;
    KeySource source = KeySource::key;
    std::string value = {};                 // the key itself, a path, or the name of a variable
    std::vector<std::string> command = {};  // of key_command
    bool operator==(const Credential&) const = default;
};

// In the order of the file, which is that of rotation; empty if there is no file. Throws
// Error(config_invalid) for an error in it, and for a file that others may read or that another
// user owns, with the command that mends it.
std::vector<Credential> load_credentials(const agent::Home& home);

// The profiles of a process that runs for a while.
class CredentialFile {
  public:
    explicit CredentialFile(const agent::Home& home) : home_(home) {}
    // Reads the file if it has changed. While it is invalid, what was read before stays in force;
    // the first time, throws as load_credentials().
    const std::vector<Credential>& now();

  private:
    agent::Home home_;
    std::string mark_;
    bool is_read_ = false;
    std::vector<Credential> credentials_;
};

// The text of a file with these profiles.
std::string credentials_text(const std::vector<Credential>& credentials);
// Returns why this is no profile, or "".
std::string credential_problem(const Credential& credential);
// Null if no profile has the name.
const Credential* find_credential(const std::vector<Credential>& credentials,
                                  std::string_view name);
// The names of the provider's profiles.
std::vector<std::string> profiles_of(const std::vector<Credential>& credentials,
                                     std::string_view provider);

struct Key {
    std::string text;
    std::int64_t expires_in_s = 0;  // as its command says; 0: it does not
};
// Reads the key. Throws Error(config_invalid) for a file that is missing, empty, of several lines
// or readable by others, for a variable that is not set, and for a command that fails, takes longer
// than 10 s or answers no key. The text is empty if `stop` has ended the command.
Key read_key(const Credential& credential, const sys::Environment& environment,
             const std::function<bool()>& stop = {});
// Returns where the provider's key is: "profile NAME", the variable's name, or "" for nowhere.
std::string place_of_key(const model::Provider& provider,
                         const std::vector<Credential>& credentials,
                         const sys::Environment& environment);
// The only line of a text, without blanks around it. Error(config_invalid) if it has none or more.
std::string only_line(std::string_view text, const std::string& what);

}  // namespace chorus::life
