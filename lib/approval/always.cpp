#include "approval/always.hpp"

#include <algorithm>

#include "agent/profile_text.hpp"
#include "agent/trust_keys.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "chat/json.hpp"
#include "life/find_agent.hpp"
#include "life/trust.hpp"
#include "place/in_force.hpp"
#include "place/rights.hpp"
#include "policy/pattern.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/person.hpp"

namespace chorus::approval {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

std::string with_rules(const agent::Permissions& permissions, const agent::HomeConfiguration& home,
                       const std::vector<std::string>& actions) {
    Json object = chat::parse_json(
        permissions.custom ? permissions.json
                           : place::profile_json(agent::profile_text(permissions, home)),
        "permissions");
    if (!object.contains("allow")) object["allow"] = Json::array();
    Json& allow = object["allow"];
    for (const std::string& action : actions) {
        const Json rule{{"pattern", policy::exact_pattern(action)}, {"shell", true}};
        if (std::find(allow.begin(), allow.end(), rule) == allow.end()) allow.push_back(rule);
    }
    return chat::dump(object);
}

// Approves the pending calls with the action, which is allowed from now on. Inside a transaction of
// the caller.
void approve_equal(store::Store& store, const Widening& widening, const std::string& action) {
    for (store::Prompt& prompt : store::pending_prompts(store, widening.agent.id)) {
        if (prompt.kind != chat::PromptKind::permission || prompt.action != action) continue;
        prompt.state = store::PromptState::approved;
        prompt.decided_at = sys::now_ms();
        prompt.decided_by = widening.actor;
        record_decision(store, widening.agent, prompt, "approved prompt " + prompt.id + ": always");
    }
}

}  // namespace

Widening widening_of(const place::Place& place, const std::string& actor, store::TurnId turn) {
    return {place.surroundings.home,
            place.surroundings.environment,
            place.home_configuration,
            place.agent,
            actor,
            turn};
}

bool record_decision(store::Store& store, const store::Agent& agent, const store::Prompt& decided,
                     const std::string& detail) {
    if (!store::decide_prompt(store, decided)) return false;
    const bool is_denied = decided.state == store::PromptState::denied;
    store::append_audit(store, agent,
                        {.timestamp = decided.decided_at,
                         .turn_id = decided.turn_id,
                         .action = decided.action,
                         .decision = is_denied ? "ask_denied" : "ask_approved",
                         .actor = decided.decided_by,
                         .detail = detail});
    return true;
}

place::Rights rights_in_force(store::Store& store, const Widening& widening) {
    const agent::Directory directory(widening.home.path() + "/" + widening.agent.dir);
    place::InForce in_force =
        place::configuration_in_force(store, widening.agent, directory, widening.configuration);
    if (const auto turn = store::find_turn(store, widening.turn)) {
        in_force.for_turn = place::permissions_of_turn(*turn);
        in_force.is_shared = !store::senders(store, turn->id).empty();
    }
    return place::rights_of(
        in_force, widening.configuration,
        agent::sandbox_in_force(in_force.configuration, widening.configuration));
}

HeldConfiguration hold_configuration(store::Store& store, const Widening& widening) {
    auto lock = sys::Lock::acquire(widening.home.configuration_lock(widening.agent.id),
                                   sys::Lock::Mode::exclusive, base::limits::file_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + widening.agent.name + "': its agent.json is being edited");
    (void)life::require_again(store, widening.agent);
    return {std::move(*lock), agent::load_home_configuration(widening.home)};
}

void allow_always(store::Store& store, const Widening& given,
                  const std::function<std::vector<std::string>()>& decide) {
    const HeldConfiguration held = hold_configuration(store, given);
    const Widening widening{given.home,  given.environment, held.home,
                            given.agent, given.actor,       given.turn};
    const auto person = sys::invoking_person(widening.environment);
    if (const auto problem = life::grant_problem(widening.configuration, person, "custom");
        !problem.empty())
        throw Error(ErrorCode::forbidden, "always: " + problem);
    const agent::Directory directory(widening.home.path() + "/" + widening.agent.dir);

    const agent::Configuration file = agent::load_configuration(directory);
    const std::string part = life::trusted_part(store, widening.agent.id);
    const std::string trusted = part.empty() ? file.text : agent::with_trust_part(file.text, part);
    const std::string what = directory.configuration();
    const agent::Permissions before = agent::parse_configuration(trusted, what).permissions;
    Widening of_agent = widening;
    of_agent.turn = 0;
    const std::string old_fingerprint = rights_in_force(store, of_agent).fingerprint;

    store::Transaction transaction(store);
    const std::vector<std::string> actions = decide();
    if (actions.empty()) return;
    const std::string text = agent::with_members(
        file.text, {{"permissions", with_rules(before, widening.configuration, actions)}});
    // before the commit: if killed in between, the prompt is still undecided, and the next decision
    // writes the file again
    sys::write_file(what, text, 0600);
    life::trust(store, widening.agent.id,
                agent::with_trusted_key(agent::trust_part(trusted), "permissions", text));
    for (const std::string& action : actions)
        store::append_audit(store, widening.agent,
                            {.turn_id = widening.turn,
                             .action = "tool:self_edit:permissions:custom",
                             .decision = "ask_approved",
                             .actor = widening.actor,
                             .detail = "always: " + action});
    store::rebind_prompts(store, widening.agent.id, old_fingerprint,
                          rights_in_force(store, of_agent).fingerprint);
    for (const std::string& action : actions) approve_equal(store, widening, action);
    transaction.commit();
}

}  // namespace chorus::approval
