#include "approval/widening.hpp"

#include <algorithm>

#include "agent/configuration.hpp"
#include "agent/trust_keys.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "life/deciders.hpp"
#include "life/find_agent.hpp"
#include "life/trust.hpp"
#include "place/secrets.hpp"
#include "policy/grants.hpp"
#include "policy/pattern.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
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

constexpr std::int64_t edit_wait_ms = 1'000;

// The lock is held by every process that edits agent.json and its trusted part.
std::vector<agent::TrustChange> settled_changes(place::Place& place) {
    const auto lock = sys::Lock::acquire(place.surroundings.home.configuration_lock(place.agent.id),
                                         sys::Lock::Mode::shared, edit_wait_ms);
    return place::configuration_in_force(place.store, place.agent, place.directory,
                                         place.home_configuration)
        .untrusted;
}

// The lock held while agent.json and its trusted part change, and config.json as read under it.
// Error(agent_busy); Error(exited) if the agent has been destroyed meanwhile.
struct HeldConfiguration {
    sys::Lock lock;
    agent::HomeConfiguration home;
};

HeldConfiguration hold_configuration(store::Store& store, const Widening& widening) {
    auto lock = sys::Lock::acquire(widening.home.configuration_lock(widening.agent.id),
                                   sys::Lock::Mode::exclusive, base::limits::file_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + widening.agent.name + "': its agent.json is being edited");
    (void)life::require_again(store, widening.agent);
    return {std::move(*lock), agent::load_home_configuration(widening.home)};
}

}  // namespace

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

place::Rights rights_in_force(store::Store& store, const Widening& widening,
                              const agent::HomeConfiguration& configuration) {
    const agent::Directory directory = widening.home.directory(widening.agent.dir);
    place::InForce in_force =
        place::configuration_in_force(store, widening.agent, directory, configuration);
    if (const auto turn = store::find_turn(store, widening.turn)) {
        in_force.for_turn = place::permissions_of_turn(*turn);
        in_force.is_shared = !store::senders(store, turn->id).empty();
    }
    return place::rights_of(in_force, configuration,
                            agent::sandbox_in_force(in_force.configuration, configuration));
}

std::string no_rule_for(const std::string& action) {
    const auto fault = policy::Pattern(policy::exact_pattern(action)).fault();
    return fault ? "the rule for the action " + *fault : "";
}

void allow_always(store::Store& store, const Widening& widening,
                  const std::function<std::vector<std::string>()>& decide) {
    if (widening.agent.kind == "child")
        throw Error(ErrorCode::bad_request,
                    "always: the permissions of a sub-agent are those of its preset",
                    "leave out --always");
    const HeldConfiguration held = hold_configuration(store, widening);
    const auto person = sys::invoking_person(widening.environment);
    if (const auto problem = life::grant_problem(held.home, person, "custom"); !problem.empty())
        throw Error(ErrorCode::forbidden, "always: " + problem);
    const agent::Directory directory = widening.home.directory(widening.agent.dir);

    const agent::Configuration file = agent::load_configuration(directory);
    const std::string part = life::trusted_part(store, widening.agent.id);
    const std::string trusted = part.empty() ? file.text : agent::with_trust_part(file.text, part);
    const std::string what = directory.configuration();
    const agent::Permissions before = agent::parse_configuration(trusted, what).permissions;
    Widening of_agent = widening;
    of_agent.turn = 0;
    const std::string old_fingerprint = rights_in_force(store, of_agent, held.home).fingerprint();

    store::Transaction transaction(store);
    const std::vector<std::string> actions = decide();
    if (actions.empty()) return;
    for (const std::string& action : actions)
        if (const std::string why = no_rule_for(action); !why.empty())
            throw Error(ErrorCode::bad_request, "always: " + why,
                        "leave out --always to approve it this once");
    const std::string text =
        agent::with_members(file.text, {{"permissions", with_rules(before, held.home, actions)}});
    // a file that no turn would take is not written
    (void)agent::resolve_profile(agent::parse_configuration(text, what).permissions, held.home,
                                 what);
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
                          rights_in_force(store, of_agent, held.home).fingerprint());
    for (const std::string& action : actions) approve_equal(store, widening, action);
    transaction.commit();
}

void check_given_permissions(place::Place& place) {
    const auto& given = place.options.permissions;
    if (!given) return;
    const sys::Environment& environment = place.surroundings.environment;
    const agent::HomeConfiguration& home = place.home_configuration;
    life::refuse_from_inside(place.store, environment);
    (void)agent::resolve_profile(*given, home, "--permissions");
    const place::InForce agent =
        place::configuration_in_force(place.store, place.agent, place.directory, home);
    if (policy::narrows(agent::profile_text(agent.configuration.permissions, home),
                        agent::profile_text(*given, home)))
        return;
    const std::string problem =
        life::grant_problem(home, sys::invoking_person(environment), given->name);
    if (!problem.empty()) throw Error(ErrorCode::forbidden, "--permissions: " + problem);
}

void ask_for_trust(place::Place& place, const std::vector<agent::TrustChange>& seen) {
    if (seen.empty()) return;
    const auto untrusted = settled_changes(place);
    if (untrusted.empty()) return;
    const std::string what = "agent.json: not in force until a person approves it: " +
                             base::join(keys_of(untrusted), ", ");
    place.surroundings.warn(what + "; chorus-config trust " + place.agent.name +
                            " shows the changes and asks");
    const auto prompt = life::ask_for_trust(place.store, place.agent, untrusted, place.redaction,
                                            place.home_configuration.prompt_ttl_ms);
    if (!prompt) return;
    store::Transaction transaction(place.store);
    place::keep_for_channel(place, 0,
                            "Waits for a person\n\n" + prompt->id + ": " + what +
                                "\n\n    chorus-config trust " + place.agent.name + "\n");
    transaction.commit();
}

void trust_permissions(place::Place& place, const agent::Permissions& permissions) {
    const std::string part = life::trusted_part(place.store, place.agent.id);
    // not what the file says now: it may have been written since
    const std::string decided = agent::with_members("{}", {{"permissions", permissions.json}});
    store::Transaction transaction(place.store);
    life::trust(place.store, place.agent.id, agent::with_trusted_key(part, "permissions", decided));
    transaction.commit();
}

bool approve_trust(store::Store& store, const Widening& widening, const store::Prompt& decided) {
    const HeldConfiguration held = hold_configuration(store, widening);
    const agent::Directory directory = widening.home.directory(widening.agent.dir);
    const std::string text = agent::configuration_text(directory);
    const std::string before = life::trusted_part(store, widening.agent.id);
    if (life::change_hash(agent::trust_changes(before, text)) != decided.arguments_hash)
        throw Error(ErrorCode::no_prompt, "prompt " + decided.id + ": agent.json has changed since",
                    "chorus-config trust " + widening.agent.name + " shows the changes and asks");
    const std::string what = directory.configuration();
    (void)agent::resolve_profile(agent::parse_configuration(text, what).permissions, held.home,
                                 what);
    const std::string part = agent::trust_part(text);
    life::check_grant(widening.environment, held.home, before, part);
    store::Transaction transaction(store);
    if (!store::decide_prompt(store, decided)) return false;
    life::decide_trust(store, widening.agent, part, text,
                       {widening.actor, place::secrets_of(widening.home, widening.environment)});
    transaction.commit();
    return true;
}

}  // namespace chorus::approval
