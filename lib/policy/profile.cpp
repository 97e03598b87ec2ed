#include "policy/profile.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "policy/pattern.hpp"
#include "policy/presets.hpp"
#include "policy/shell.hpp"

namespace chorus::policy {
namespace {

struct Entry {
    Entry(const Rule& rule, std::string at)
        : pattern(rule.pattern), where(std::move(at)), shell(rule.shell) {}
    Entry(const PresetRule& rule, std::string at)
        : pattern(std::string(rule.pattern)),
          where(std::move(at)),
          while_confined(rule.while_confined) {}

    Pattern pattern;
    std::string
        where;  // "allow[2]", "standard.allow[2]" for what a custom profile has from its base
    bool shell = false;
    bool while_confined = false;

    bool in_force(const Surroundings& surroundings) const {
        return !while_confined || surroundings.confined_shell;
    }
    std::string label() const { return where + " " + pattern.text(); }
};

using List = std::deque<Entry>;  // entries do not move

template <typename Rules>
void append(List& list, const Rules& rules, std::string_view name) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        list.emplace_back(rules[i], fmt::format("{}[{}]", name, i));
}

const Entry* find_match(const List& list, std::string_view text, const Surroundings& surroundings) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& one) {
        return one.in_force(surroundings) && one.pattern.matches(text);
    });
    return found == list.end() ? nullptr : &*found;
}

std::string prefix_of(const Action& action) {
    return "tool:" + action.tool + ":";
}

std::optional<std::string> fault_of(const Action& action) {
    using base::limits::action_bytes;
    if (action.text.size() > action_bytes)
        return fmt::format("the action is longer than {} bytes", action_bytes);
    if (action.text.find('\0') != std::string::npos) return "the action holds a NUL";
    if (base::find_invalid_utf8(action.text)) return "the action is not valid UTF-8";
    if (!action.text.starts_with(prefix_of(action))) return "the action does not name its tool";
    return std::nullopt;
}

base::Error invalid(std::string message, std::string hint = {}) {
    return {base::ErrorCode::config_invalid, std::move(message), std::move(hint)};
}

constexpr std::size_t shown_pattern_bytes = 200;

void check(const List& list, std::string_view what) {
    for (const Entry& one : list) {
        const auto fault = one.pattern.fault();
        if (!fault) continue;
        const std::string_view shown = base::utf8_prefix(one.pattern.text(), shown_pattern_bytes);
        const bool cut = shown.size() < one.pattern.text().size();
        throw invalid(
            fmt::format("{}.{} '{}{}': {}", what, one.where,
                        base::visible(shown, base::Newlines::escape), cut ? "…" : "", *fault),
            "a pattern is an RE2 expression for the whole action; what it must not match goes "
            "into a deny list, as in \"deny\": [\"tool:git:push origin main\"]");
    }
}

}  // namespace

struct Profile::Rules {
    std::string name;
    List deny;
    List allow;
    List ask;

    Decision decide(const Action& action, const Surroundings& surroundings) const;
    std::optional<Decision> refuse(const Action& action) const;
    Decision decide_shell(const Action& action, const Surroundings& surroundings) const;
    struct Found {
        Verdict verdict = Verdict::deny;
        const Entry* by = nullptr;  // nothing: no pattern matches
    };
    Found find_command(const std::string& text, const Entry* asks_whole,
                       const Surroundings& surroundings) const;
    Decision decide_commands(const std::vector<std::string>& commands, const Action& action,
                             const Surroundings& surroundings) const;
    Reading read(const Action& action, const Surroundings& surroundings) const;
    const Entry* find_cover(const Action& action, const Surroundings& surroundings) const;
    void add_base(const Preset& preset, std::string_view list_prefix);
    void check_examples(const ProfileText& text, std::string_view what) const;
};

namespace {

Decision decided(Verdict verdict, const Entry& by) {
    return {verdict, by.label()};
}
Decision unmatched() {
    return {Verdict::deny, "no pattern matches"};
}

}  // namespace

