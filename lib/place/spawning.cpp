#include "place/spawning.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "life/deciders.hpp"
#include "life/known_models.hpp"
#include "life/named_path.hpp"
#include "place/in_force.hpp"
#include "place/place.hpp"
#include "place/rights.hpp"
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

}  // namespace

store::Agent spawn_sub_agent(store::Store& store, const store::Agent& parent,
                             const life::SpawnOptions& wanted, const TurnOptions& options,
                             const sys::Environment& environment, const agent::Home& home) {
    const std::string path = agent::require_preset(home, wanted.preset);
    const agent::Preset preset = agent::load_preset(path);
    check_tools(preset, path);
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

void choose_sub_agent(const std::string& given, TurnOptions& options,
                      const Surroundings& surroundings) {
    FoundAgent found = find_agent(options, surroundings);
    if (given.find('/') == std::string::npos) {
        options.agent = life::require_sub_agent(found.store, found.agent, given).dir;
        return;
    }
    std::string path = given;
    if (path.ends_with("/session.md")) path.resize(path.rfind('/'));
    const std::string home = sys::real_path(surroundings.home.path()) + "/";
    const std::string real = sys::is_directory(path) ? sys::real_path(path) : "";
    const std::string below = home + found.agent.dir + "/";
    const auto child = real.starts_with(below)
                           ? store::find_child(found.store, real.substr(home.size()))
                           : std::nullopt;
    if (!child)
        throw Error(ErrorCode::not_found,
                    "--subagent: " + base::quoted(given) + ": not a sub-agent of agent '" +
                        found.agent.name + "'",
                    "name its directory, its session.md, or its id");
    options.agent = child->dir;
}

}  // namespace chorus::place
