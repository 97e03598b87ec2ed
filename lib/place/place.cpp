#include "place/place.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "base/text.hpp"
#include "context/find_thread.hpp"
#include "life/child_adoption.hpp"
#include "life/children.hpp"
#include "life/credentials.hpp"
#include "life/find_agent.hpp"
#include "life/known_models.hpp"
#include "life/named_path.hpp"
#include "life/opening.hpp"
#include "life/trust.hpp"
#include "place/secrets.hpp"
#include "place/waiting.hpp"
#include "store/gate.hpp"
#include "store/records.hpp"
#include "sys/file.hpp"

namespace chorus::place {
namespace {

using base::Error;
using base::ErrorCode;

// Checks the directory of -C or of the agent.
std::string checked_directory(store::Store& store, const store::Agent& agent,
                              const WantedDirectory& wanted, const agent::Home& home,
                              const sys::Environment& environment) {
    const bool is_sub_agent = agent.parent_id != 0;
    const std::string what = wanted.is_given ? "-C"
                             : is_sub_agent  ? "the directory of the sub-agent"
                                             : "the directory of the agent";
    if (!sys::is_directory(wanted.path))
        throw Error(
            ErrorCode::bad_request, what + ": " + base::quoted(wanted.path) + ": not a directory",
            wanted.is_given ? ""
            : is_sub_agent  ? "if it was moved, move it back: a sub-agent works where it began"
                            : "if it was moved: chorus-init --here NAME --exist-ok in the new "
                              "directory");
    const std::string path = life::named_path(
        store, home, ErrorCode::bad_request, what,
        (wanted.path.starts_with('/') ? "" : sys::real_path(".") + "/") + wanted.path);
    life::check_place(home, environment, what, path);
    if (!wanted.is_given) life::refuse_shared(path, what);
    return path;
}

std::string literal_glob(std::string_view path) {
    std::string glob;
    for (const char c : path) {
        if (base::is_one_of(c, "*?[\\")) glob += '\\';
        glob += c;
    }
    return glob;
}

// A file with a key that lies in the workspace is as good as not there.
void hide_keys(const agent::Home& home, sys::Root& root) {
    sys::PathRules rules;
    for (const life::Credential& credential : life::load_credentials(home)) {
        if (credential.source != life::KeySource::key_file) continue;
        for (const std::string& path :
             std::array{credential.value,
                        sys::exists(credential.value) ? sys::real_path(credential.value) : ""})
            if (path.starts_with(root.path() + "/"))
                rules.deny.push_back(literal_glob(path.substr(root.path().size() + 1)));
    }
    if (!rules.deny.empty()) root.limit(std::move(rules));
}

// Hides files with keys, and of a sub-agent what its paths leave out.
void limit(store::Store& store, const agent::Home& home, const store::Agent& agent,
           sys::Root& root) {
    hide_keys(home, root);
    if (agent.parent_id == 0) return;
    for (sys::PathRules& rules : life::path_rules_of(home, store, agent, root.path()))
        root.limit(std::move(rules));
}

}  // namespace

bool has_answered(const store::Turn& turn) {
    return turn.ended_at != 0 && turn.state == store::TurnState::idle && !turn.result.empty();
}

InForce in_force_for(Place& place) {
    InForce in_force =
        configuration_in_force(place.store, place.agent, place.directory, place.home_configuration);
    in_force.for_turn = place.options.permissions;
    in_force.is_shared = place.is_shared;
    if (place.options.ephemeral) in_force.bounds.push_back(without_traces());
    return in_force;
}

Loaded load(Place& place) {
    const store::ReadTransaction all_at_once(place.store);
    const Surroundings& surroundings = place.surroundings;
    Loaded loaded{in_force_for(place), {}, {}, place.joined_rights};
    if (!place.agent.rights.empty()) loaded.joined.push_back(place.agent.rights);
    agent::Configuration& configuration = loaded.configuration;
    loaded.settings = resolve_settings(place.options, surroundings.environment, configuration,
                                       place.home_configuration, place.catalog, surroundings.home);
    bound_by_those_above(loaded.settings, place.store, loaded.above, place.home_configuration,
                         place.catalog);
    add_secrets(place.redaction, surroundings.environment, configuration.shared.environment);
    add_sent_secrets(place.redaction, loaded.settings.endpoint);
    const auto redact = [&place](std::string_view text) { return place.redaction.apply(text); };
    if (place.options.replay)
        place.options.replay->attach(loaded.settings.endpoint, place.options.strict, redact);
    else if (place.options.recorder)
        place.options.recorder->attach(loaded.settings.endpoint, loaded.settings.model, redact);
    configuration.system_prompt = place.redaction.apply(configuration.system_prompt);
    loaded.rights = rights_of(loaded, place.home_configuration, loaded.settings.sandbox);
    for (const std::string& text : loaded.joined)
        join_rights(text, text == place.agent.rights ? "agent above" : "sender of a message",
                    place.home_configuration, loaded.rights, loaded.settings.sandbox);
    place.has_channel = !configuration.channel_id.empty();
    return loaded;
}

bool is_current(Place& place, const Loaded& loaded) {
    // what is above a sub-agent may have changed too
    return !place.directory.is_of_sub_agent() && loaded.joined == place.joined_rights &&
           loaded.is_shared == place.is_shared &&
           agent::configuration_text(place.directory) == loaded.file &&
           life::trusted_part(place.store, place.agent.id) == loaded.part;
}

Keys keys_for(Place& place) {
    const sys::Environment& environment = place.surroundings.environment;
    return {place.store, place.surroundings.home,
            rotation_in_force(place.options.profile_mode, place.home_configuration, environment),
            environment, place.redaction};
}

std::optional<sys::Root> root_of(store::Store& store, const agent::Home& home,
                                 const store::Agent& agent, const store::Turn& turn) {
    const std::string own = home.directory(agent.dir).workspace();
    std::optional<sys::Root> root;
    if (!turn.working_directory.empty())
        root = sys::Root::find(turn.working_directory);
    else if (sys::is_directory(own))
        root = sys::Root::find(sys::real_path(own));
    if (root) limit(store, home, agent, *root);
    return root;
}

std::string giving_up(const Place& place, store::ThreadId thread) {
    return "chorus-run " + place.agent.name + " -t " + std::to_string(thread) +
           " --cancel-prompts MESSAGE gives up the turn";
}

WantedDirectory wanted_by(const TurnOptions& options, const store::Agent& agent) {
    if (options.directory.empty()) return {agent.place, false};
    return {options.directory};
}

sys::Root root_for(store::Store& store, const store::Agent& agent, const WantedDirectory& wanted,
                   const agent::Home& home, const sys::Environment& environment) {
    const agent::Directory directory = home.directory(agent.dir);
    // files in the home stay private
    const unsigned mask = wanted.path.empty() ? sys::private_umask : sys::caller_umask();
    if (wanted.path.empty() && !sys::exists(directory.workspace()))
        throw Error(ErrorCode::failed, directory.workspace() + ": no such directory",
                    directory.is_of_sub_agent()
                        ? "chorus-destroy " + agent.name + " --yes"
                        : "chorus-config doctor --fix creates an empty one");
    const std::string path = wanted.path.empty()
                                 ? sys::real_path(directory.workspace())
                                 : checked_directory(store, agent, wanted, home, environment);
    auto root = sys::Root::find(path, "the workspace", mask);
    if (!root && errno != ELOOP && errno != ENOTDIR)
        throw Error(ErrorCode::bad_request, "-C: " + base::system_error(path).message());
    if (!root) throw Error(ErrorCode::bad_request, path + ": a link leads elsewhere now");
    limit(store, home, agent, *root);
    return std::move(*root);
}

void confine(sys::Sandbox& sandbox, const sys::Root& root) {
    sandbox.rules = root.limits();
    if (sandbox.mode == sys::SandboxMode::workspace ||
        sandbox.mode == sys::SandboxMode::workspace_net) {
        // mounted over once
        std::erase_if(sandbox.masked, [&](const std::string& path) {
            const std::string inside = root.canonical(path);
            return !inside.empty() &&
                   std::any_of(sandbox.rules.begin(), sandbox.rules.end(), [&](const auto& one) {
                       return one.only_denies() && !one.why_not_read(inside).empty();
                   });
        });
        return;
    }
    std::erase_if(sandbox.rules, [](const sys::PathRules& one) { return one.only_denies(); });
}

sys::Root root_of_turn(Place& place) {
    const std::string& path = place.options.directory;
    std::string why = "the turn's directory no longer exists";
    if (path.empty() || sys::is_directory(path)) {
        sys::Root root = root_for(place.store, place.agent, {path}, place.surroundings.home,
                                  place.surroundings.environment);
        if (path.empty() || root.path() == path) return root;
        why = "a link leads elsewhere now";
    }
    throw Error(ErrorCode::bad_request, "-C: " + base::quoted(path) + ": " + why,
                "create it again, or " + giving_up(place, place.thread.id));
}

FoundAgent find_agent(const TurnOptions& options, const Surroundings& surroundings) {
    store::Store store =
        life::open_home(surroundings.home, surroundings.environment, agent::IfMissing::refuse,
                        agent::groom_in_force(options.groom, surroundings.environment));
    // Other writers of the database are waited for as long as the agent; without --wait, as long as
    // the store's default, because they write only briefly.
    store.set_patience(options.wait_ms == 0 ? store::longest_wait_ms : options.wait_ms,
                       until_it_may_begin(options, surroundings));
    store::Agent agent = life::require_agent(surroundings.home, store, options.agent);
    return {std::move(store), std::move(agent)};
}

void hold_if_free(FoundAgent& found, const Surroundings& surroundings) {
    auto held =
        life::try_hold_agent(surroundings.home, found.store, found.agent, sys::Lock::Mode::shared);
    if (!held) return;
    found.agent = std::move(held->agent);
    found.lock = std::move(held->lock);
}

Place open_place(FoundAgent& found, const TurnOptions& options, const Surroundings& surroundings) {
    const agent::Home& home = surroundings.home;
    const agent::Directory directory = home.directory(found.agent.dir);
    if (directory.is_of_sub_agent() && (options.new_thread || !options.directory.empty()))
        throw Error(ErrorCode::bad_request,
                    "sub-agent '" + found.agent.name + "': it has one " +
                        (options.directory.empty() ? "thread" : "directory to work in"),
                    std::string("leave out ") + (!options.directory.empty() ? "-C"
                                                 : options.ephemeral        ? "--ephemeral"
                                                                            : "--new-thread"));
    if (directory.is_of_sub_agent()) {
        life::require_trusted_preset(home, found.store, found.agent);
        if (sys::is_link(directory.work()))
            throw Error(ErrorCode::config_invalid, directory.work() + ": a link, not its clone",
                        "replace the link by its target");
    }
    auto home_configuration = agent::load_home_configuration(home);
    model::Catalog catalog = life::load_catalog(found.store, home);
    sys::Root root = root_for(found.store, found.agent, wanted_by(options, found.agent), home,
                              surroundings.environment);
    const store::Thread thread =
        context::require_thread(found.store, found.agent, directory, options.thread);
    auto redaction =
        secrets_of(home, surroundings.environment, home_configuration.shared.environment);
    if (redaction.holds_active(options.idempotency_key))
        throw Error(ErrorCode::bad_request, "--idempotency-key: it holds a key");
    if (redaction.holds_active(options.json_schema))
        throw Error(ErrorCode::bad_request, "--json-schema: it holds a key");
    return {.surroundings = surroundings,
            .options = options,
            .store = std::move(found.store),
            .agent = found.agent,
            .thread = thread,
            .directory = directory,
            .home_configuration = std::move(home_configuration),
            .catalog = std::move(catalog),
            .root = std::move(root),
            .redaction = std::move(redaction),
            .agent_lock = std::move(found.lock)};
}

Place open_place(const TurnOptions& options, const Surroundings& surroundings) {
    FoundAgent found = find_agent(options, surroundings);
    return open_place(found, options, surroundings);
}

life::CheckpointSite checkpoint_site(Place& place, const std::function<bool()>& stop) {
    return {.home = place.surroundings.home,
            .store = place.store,
            .agent = place.agent,
            .directory = place.directory,
            .most_bytes = place.home_configuration.limits.checkpoint_bytes,
            .warn = place.surroundings.warn,
            .stop = stop};
}

void keep_for_channel(Place& place, store::TurnId turn, const std::string& text) {
    if (!place.has_channel || place.options.ephemeral) return;
    place.newest_post =
        store::insert_outbox(place.store, place.agent.id, turn, place.redaction.apply(text));
}

}  // namespace chorus::place
