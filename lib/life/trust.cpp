#include "life/trust.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "policy/redaction.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"

namespace chorus::life {
namespace {

constexpr const char* setting = "trust";
constexpr std::size_t hash_digits = 64;
constexpr std::size_t shown_characters = 500;

std::string scope_of(store::AgentId agent) {
    return "agent/" + std::to_string(agent);
}

void append_audit(store::Store& store, const store::Agent& agent, const char* decision,
                  const std::string& detail, const Decider& decider) {
    store::append_audit(store, {.agent_id = agent.id,
                                .agent_name = agent.name,
                                .timestamp = sys::now_ms(),
                                .turn_id = 0,
                                .action = "trust:agent.json",
                                .decision = decision,
                                .user_id = decider.user_id,
                                .actor = decider.actor,
                                .detail = policy::Redaction().apply(detail)});
}

// A value's beginning, and what tells it from every other.
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

void approve_prompts(store::Store& store, const store::Agent& agent, const Decider& decider) {
    for (store::Prompt prompt : store::pending_prompts(store, agent.id)) {
        if (prompt.kind != "trust") continue;
        prompt.state = "approved";
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

std::string settled_trust(store::Store& store, const store::Agent& agent,
                          std::string_view agent_json, const Decider& decider) {
    if (std::string part = trusted_part(store, agent.id); !part.empty()) return part;
    const std::string present = agent::trust_part(agent_json);
    store::Transaction transaction(store);
    // somebody may have been first
    if (std::string part = trusted_part(store, agent.id); !part.empty()) return part;
    trust(store, agent.id, present);
    append_audit(store, agent, "allow",
                 "nothing was recorded yet: taken as it stands: " +
                     described(agent::trust_changes("{}", agent_json)),
                 decider);
    transaction.commit();
    return present;
}

void decide_trust(store::Store& store, const store::Agent& agent, std::string_view part,
                  std::string_view agent_json, const Decider& decider) {
    const std::string before = trusted_part(store, agent.id);
    const auto changes = agent::trust_changes(before.empty() ? "{}" : before, part);
    trust(store, agent.id, part);
    if (!changes.empty()) append_audit(store, agent, "ask_approved", described(changes), decider);
    if (agent::trust_changes(part, agent_json).empty()) approve_prompts(store, agent, decider);
}

}  // namespace chorus::life
