// Profiles and the one decision (chorus-permissions(7)). Decides; never asks, never runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

enum class Verdict { allow, ask, deny };
std::string_view name(Verdict verdict);

struct Decision {
    Verdict verdict = Verdict::deny;
    std::string reason;  // "allow[2] tool:git:status", "no pattern matches", "action is longer than 65536 bytes"
};

// What a call would do: "tool:bash:ls -la" and how to read it.
struct Action {
    std::string tool;    // "bash"
    std::string text;    // the whole action string
    bool is_shell = false;
};

// Whether bash really runs in the sandbox without network: the preset `sandboxed` asks otherwise.
struct Surroundings {
    bool confined_shell = false;
};

class Profile {
  public:
    // A preset's name. Nothing for an unknown one.
    static std::optional<Profile> preset(std::string_view name);
    static std::vector<std::string> preset_names();
    // {"base", "deny", "allow", "ask", "match", "not_match"} as JSON text; a pattern is a string or
    // {"pattern", "shell"}. Throws Error(config_invalid) that names `what`, list, index, pattern and
    // reason; the whole profile fails.
    static Profile parse(std::string_view json, std::string_view what);

    Profile(Profile&&) noexcept;
    Profile& operator=(Profile&&) noexcept;
    ~Profile();

    const std::string& name() const;  // a preset's, or "custom"
    // deny, then allow, then ask, else deny. Whole-string matches. For a shell action as
    // chorus-permissions(7), section COMMANDS.
    Decision decide(const Action& action, const Surroundings& surroundings) const;
    // True only where no action "tool:<family>:…" of the tool can be anything but denied.
    bool hides(std::string_view action_prefix) const;

  private:
    struct Rules;
    explicit Profile(std::unique_ptr<Rules> rules);
    std::unique_ptr<Rules> rules_;
};

}  // namespace chorus::policy
