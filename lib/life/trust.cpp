#include "life/trust.hpp"

#include <unistd.h>

#include "agent/configuration.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "policy/grants.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"

namespace chorus::life {
namespace {

constexpr const char* action = "trust:agent.json";
constexpr const char* setting = "trust";
constexpr const char* kept_setting = "kept_git";
constexpr const char* kept_preset_setting = "kept_preset";
constexpr std::size_t hash_digits = 64;
constexpr std::size_t shown_characters = 500;

std::string scope_of(store::AgentId agent) {
    return "agent/" + std::to_string(agent);
}

// Returns the beginning of a value, and its hash to identify it.
std::string digest(const std::string& value) {
    if (value.empty()) return "nothing";
    return std::string(base::utf8_prefix(value, shown_characters)) + " (sha256 " +
           base::sha256_hex(value) + ")";
}

std::string described(const std::vector<agent::TrustChange>& changes) {
    std::vector<std::string> lines;
    for (const agent::TrustChange& change : changes)
        lines.push_back(change.key + ": " + digest(change.before) + " to " + digest(change.after));
    return base::join(lines, "; ");
}

// The text of a trust question.
std::string change_text(const std::vector<agent::TrustChange>& changes) {
    std::string text;
    for (const agent::TrustChange& change : changes)
        text += change.key + ": " + (change.before.empty() ? "not set" : change.before) + " → " +
                (change.after.empty() ? "not set" : change.after) + "\n";
    return text;
}

void approve_prompts(store::Store& store, const store::Agent& agent, const Decider& decider) {
    for (store::Prompt prompt : store::pending_prompts(store, agent.id)) {
        if (prompt.kind != chat::PromptKind::trust) continue;
        prompt.state = store::PromptState::approved;
        prompt.decided_at = sys::now_ms();
        prompt.decided_by = decider.actor;
        store::decide_prompt(store, prompt);
    }
}

}  // namespace

std::string trusted_part(store::Store& store, store::AgentId agent) {
    const std::string record = store::find_setting(store, scope_of(agent), setting);
    if (record.empty()) return {};
    if (record.size() <= hash_digits) return "{}";
    std::string part = record.substr(hash_digits + 1);
    return base::sha256_hex(part) == record.substr(0, hash_digits) ? part : "{}";
}

void trust(store::Store& store, store::AgentId agent, std::string_view part) {
    store::set_setting(store, scope_of(agent), setting,
                       base::sha256_hex(part).append(" ").append(part));
}

void note_kept(store::Store& store, store::AgentId agent, std::string_view git_state) {
    store::set_setting(store, scope_of(agent), kept_setting, git_state);
}

std::string kept_git_state(store::Store& store, store::AgentId agent) {
    return store::find_setting(store, scope_of(agent), kept_setting);
}

void note_kept_preset(store::Store& store, store::AgentId child, std::string_view hash) {
    store::set_setting(store, scope_of(child), kept_preset_setting, hash);
}

std::string kept_preset_hash(store::Store& store, const std::string& dir) {
    std::string hash;
    for (const store::Agent& agent : store::all_agents(store))
        if (agent.dir == dir && agent.status == store::AgentStatus::destroyed)
            hash = store::find_setting(store, scope_of(agent.id), kept_preset_setting);
    return hash;
}

std::string settled_trust(store::Store& store, const store::Agent& agent,
                          std::string_view agent_json, const Decider& decider) {
    if (std::string part = trusted_part(store, agent.id); !part.empty()) return part;
    const std::string present = agent::trust_part(agent_json);
    store::Transaction transaction(store);
    // another process may have recorded it meanwhile
    if (std::string part = trusted_part(store, agent.id); !part.empty()) return part;
    trust(store, agent.id, present);
    append_decision(store, agent, decider, action, "allow",
                    "nothing was recorded yet; trusted unchanged: " +
                        described(agent::trust_changes("{}", agent_json)));
    transaction.commit();
    return present;
}

void check_grant(const sys::Environment& environment, const agent::HomeConfiguration& home,
                 std::string_view part_before, std::string_view part) {
    const auto permissions = [](std::string_view text) {
        return agent::parse_configuration(text.empty() ? "{}" : text, "agent.json").permissions;
    };
    const agent::Permissions wanted = permissions(part);
    if (policy::narrows(agent::profile_text(permissions(part_before), home),
                        agent::profile_text(wanted, home)))
        return;
    const std::string problem = grant_problem(home, sys::invoking_person(environment), wanted.name);
    if (!problem.empty()) throw base::Error(base::ErrorCode::forbidden, "permissions: " + problem);
}

std::string grant_problem(const agent::HomeConfiguration& home, const sys::Person& person,
                          const std::string& profile) {
    return policy::grant_problem({home.permission_grants, home.roles},
                                 {person.name, person.groups, person.uid == geteuid()}, profile);
}

void decide_trust(store::Store& store, const store::Agent& agent, std::string_view part,
                  std::string_view agent_json, const Decider& decider) {
    const std::string before = trusted_part(store, agent.id);
    const auto changes = agent::trust_changes(before.empty() ? "{}" : before, part);
    trust(store, agent.id, part);
    if (!changes.empty())
        append_decision(store, agent, decider, action, "ask_approved", described(changes));
    if (agent::trust_changes(part, agent_json).empty()) approve_prompts(store, agent, decider);
}

std::string change_hash(const std::vector<agent::TrustChange>& changes) {
    return base::sha256_hex(change_text(changes));
}

std::optional<store::Prompt> ask_for_trust(store::Store& store, const store::Agent& agent,
                                           const std::vector<agent::TrustChange>& changes,
                                           const policy::Redaction& redaction,
                                           std::int64_t ttl_ms) {
    const std::string hash = change_hash(changes);
    if (store::was_asked_for_trust(store, agent.id, hash)) return std::nullopt;
    const base::TimeMs now = sys::now_ms();
    store::Prompt prompt;
    prompt.id = base::random_short_id(8);
    prompt.agent_id = agent.id;
    prompt.kind = chat::PromptKind::trust;
    prompt.action = action;
    prompt.arguments_hash = hash;
    prompt.text = redaction.apply(change_text(changes));
    prompt.created_at = now;
    prompt.expires_at = now + ttl_ms;
    store::Transaction transaction(store);
    for (const store::Prompt& other : store::pending_prompts(store, agent.id))
        if (other.kind == chat::PromptKind::trust && other.arguments_hash != hash)
            store::cancel_prompt(store, other.id, now);
    store::insert_prompt(store, prompt);
    transaction.commit();
    return prompt;
}

}  // namespace chorus::life
