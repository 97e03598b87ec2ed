// Profiles and the one decision (chorus-permissions(7)). Decides; never asks, never runs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chorus::policy {

enum class Verdict { allow, ask, deny };
std::string_view name(Verdict verdict);

struct Decision {
    Verdict verdict = Verdict::deny;
    std::string reason;  // "allow[2] tool:git:status", "no pattern matches", "the action is longer
                         // than 65536 bytes"
};

// What a call would do: "tool:bash:ls -la" and how to read it.
struct Action {
    std::string tool;  // "bash"
    std::string text;  // the whole action string
    bool is_shell = false;
};

// An action from its text alone, as `chorus-context explain` gets it; that of bash is a shell's.
Action parse_action(std::string text);

// Whether bash really runs in the sandbox without network: the preset `sandboxed` asks otherwise.
struct Surroundings {
    bool confined_shell = false;
};

struct Rule {
    std::string pattern;
    bool shell = false;           // an allow pattern that covers the raw command, simple or not
    bool while_confined = false;  // of a preset: in force only in Surroundings::confined_shell
};

// The presets of chorus-permissions(7), from the widest to the strictest.
struct Preset {
    std::string name;
    std::vector<Rule> allow = {};
    std::vector<Rule> ask = {};
};
const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);

// What agent.json or config.json says, before it is checked.
struct ProfileText {
    std::string base = {};  // a preset whose lists follow these, or empty
    std::vector<Rule> deny = {};
    std::vector<Rule> allow = {};
    std::vector<Rule> ask = {};
    // Example actions, tried without a confined shell: `match` must be allowed or asked,
    // `not_match` must be denied.
    std::vector<std::string> match = {};
    std::vector<std::string> not_match = {};
};

class Profile {
  public:
    // A preset's name. Nothing for an unknown one.
    static std::optional<Profile> preset(std::string_view name);
    // From the widest to the strictest.
    static std::vector<std::string> preset_names();
    // Throws Error(config_invalid) that says where: "<what>.allow[2] 'tool:(': missing )". The
    // whole profile fails. `what` is a file and a key: "agent.json: permissions".
    static Profile compile(const ProfileText& text, std::string_view what);

    const std::string& name() const;  // a preset's, or "custom"
    // SHA-256 of all that decides: every list in order, a base as its entries. Equal for profiles
    // that decide alike by the same entries, whatever they are called.
    std::string fingerprint() const;
    // deny, then allow, then ask, else deny. Whole-string matches. For a shell action as
    // chorus-permissions(7), section COMMANDS: deny patterns are tried on every part of the
    // command; an allow pattern counts where each simple command is covered, or the whole by a
    // catch-all of the tool or a rule with shell = true; what is not simple and matches is asked.
    Decision decide(const Action& action, const Surroundings& surroundings) const;
    // How a shell action is read, for people: its simple commands, each with what decides on it
    // beside the others; or why it is not made of such.
    struct ReadCommand {
        std::string text;
        Decision decision;
    };
    struct Reading {
        std::vector<ReadCommand> commands;
        std::string not_simple;
    };
    Reading read(const Action& action, const Surroundings& surroundings) const;
    // True only where no action that begins with this ("tool:bash:", "tool:git:push ") can be
    // anything but denied.
    bool hides(std::string_view action_prefix) const;

  private:
    struct Rules;
    class Judgement;
    explicit Profile(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const Rules> rules_;
};

// Of several profiles at once, a chain of sub-agents or a caller and its limits, every one is
// evaluated: deny before ask before allow; of equals the first one's, reason and all. Without a
// profile: denied.
Decision strictest(std::span<const Profile> profiles, const Action& action,
                   const Surroundings& surroundings);
bool any_hides(std::span<const Profile> profiles, std::string_view action_prefix);

}  // namespace chorus::policy