// Nothing where the deny list does not speak; "ask" where it cannot be tried on what is run.
std::optional<Decision> Profile::Rules::refuse(const Action& action) const {
    if (deny.empty()) return std::nullopt;
    if (const Entry* by = find_match(deny, action.text, {})) return decided(Verdict::deny, *by);
    if (!action.is_shell) return std::nullopt;
    const std::string prefix = prefix_of(action);
    bool hides = false;
    const auto parts = parts_for_deny(std::string_view(action.text).substr(prefix.size()), &hides);
    if (!parts)
        return Decision{Verdict::deny, "the command is too involved to try the deny list on"};
    for (const std::string& part : *parts)
        if (const Entry* by = find_match(deny, prefix + part, {}))
            return decided(Verdict::deny, *by);
    if (hides && std::any_of(deny.begin(), deny.end(), [&](const Entry& one) {
            return one.pattern.beginnings().may_match_below(prefix);
        }))
        return Decision{Verdict::ask,
                        "what it runs is the result of an expansion: no deny pattern can tell"};
    return std::nullopt;
}

// What covers a command as it stands, simple or not.
const Entry* Profile::Rules::find_cover(const Action& action,
                                        const Surroundings& surroundings) const {
    const std::string prefix = prefix_of(action);
    const auto found = std::find_if(allow.begin(), allow.end(), [&](const Entry& one) {
        return one.in_force(surroundings) &&
               (one.shell ? one.pattern.matches(action.text)
                          : matches_all_below(one.pattern.text(), prefix));
    });
    return found == allow.end() ? nullptr : &*found;
}

// What decides on one of the simple commands, denials aside.
Profile::Rules::Found Profile::Rules::find_command(const std::string& text, const Entry* asks_whole,
                                                   const Surroundings& surroundings) const {
    if (const Entry* by = find_match(allow, text, surroundings)) return {Verdict::allow, by};
    const Entry* by = find_match(ask, text, surroundings);
    if (by == nullptr) by = asks_whole;
    return {by == nullptr ? Verdict::deny : Verdict::ask, by};
}

Decision Profile::Rules::decide_commands(const std::vector<std::string>& commands,
                                         const Action& action,
                                         const Surroundings& surroundings) const {
    const std::string prefix = prefix_of(action);
    const Entry* asks_whole = find_match(ask, action.text, surroundings);
    std::vector<std::string> allowed_by;
    std::vector<std::string> asked_by;
    for (const std::string& command : commands) {
        const Found found = find_command(prefix + command, asks_whole, surroundings);
        if (found.by == nullptr) return unmatched();
        auto& labels = found.verdict == Verdict::allow ? allowed_by : asked_by;
        if (std::find(labels.begin(), labels.end(), found.by->label()) == labels.end())
            labels.push_back(found.by->label());
    }
    if (asked_by.empty()) return {Verdict::allow, base::join(allowed_by, ", ")};
    return {Verdict::ask, base::join(asked_by, ", ")};
}

Profile::Reading Profile::Rules::read(const Action& action,
                                      const Surroundings& surroundings) const {
    Reading reading;
    const std::string prefix = prefix_of(action);
    if (!action.is_shell || fault_of(action)) return reading;
    const std::string_view line = std::string_view(action.text).substr(prefix.size());
    const auto commands = simple_commands(line);
    if (!commands) reading.not_simple = why_not_simple(line);
    const Entry* asks_whole = find_match(ask, action.text, surroundings);
    for (const std::string& command : commands.value_or(std::vector<std::string>())) {
        const std::string text = prefix + command;
        const Found found = find_command(text, asks_whole, surroundings);
        const auto refused = refuse({action.tool, text, true});
        reading.commands.push_back({command, refused ? *refused
                                             : found.by == nullptr
                                                 ? unmatched()
                                                 : decided(found.verdict, *found.by)});
    }
    return reading;
}

Decision Profile::Rules::decide_shell(const Action& action,
                                      const Surroundings& surroundings) const {
    if (const Entry* by = find_cover(action, surroundings)) return decided(Verdict::allow, *by);
    const std::size_t head = prefix_of(action).size();
    if (const auto commands = simple_commands(std::string_view(action.text).substr(head)))
        return decide_commands(*commands, action, surroundings);
    if (const Entry* by = find_match(ask, action.text, surroundings))
        return decided(Verdict::ask, *by);
    if (const Entry* by = find_match(allow, action.text, surroundings))
        return {Verdict::ask, by->label() + " covers simple commands only"};
    return unmatched();
}

