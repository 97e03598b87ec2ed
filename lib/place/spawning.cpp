#include "place/spawning.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "context/import.hpp"
#include "life/child_adoption.hpp"
#include "life/deciders.hpp"
#include "life/known_models.hpp"
#include "life/named_path.hpp"
#include "place/in_force.hpp"
#include "place/place.hpp"
#include "place/rights.hpp"
#include "place/secrets.hpp"
#include "sys/file.hpp"

namespace chorus::place {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t title_bytes = 200;

// The beginning of the prompt's first line with words in it.
std::string title_of(const TurnOptions& options) {
    for (const std::string* text : {&options.prompt, &options.stdin_text})
        for (const std::string_view line : base::split_lines(*text))
            if (const std::string_view words = base::trim(line); !words.empty())
                return std::string(base::utf8_prefix(words, title_bytes));
    return {};
}

life::ChildAdoption adoption_with(const agent::Home& home, const sys::Environment& environment,
                                  bool is_trusted) {
    return {context::has_message,
            [secrets = secrets_of(home, environment)](
                store::Store& store, const agent::Directory& directory, const store::Agent& child) {
                return context::bring_transcript(store, directory, child, secrets);
            },
            is_trusted};
}

// Returns the path of the directory, relative to the home; "" if it is elsewhere.
std::string place_of(const std::string& given, const agent::Home& home) {
    std::string path = given;
    if (path.ends_with("/session.md")) path.resize(path.rfind('/'));
    const std::string below = sys::real_path(home.path()) + "/";
    const std::string real = sys::is_directory(path) ? sys::real_path(path) : "";
    return real.starts_with(below) ? real.substr(below.size()) : "";
}

Error no_sub_agent(const std::string& given, const store::Agent& agent) {
    return {
        ErrorCode::not_found,
        "--subagent: " + base::quoted(given) + ": not a sub-agent of agent '" + agent.name + "'",
        "name its directory, its session.md, or its id"};
}

// Another agent's conversation does not become this one's by naming its directory.
void refuse_other(const std::string& given, const std::string& place, const store::Agent& agent) {
    if (!place.starts_with("agents/")) return;
    const auto parts = base::split(place, '/');
    Error error = no_sub_agent(given, agent);
    throw Error(error.code(), error.message(),
                "it is one of agent '" + std::string(parts[1]) + "': chorus-run " +
                    std::string(parts[1]) + " --subagent " + std::string(parts.back()));
}

}  // namespace

store::Agent spawn_sub_agent(store::Store& store, const store::Agent& parent,
                             const life::SpawnOptions& wanted, const TurnOptions& options,
                             const sys::Environment& environment, const agent::Home& home) {
    const std::string path = agent::require_preset(home, wanted.preset);
    const agent::Preset preset = agent::load_preset(path);
    check_tools(preset);
    const agent::HomeConfiguration general = agent::load_home_configuration(home);
    if (options.permissions)
        (void)agent::resolve_profile(*options.permissions, general, "--permissions");
    if (preset.permissions) (void)agent::resolve_profile(*preset.permissions, general, path);
    (void)resolve_settings(options, environment, agent::configuration_of(preset), general,
                           life::load_catalog(store, home), home);
    return life::spawn(home, store, parent, wanted);
}

std::string spawn_for_user(life::SpawnOptions wanted, TurnOptions& options,
                           const Surroundings& surroundings) {
    FoundAgent found = find_agent(options, surroundings);
    life::refuse_from_inside(found.store, surroundings.environment);
    wanted.description = title_of(options);
    wanted.place = found.agent.place;
    if (!options.directory.empty())
        wanted.place = root_for(found.store, found.agent, wanted_by(options, found.agent),
                                surroundings.home, surroundings.environment)
                           .path();
    const store::Agent made = spawn_sub_agent(found.store, found.agent, wanted, options,
                                              surroundings.environment, surroundings.home);
    options.agent = made.dir;
    options.directory.clear();
    return made.name;
}

life::AdoptedChildren adopt_sub_agents(store::Store& store, const store::Agent& agent,
                                       const agent::Home& home, const sys::Environment& environment,
                                       bool is_trusted) {
    return life::adopt_children(home, store, agent, adoption_with(home, environment, is_trusted));
}

void choose_sub_agent(const std::string& given, TurnOptions& options,
                      const Surroundings& surroundings, IfUnknown if_unknown) {
    FoundAgent found = find_agent(options, surroundings);
    const agent::Home& home = surroundings.home;
    const bool is_path = given.find_first_of("/.") != std::string::npos;  // no id has these
    const std::string real = is_path ? place_of(given, home) : "";
    const auto known = [&]() -> std::optional<store::Agent> {
        return is_path ? store::find_child(found.store, real)
                       : life::find_sub_agent(home, found.store, found.agent, given);
    };
    auto child = known();
    if (child && child->status == store::AgentStatus::creating) child.reset();  // of a killed one
    if (!child && if_unknown == IfUnknown::refuse && is_path)
        throw Error(
            ErrorCode::bad_request,
            "--subagent: " + base::quoted(given) + ": not entered yet, which --dry-run does not do",
            "without --dry-run it is entered first");
    if (!child && if_unknown == IfUnknown::enter) {
        life::refuse_from_inside(found.store, surroundings.environment);
        if (is_path && !real.starts_with(found.agent.dir + "/")) {
            refuse_other(given, real, found.agent);
            const life::AdoptedChild copied =
                life::adopt_copy(home, found.store, found.agent, given,
                                 adoption_with(home, surroundings.environment, false));
            child = copied.agent;
            surroundings.warn("sub-agent " + child->name + ": " +
                              base::counted(static_cast<std::int64_t>(copied.messages), "message"));
        } else {
            for (const std::string& problem :
                 adopt_sub_agents(found.store, found.agent, home, surroundings.environment, false)
                     .problems)
                surroundings.warn(problem);
            child = known();
        }
    }
    if (!child && !is_path) child = life::require_sub_agent(home, found.store, found.agent, given);
    const auto is_agent = [&](const store::Agent& above) { return above.id == found.agent.id; };
    const std::vector<store::Agent> above =
        child ? life::ancestors_of(found.store, *child) : std::vector<store::Agent>();
    if (std::any_of(above.begin(), above.end(), is_agent)) {
        options.agent = child->dir;
        return;
    }
    if (child) refuse_other(given, child->dir, found.agent);
    throw no_sub_agent(given, found.agent);
}

}  // namespace chorus::place
