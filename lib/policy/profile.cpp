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
#include "policy/shell.hpp"
#include "policy/starters.hpp"

namespace chorus::embedded {
extern const std::string_view policy_presets;
}

namespace chorus::policy {
namespace {

struct Entry {
    Entry(const Rule& text, std::string at)
        : rule(text), pattern(text.pattern), where(std::move(at)) {}

    Rule rule;
    Pattern pattern;
    // "allow[2]"; "standard.allow[2]" for an entry from a custom profile's base
    std::string where;

    bool in_force(bool confined) const { return confined || !rule.while_confined; }
    std::string label() const { return where + " " + pattern.text(); }
};

using List = std::deque<Entry>;  // a deque, so that entries do not move

void append(List& list, const std::vector<Rule>& rules, std::string_view name) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        list.emplace_back(rules[i], fmt::format("{}[{}]", name, i));
}

template <typename Predicate>
const Entry* find_entry(const List& list, const Predicate& predicate) {
    const auto found = std::find_if(list.begin(), list.end(), predicate);
    return found == list.end() ? nullptr : &*found;
}

bool may_match_below(const List& list, std::string_view prefix) {
    return find_entry(list, [&](const Entry& one) {
               return one.pattern.may_match_below(prefix);
           }) != nullptr;
}

base::Error invalid(std::string message, std::string hint = {}) {
    return {base::ErrorCode::config_invalid, std::move(message), std::move(hint)};
}

void check(const List& list, std::string_view what) {
    constexpr std::size_t shown_pattern_bytes = 200;
    for (const Entry& one : list) {
        const auto fault = one.pattern.fault();
        if (!fault) continue;
        const std::string_view shown = base::utf8_prefix(one.pattern.text(), shown_pattern_bytes);
        const bool cut = shown.size() < one.pattern.text().size();
        throw invalid(
            fmt::format("{}.{} '{}{}': {}", what, one.where,
                        base::visible(shown, base::Newlines::escape), cut ? "…" : "", *fault),
            "a pattern is an RE2 expression that matches the whole action; put exceptions into a "
            "deny list, as in \"deny\": [\"tool:git:push origin main\"]");
    }
}

}  // namespace

struct Profile::Rules {
    std::string name;
    List deny;
    List allow;
    List ask;

    void add_base(const Preset& preset, const std::string& list_prefix) {
        append(allow, preset.allow, list_prefix + "allow");
        append(ask, preset.ask, list_prefix + "ask");
    }
};

// Decides on one action by the rules.
class Profile::Judgement {
  public:
    Judgement(const Rules& rules, const Action& action, const ShellConfinement& surroundings)
        : rules_(rules), action_(action), confined_(surroundings.confined_shell) {}

    Decision decide() const {
        if (auto problem = fault(); !problem.empty()) return {Verdict::deny, std::move(problem)};
        const auto refused = refuse(action_.text);
        if (refused && refused->verdict == Verdict::deny) return *refused;
        Decision decision = action_.is_shell ? decide_shell() : decide_one(action_.text);
        return refused && decision.verdict == Verdict::allow ? *refused : decision;
    }

    Reading read() const {
        Reading reading;
        if (!action_.is_shell || !fault().empty()) return reading;
        const auto commands = simple_commands(command(), &reading.not_simple);
        const Entry* asks_whole = find(rules_.ask, action_.text);
        for (const std::string& one : commands.value_or(std::vector<std::string>())) {
            const auto refused = refuse(prefix_ + one);
            reading.commands.push_back(
                {one, refused ? *refused : decide_one(prefix_ + one, asks_whole)});
        }
        return reading;
    }

  private:
    // Returns why no profile allows the action, or "".
    std::string fault() const {
        using base::limits::action_bytes;
        if (action_.text.size() > action_bytes)
            return fmt::format("the action is longer than {} bytes", action_bytes);
        if (action_.text.find('\0') != std::string::npos) return "the action holds a NUL";
        if (base::find_invalid_utf8(action_.text)) return "the action is not valid UTF-8";
        return action_.text.starts_with(prefix_) ? "" : "the action does not name its tool";
    }

