// Permission profiles and the decision on an action (chorus-permissions(7)). Only decides; asking
// and running are done elsewhere.
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
    std::string profile = {};  // the name of the profile that decided, if one did
};

// What a call would do: "tool:bash:ls -la" and how to read it.
struct Action {
    std::string tool;  // "bash"
    std::string text;  // the whole action string
    bool is_shell = false;
};

// Parses an action from its text alone, for `chorus-context explain`. An action of bash is a shell
// action.
Action parse_action(std::string text);

// Whether bash really runs in the sandbox without network. If not, the preset `sandboxed` asks.
struct ShellConfinement {
    bool confined_shell = false;
};

struct Rule {
    std::string pattern;
    bool shell = false;  // an allow pattern that covers the raw command, simple or not
    bool while_confined =
        false;  // in a preset: in force only with ShellConfinement::confined_shell
};

// The presets of chorus-permissions(7), from the widest to the strictest.
struct Preset {
    std::string name;
    std::vector<Rule> allow = {};
    std::vector<Rule> ask = {};
};
const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);

// A profile as written in agent.json or config.json, unchecked.
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
    // Takes a preset's name; returns nothing for an unknown one.
    static std::optional<Profile> preset(std::string_view name);
    // From the widest to the strictest.
    static std::vector<std::string> preset_names();
    // Throws Error(config_invalid) with the place: "<what>.allow[2] 'tool:(': missing )". One
    // invalid entry fails the whole profile. `what` is a file and a key: "agent.json: permissions".
    // `name` is what people are shown.
    static Profile compile(const ProfileText& text, std::string_view what,
                           std::string_view name = "custom");

    const std::string& name() const;
    // SHA-256 of everything that decides: every list in order, with the base's entries. Equal for
    // profiles that decide alike by the same entries, whatever their names.
    std::string fingerprint() const;
    // Tries deny, then allow, then ask; otherwise denies. Patterns match whole strings. For a shell
    // action, see chorus-permissions(7), section COMMANDS: deny patterns are tried on every part of
    // the command; an allow pattern counts if each simple command is covered, or if the whole
    // command is covered by a catch-all of the tool or a rule with shell = true; a command that is
    // not simple and matches is asked.
    Decision decide(const Action& action, const ShellConfinement& surroundings) const;
    // Explains how a shell action is read: its simple commands, each with the decision on it, or
    // why it does not consist of simple commands.
    struct ReadCommand {
        std::string text;
        Decision decision;
    };
    struct Reading {
        std::vector<ReadCommand> commands;
        std::string not_simple;
    };
    Reading read(const Action& action, const ShellConfinement& surroundings) const;
    // True only if every action that begins with this ("tool:bash:", "tool:git:push ") is denied.
    bool hides(std::string_view action_prefix) const;

  private:
    struct Rules;
    class Judgement;
    explicit Profile(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}
    std::shared_ptr<const Rules> rules_;
};

// Evaluates several profiles at once (a chain of sub-agents, or a caller and its limits). Deny wins
// over ask, ask over allow; of equal verdicts the first one's decision is returned, with its name.
// Without a profile the action is denied.
Decision strictest(std::span<const Profile> profiles, const Action& action,
                   const ShellConfinement& surroundings);
bool any_hides(std::span<const Profile> profiles, std::string_view action_prefix);

}  // namespace chorus::policy
