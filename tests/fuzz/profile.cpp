// The first line is "permissions" as agent.json has them, the rest an action. What is decided is
// the same each time, never milder for what is added to a command, and deny always wins.
#include "policy/profile.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/configuration.hpp"
#include "fuzz/property.hpp"
#include "policy/grants.hpp"
#include "policy/pattern.hpp"
#include "policy/shell.hpp"

namespace chorus::policy {
namespace {

using fuzz::require;

constexpr std::string_view bash = "tool:bash:";

std::string shown(const Decision& decision) {
    return std::string(name(decision.verdict)) + ": " + decision.reason;
}

Verdict verdict(const Profile& profile, std::string text, bool confined = false) {
    return profile.decide(parse_action(std::move(text)), {confined}).verdict;
}

// Where the commands of a text are told, they are those of its halves; what is not simple is not
// made so by what follows.
void check_joined(std::string_view left, std::string_view right) {
    const auto first = simple_commands(left);
    if (!first) return;
    const auto second = simple_commands(right);
    for (const std::string_view between : {"; ", " && ", " || ", " | "}) {
        const std::string text = std::string(left) + std::string(between) + std::string(right);
        const auto joined = simple_commands(text);
        if (!joined) continue;
        if (right.find_first_not_of(" \t") == std::string_view::npos) continue;
        require(second.has_value(), "a command that is not simple is not simple behind another",
                text);
        std::vector<std::string> both = *first;
        both.insert(both.end(), second->begin(), second->end());
        require(*joined == both, "joined commands are those that were joined", text);
    }
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> never_simple{{
    {"", " $(id)"},
    {"", " `id`"},
    {"", "\nid"},
    {"", " & id"},
    {"", " <(id)"},
    {"", " $HOME"},
    {"X=1 ", ""},
    {"(", ")"},
    {"if true; then ", "; fi"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> hiding_places{{
    {"", "; true"},
    {"true; ", ""},
    {"true && ", ""},
    {"false || ", ""},
    {"echo $(", ")"},
    {"echo \"$(", ")\""},
    {"(", ")"},
    {"{ ", "; }"},
    {"if true; then ", "; fi"},
    {"X=1 ", ""},
    {"", " &"},
    {"true\n", ""},
}};

void check_command(std::string_view command) {
    std::string why_not;
    const auto commands = simple_commands(command, &why_not);
    require(commands == simple_commands(command), "reading is the same each time");
    const auto parts = parts_for_deny(command);
    require(why_not.empty() == commands.has_value(), "why is said where it is not", command);
    if (!commands) return;
    require(!commands->empty(), "a simple command is at least one");
    require(parts.has_value(), "what is simple is not too involved", command);
    for (const std::string& one : *commands) {
        require(std::find(parts->begin(), parts->end(), one) != parts->end(),
                "deny patterns see every command", one);
    }
    for (const auto& [before, after] : never_simple) {
        const std::string text = std::string(before) + std::string(command) + std::string(after);
        require(!simple_commands(text), "what is not simple is seen", text);
    }
    const Profile denies = Profile::compile(
        {.base = "open", .deny = {{std::string(bash) + exact_pattern(commands->front())}}}, "p");
    for (const auto& [before, after] : hiding_places) {
        const std::string text = std::string(before) + std::string(command) + std::string(after);
        if (bash.size() + text.size() > base::limits::action_bytes) continue;
        require(verdict(denies, std::string(bash) + text) == Verdict::deny,
                "a denied command is denied wherever it stands", text);
    }
}

std::vector<Rule> without_shell(std::vector<Rule> rules) {
    for (Rule& rule : rules) rule.shell = false;
    return rules;
}

void check_written_out(const ProfileText& text, const std::string& action) {
    const Profile profile = Profile::compile(text, "p");
    const Verdict given = verdict(profile, action);
    const Profile::Reading reading = profile.read(parse_action(action), {});
    Verdict strictest = Verdict::allow;
    for (const auto& one : reading.commands) strictest = std::max(strictest, one.decision.verdict);
    if (given == Verdict::ask && !reading.commands.empty())
        require(strictest == Verdict::ask, "what is asked about is told with its commands", action);
    ProfileText stricter = text;
    stricter.match.clear();
    stricter.not_match.clear();
    stricter.deny.push_back({R"(tool:[a-z]*:[rt].*)"});
    require(narrows(text, stricter), "a deny rule is no widening", action);
    require(verdict(Profile::compile(stricter, "p"), action) >= given, "a deny rule takes away",
            action);
    if (exact_pattern(action).size() <= base::limits::pattern_bytes && fuzz::is_utf8(action)) {
        stricter.deny = {{exact_pattern(action)}};
        require(verdict(Profile::compile(stricter, "p"), action) == Verdict::deny, "deny wins",
                action);
    }
    stricter = text;
    stricter.match.clear();
    stricter.not_match.clear();
    stricter.allow = without_shell(stricter.allow);
    require(narrows(text, stricter), "to lose shell = true is no widening", action);
    require(verdict(Profile::compile(stricter, "p"), action) >= given,
            "shell = true is what makes it milder", action);
    if (!stricter.allow.empty()) stricter.allow.pop_back();
    require(narrows(text, stricter), "a rule less is no widening", action);
    require(verdict(Profile::compile(stricter, "p"), action) >= given, "a rule less allows no more",
            action);
    std::swap(stricter.allow, stricter.ask);
    if (narrows(text, stricter))
        require(verdict(Profile::compile(stricter, "p"), action) >= given,
                "what is not widening makes nothing milder", action);
}

void check_profile(const Profile& profile, const std::string& action) {
    for (const bool confined : {false, true}) {
        const Decision decision = profile.decide(parse_action(action), {confined});
        const Decision again = profile.decide(parse_action(action), {confined});
        fuzz::require_equal("a decision is the same each time", shown(decision), shown(again));
        require(!decision.reason.empty(), "a decision has a reason");
        if (decision.verdict == Verdict::deny) continue;
        for (std::size_t end = 0; end <= std::min<std::size_t>(action.size(), 40); ++end)
            require(!profile.hides(action.substr(0, end)), "what is hidden is denied", action);
    }
}

void check_presets(const std::string& action) {
    static const std::vector<Profile> presets = [] {
        std::vector<Profile> all;
        for (const std::string& name : Profile::preset_names())
            all.push_back(*Profile::preset(name));
        return all;
    }();
    for (const bool confined : {false, true}) {
        Verdict milder = Verdict::allow;
        for (const Profile& preset : presets) {
            const Verdict given = verdict(preset, action, confined);
            require(given >= milder, "from the widest to the strictest", action);
            milder = given;
        }
    }
}

}  // namespace
}  // namespace chorus::policy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    const std::string_view input = fuzz::text_of(bytes, size);
    const std::size_t line = std::min(input.find('\n'), size);
    const std::string action(input.substr(std::min(line + 1, size)));

    policy::check_presets(action);
    const policy::Action read = policy::parse_action(action);
    if (read.is_shell && fuzz::is_utf8(action)) {
        const std::string_view command =
            std::string_view(action).substr(std::min(policy::bash.size(), action.size()));
        policy::check_command(command);
        const std::size_t middle = fuzz::place_in(command);
        policy::check_joined(command.substr(0, middle), command.substr(middle));
    }
    agent::Permissions permissions;
    const auto error = fuzz::error_of([&] {
        permissions = agent::parse_permissions(input.substr(0, line), "p");
        policy::check_profile(agent::resolve_profile(permissions, {}, "p"), action);
    });
    if (!error && permissions.custom) policy::check_written_out(*permissions.custom, action);
    return 0;
}