    std::string_view command() const {
        return std::string_view(action_.text).substr(prefix_.size());
    }

    const Entry* find(const List& list, std::string_view text) const {
        return find_entry(list, [&](const Entry& one) {
            return one.in_force(confined_) && one.pattern.matches(text);
        });
    }

    // Returns nothing if no deny entry applies; "ask" if the deny list cannot be checked against
    // what is run.
    std::optional<Decision> refuse(const std::string& text) const {
        const auto& deny = rules_.deny;
        if (deny.empty()) return std::nullopt;
        if (const Entry* by = find(deny, text)) return Decision{Verdict::deny, by->label()};
        if (!action_.is_shell) return std::nullopt;
        bool hides = false;
        const auto parts = parts_for_deny(std::string_view(text).substr(prefix_.size()), &hides);
        if (!parts)
            return Decision{Verdict::deny,
                            "the command is too complex to check against the deny list"};
        for (const std::string& part : *parts)
            if (const Entry* by = find(deny, prefix_ + part))
                return Decision{Verdict::deny, by->label()};
        if (hides && may_match_below(deny, prefix_))
            return Decision{Verdict::ask,
                            "an expansion decides what it runs: the deny list cannot be checked"};
        return std::nullopt;
    }

    // Decides without the deny list; `asks_whole` applies if no other entry matches.
    Decision decide_one(const std::string& text, const Entry* asks_whole = nullptr) const {
        if (const Entry* by = find(rules_.allow, text)) return {Verdict::allow, by->label()};
        const Entry* by = find(rules_.ask, text);
        if (by == nullptr) by = asks_whole;
        if (by == nullptr) return {Verdict::deny, "no pattern matches"};
        return {Verdict::ask, by->label()};
    }

    // Finds the entry that covers the whole command, simple or not.
    const Entry* find_cover() const {
        return find_entry(rules_.allow, [&](const Entry& one) {
            return one.in_force(confined_) &&
                   (one.rule.shell ? one.pattern.matches(action_.text)
                                   : matches_all_below(one.pattern.text(), prefix_));
        });
    }

    Decision decide_shell() const {
        if (const Entry* by = find_cover()) return {Verdict::allow, by->label()};
        if (const auto commands = simple_commands(command())) return decide_commands(*commands);
        if (const Entry* by = find(rules_.ask, action_.text)) return {Verdict::ask, by->label()};
        if (const Entry* by = find(rules_.allow, action_.text))
            return {Verdict::ask, by->label() + " covers simple commands only"};
        return {Verdict::deny, "no pattern matches"};
    }

    Decision decide_commands(const std::vector<std::string>& commands) const {
        const Entry* asks_whole = find(rules_.ask, action_.text);
        std::vector<std::string> allowed_by;
        std::vector<std::string> asked_by;
        for (const std::string& one : commands) {
            Decision decision = decide_one(prefix_ + one, asks_whole);
            if (decision.verdict == Verdict::deny) return decision;
            auto& labels = decision.verdict == Verdict::allow ? allowed_by : asked_by;
            if (std::find(labels.begin(), labels.end(), decision.reason) == labels.end())
                labels.push_back(std::move(decision.reason));
        }
        if (asked_by.empty()) return {Verdict::allow, base::join(allowed_by, ", ")};
        return {Verdict::ask, base::join(asked_by, ", ")};
    }

    const Rules& rules_;
    const Action& action_;
    bool confined_;
    std::string prefix_ = "tool:" + action_.tool + ":";
};

namespace {

void check_examples(const Profile& profile, const std::vector<std::string>& examples, bool denied,
                    const std::string& what) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const Decision decision = profile.decide(parse_action(examples[i]), {});
        if ((decision.verdict == Verdict::deny) == denied) continue;
        throw invalid(fmt::format("{}[{}] '{}': {} by {}", what, i,
                                  base::visible(examples[i], base::Newlines::escape),
                                  denied ? "not denied" : "denied", decision.reason));
    }
}

}  // namespace

