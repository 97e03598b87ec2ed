#include "turn/trust.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "life/trust.hpp"
#include "store/prompts.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"
#include "turn/rights.hpp"

namespace chorus::turn {
namespace {

constexpr std::int64_t edit_wait_ms = 1'000;

std::string described(const std::vector<agent::TrustChange>& changes) {
    std::string text;
    for (const agent::TrustChange& change : changes)
        text += change.key + ": " + (change.before.empty() ? "not set" : change.before) + " → " +
                (change.after.empty() ? "not set" : change.after) + "\n";
    return text;
}

std::string keys_of(const std::vector<agent::TrustChange>& changes) {
    std::vector<std::string> keys;
    for (const agent::TrustChange& change : changes) keys.push_back(change.key);
    return base::join(keys, ", ");
}

// Whoever edits agent.json and what is trusted of it does so under the lock.
std::vector<agent::TrustChange> settled_changes(Place& place, const agent::Home& home) {
    const auto lock = sys::Lock::acquire(home.configuration_lock(place.agent.id),
                                         sys::Lock::Mode::shared, edit_wait_ms);
    return configuration_in_force(place.store, place.agent, place.directory,
                                  place.home_configuration)
        .untrusted;
}

}  // namespace

void ask_for_trust(Place& place, const Loaded& loaded, const Surroundings& surroundings) {
    if (loaded.untrusted.empty()) return;
    const auto untrusted = settled_changes(place, surroundings.home);
    if (untrusted.empty()) return;
    surroundings.warn("agent.json: not in force, no person set it: " + keys_of(untrusted) +
                      "; chorus-config trust " + place.agent.name + " shows and decides");
    const std::string hash = base::sha256_hex(described(untrusted));
    const auto waiting = store::pending_prompts(place.store, place.agent.id);
    if (std::any_of(waiting.begin(), waiting.end(),
                    [&](const store::Prompt& one) { return one.arguments_hash == hash; }))
        return;
    const base::TimeMs now = sys::now_ms();
    store::Prompt prompt;
    prompt.id = base::random_short_id(8);
    prompt.agent_id = place.agent.id;
    prompt.kind = "trust";
    prompt.action = "trust:agent.json";
    prompt.arguments_hash = hash;
    prompt.text = place.redaction.apply(described(untrusted));
    prompt.created_at = now;
    prompt.expires_at = now + place.home_configuration.prompt_ttl_ms;
    store::Transaction transaction(place.store);
    store::insert_prompt(place.store, prompt);
    transaction.commit();
}

void trust_permissions(Place& place) {
    const std::string text = agent::load_configuration(place.directory).text;
    const std::string part = life::trusted_part(place.store, place.agent.id);
    store::Transaction transaction(place.store);
    life::trust(place.store, place.agent.id,
                agent::with_trusted_key(part.empty() ? agent::trust_part(text) : part,
                                        "permissions", text));
    transaction.commit();
}

}  // namespace chorus::turn
