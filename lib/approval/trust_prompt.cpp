#include "approval/trust_prompt.hpp"

#include <unistd.h>

#include "agent/profile_text.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "life/deciders.hpp"
#include "life/trust.hpp"
#include "place/rights.hpp"
#include "place/secrets.hpp"
#include "policy/grants.hpp"
#include "sys/lock.hpp"
#include "sys/person.hpp"

namespace chorus::approval {
namespace {

constexpr std::int64_t edit_wait_ms = 1'000;

std::string keys_of(const std::vector<agent::TrustChange>& changes) {
    std::vector<std::string> keys;
    for (const agent::TrustChange& change : changes) keys.push_back(change.key);
    return base::join(keys, ", ");
}

// The lock is held by every process that edits agent.json and its trusted part.
std::vector<agent::TrustChange> settled_changes(place::Place& place) {
    const auto lock = sys::Lock::acquire(place.surroundings.home.configuration_lock(place.agent.id),
                                         sys::Lock::Mode::shared, edit_wait_ms);
    return place::configuration_in_force(place.store, place.agent, place.directory,
                                         place.home_configuration)
        .untrusted;
}

}  // namespace

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
    if (!problem.empty())
        throw base::Error(base::ErrorCode::forbidden, "--permissions: " + problem);
}

void ask_for_trust(place::Place& place, const std::vector<agent::TrustChange>& seen) {
    if (seen.empty()) return;
    const auto untrusted = settled_changes(place);
    if (untrusted.empty()) return;
    const std::string what =
        "agent.json: not in force until a person approves it: " + keys_of(untrusted);
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

bool approve_trust(store::Store& store, const Widening& given, const store::Prompt& decided) {
    const HeldConfiguration held = hold_configuration(store, given);
    const Widening widening{given.home,  given.environment, held.home,
                            given.agent, given.actor,       given.turn};
    const agent::Directory directory(widening.home.path() + "/" + widening.agent.dir);
    const std::string text = agent::configuration_text(directory);
    const std::string before = life::trusted_part(store, widening.agent.id);
    if (life::change_hash(agent::trust_changes(before, text)) != decided.arguments_hash)
        throw base::Error(
            base::ErrorCode::no_prompt, "prompt " + decided.id + ": agent.json has changed since",
            "chorus-config trust " + widening.agent.name + " shows the changes and asks");
    const std::string what = directory.configuration();
    (void)agent::resolve_profile(agent::parse_configuration(text, what).permissions,
                                 widening.configuration, what);
    const std::string part = agent::trust_part(text);
    life::check_grant(widening.environment, widening.configuration, before, part);
    store::Transaction transaction(store);
    if (!store::decide_prompt(store, decided)) return false;
    life::decide_trust(store, widening.agent, part, text,
                       {static_cast<std::int64_t>(getuid()), widening.actor,
                        place::secrets_of(widening.home, widening.environment)});
    transaction.commit();
    return true;
}

}  // namespace chorus::approval