const std::vector<Preset>& presets() {
    static const auto presets = [] {
        std::vector<Preset> all{{"open"}, {"sandboxed"}, {"standard"}, {"locked"}};
        for (const std::string_view line : base::split_lines(embedded::policy_presets)) {
            if (line.empty() || line.front() == '#') continue;
            const std::size_t colon = line.find(" : ");
            const std::string_view head = line.substr(0, colon);
            const Rule rule{std::string(line.substr(colon + 3)), false,
                            head.starts_with("confined")};
            for (Preset& one : all)
                if (is_listed(one.name, head))
                    (head.starts_with("ask") ? one.ask : one.allow).push_back(rule);
        }
        return all;
    }();
    return presets;
}

const Preset* find_preset(std::string_view name) {
    for (const Preset& one : presets())
        if (one.name == name) return &one;
    return nullptr;
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
    auto rules = std::make_shared<Rules>();
    rules->name = found->name;
    rules->add_base(*found, "");
    return Profile(std::move(rules));
}

std::vector<std::string> Profile::preset_names() {
    std::vector<std::string> names;
    for (const Preset& one : presets()) names.emplace_back(one.name);
    return names;
}

Profile Profile::compile(const ProfileText& text, std::string_view what, std::string_view name) {
    const Preset* base = find_preset(text.base);
    if (base == nullptr && !text.base.empty())
        throw invalid(
            fmt::format("{}.base {}: there is no such preset", what, base::quoted(text.base)),
            "one of " + base::quoted_list(preset_names()));
    auto rules = std::make_shared<Rules>();
    rules->name = name;
    append(rules->deny, text.deny, "deny");
    append(rules->allow, text.allow, "allow");
    append(rules->ask, text.ask, "ask");
    for (const List* list : {&rules->deny, &rules->allow, &rules->ask}) check(*list, what);
    if (base != nullptr) rules->add_base(*base, text.base + ".");
    Profile profile(std::move(rules));
    check_examples(profile, text.match, false, fmt::format("{}.match", what));
    check_examples(profile, text.not_match, true, fmt::format("{}.not_match", what));
    return profile;
}

const std::string& Profile::name() const {
    return rules_->name;
}

std::string Profile::fingerprint() const {
    std::string all;
    for (const List* list : {&rules_->deny, &rules_->allow, &rules_->ask}) {
        for (const Entry& one : *list)
            all += fmt::format("{}{}{}:{}", one.rule.shell ? 's' : '-',
                               one.rule.while_confined ? 'c' : '-', one.pattern.text().size(),
                               one.pattern.text());
        all += ';';
    }
    return base::sha256_hex(all);
}

Decision Profile::decide(const Action& action, const ShellConfinement& surroundings) const {
    return Judgement(*rules_, action, surroundings).decide();
}

Profile::Reading Profile::read(const Action& action, const ShellConfinement& surroundings) const {
    return Judgement(*rules_, action, surroundings).read();
}

bool Profile::hides(std::string_view action_prefix) const {
    const bool all_denied = find_entry(rules_->deny, [&](const Entry& one) {
                                return matches_all_below(one.pattern.text(), action_prefix);
                            }) != nullptr;
    return all_denied || !(may_match_below(rules_->allow, action_prefix) ||
                           may_match_below(rules_->ask, action_prefix));
}

Decision strictest(std::span<const Profile> profiles, const Action& action,
                   const ShellConfinement& surroundings) {
    if (profiles.empty()) return {Verdict::deny, "there is no profile"};
    Decision strictest = profiles.front().decide(action, surroundings);
    strictest.profile = profiles.front().name();
    for (const Profile& profile : profiles.subspan(1)) {
        Decision decision = profile.decide(action, surroundings);
        if (decision.verdict <= strictest.verdict) continue;
        strictest = std::move(decision);
        strictest.profile = profile.name();
    }
    return strictest;
}

bool any_hides(std::span<const Profile> profiles, std::string_view action_prefix) {
    return std::any_of(profiles.begin(), profiles.end(),
                       [&](const Profile& profile) { return profile.hides(action_prefix); });
}

}  // namespace chorus::policy