Decision Profile::Rules::decide(const Action& action, const Surroundings& surroundings) const {
    if (auto fault = fault_of(action)) return {Verdict::deny, std::move(*fault)};
    const auto refused = refuse(action);
    if (refused && refused->verdict == Verdict::deny) return *refused;
    if (action.is_shell) {
        Decision decision = decide_shell(action, surroundings);
        return refused && decision.verdict == Verdict::allow ? *refused : decision;
    }
    if (const Entry* by = find_match(allow, action.text, surroundings))
        return decided(Verdict::allow, *by);
    if (const Entry* by = find_match(ask, action.text, surroundings))
        return decided(Verdict::ask, *by);
    return unmatched();
}

void Profile::Rules::add_base(const Preset& preset, std::string_view list_prefix) {
    append(allow, preset.allow, fmt::format("{}allow", list_prefix));
    append(ask, preset.ask, fmt::format("{}ask", list_prefix));
}

void Profile::Rules::check_examples(const ProfileText& text, std::string_view what) const {
    const auto check_list = [&](const std::vector<std::string>& examples, std::string_view list,
                                bool denied) {
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const Decision decision = decide(parse_action(examples[i]), {});
            if ((decision.verdict == Verdict::deny) == denied) continue;
            throw invalid(fmt::format("{}.{}[{}] '{}': {} by {}", what, list, i,
                                      base::visible(examples[i], base::Newlines::escape),
                                      denied ? "not denied" : "denied", decision.reason));
        }
    };
    check_list(text.match, "match", false);
    check_list(text.not_match, "not_match", true);
}

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 3> names{"allow", "ask", "deny"};
    return names[static_cast<std::size_t>(verdict)];
}

Action parse_action(std::string text) {
    constexpr std::string_view head = "tool:";
    std::string tool;
    if (text.starts_with(head))
        tool = text.substr(head.size(), text.find(':', head.size()) - head.size());
    const bool is_shell = tool == "bash";
    return {std::move(tool), std::move(text), is_shell};
}

std::optional<Profile> Profile::preset(std::string_view name) {
    const Preset* found = find_preset(name);
    if (found == nullptr) return std::nullopt;
    auto rules = std::make_unique<Rules>();
    rules->name = found->name;
    rules->add_base(*found, "");
    return Profile(std::move(rules));
}

std::vector<std::string> Profile::preset_names() {
    std::vector<std::string> names;
    for (const Preset& one : presets()) names.emplace_back(one.name);
    return names;
}

Profile Profile::compile(const ProfileText& text, std::string_view what) {
    const Preset* base = find_preset(text.base);
    if (base == nullptr && !text.base.empty())
        throw invalid(fmt::format("{}.base '{}': there is no such preset", what,
                                  base::visible(text.base, base::Newlines::escape)),
                      "one of " + base::quoted_list(preset_names()));
    auto rules = std::make_unique<Rules>();
    rules->name = "custom";
    append(rules->deny, text.deny, "deny");
    append(rules->allow, text.allow, "allow");
    append(rules->ask, text.ask, "ask");
    for (const List* list : {&rules->deny, &rules->allow, &rules->ask}) check(*list, what);
    if (base != nullptr) rules->add_base(*base, text.base + ".");
    rules->check_examples(text, what);
    return Profile(std::move(rules));
}

Profile::Profile(std::unique_ptr<Rules> rules) : rules_(std::move(rules)) {}
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

const std::string& Profile::name() const {
    return rules_->name;
}

std::string Profile::fingerprint() const {
    std::string all;
    for (const List* list : {&rules_->deny, &rules_->allow, &rules_->ask}) {
        for (const Entry& one : *list)
            all += fmt::format("{}{}{}:{}", one.shell ? 's' : '-', one.while_confined ? 'c' : '-',
                               one.pattern.text().size(), one.pattern.text());
        all += ';';
    }
    return base::sha256_hex(all);
}

Decision Profile::decide(const Action& action, const Surroundings& surroundings) const {
    return rules_->decide(action, surroundings);
}

Profile::Reading Profile::read(const Action& action, const Surroundings& surroundings) const {
    return rules_->read(action, surroundings);
}

bool Profile::hides(std::string_view action_prefix) const {
    const auto may_match = [&](const List& list) {
        return std::any_of(list.begin(), list.end(), [&](const Entry& one) {
            return one.pattern.beginnings().may_match_below(action_prefix);
        });
    };
    const bool all_denied = std::any_of(
        rules_->deny.begin(), rules_->deny.end(),
        [&](const Entry& one) { return matches_all_below(one.pattern.text(), action_prefix); });
    return all_denied || (!may_match(rules_->allow) && !may_match(rules_->ask));
}

}  // namespace chorus::policy
