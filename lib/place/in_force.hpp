// What is in force for one turn: option > environment > agent.json > config.json > built-in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "model/model.hpp"
#include "net/http.hpp"
#include "place/rights.hpp"
#include "place/turn_options.hpp"
#include "store/store.hpp"
#include "sys/person.hpp"
#include "sys/sandbox.hpp"

namespace chorus::place {

struct SpendingLimit {
    std::optional<std::int64_t> most = {};  // micro-dollars or tokens
    std::string named = {};                 // the option or key that sets it
};

// These limits say what model calls may use. A day is a local one.
struct SpendingLimits {
    SpendingLimit turn_usd;
    SpendingLimit agent_day_usd;
    SpendingLimit agent_day_tokens;
    SpendingLimit home_day_usd;  // of all agents together
    SpendingLimit home_day_tokens;

    bool has_usd() const { return turn_usd.most || agent_day_usd.most || home_day_usd.most; }
    bool has_days() const {
        return agent_day_usd.most || agent_day_tokens.most || home_day_usd.most ||
               home_day_tokens.most;
    }
};

// These limits hold for an agent and its sub-agents together.
struct SpendingAbove {
    store::AgentId agent = 0;
    store::TurnId turn = 0;  // the open turn whose call spawned the one below; 0: none
    SpendingLimits limits = {};
    SpendingLimit turn_tokens = {};
};

struct Settings {
    std::string model;                // in full
    std::string asked_model = {};     // the same, but for replay/FILE the recorded one
    std::string fallback_model = {};  // in full; "": none, or it is the model now
    model::Endpoint endpoint = {};
    std::int64_t rolling_window_ms = 86'400'000;
    std::int64_t max_iterations = 25;
    std::int64_t max_messages = 0;
    std::int64_t token_budget = 0;  // of the window; 0: no limit
    bool auto_compact = false;
    std::int64_t parallel_tools = 4;
    std::int64_t max_subagents = 4;
    std::int64_t tokens_per_turn = 0;
    SpendingLimits spending = {};
    std::vector<SpendingAbove> spending_above = {};  // of a sub-agent
    std::int64_t max_output_tokens = 0;  // 0: the provider's default
    std::string effort = {};             // likewise ""
    std::optional<double> temperature = {};
    sys::SandboxMode sandbox = sys::SandboxMode::workspace;
    std::vector<std::string> environment_names;
};

// Returns the sandbox for an agent's commands, with the paths and programs of config.json. Throws
// Error(config_invalid) if a path of sandbox_read leads through a link that an agent may have made.
sys::Sandbox command_sandbox(store::Store& store, const agent::Home& paths,
                             const agent::HomeConfiguration& home, sys::SandboxMode mode,
                             const std::string& workspace, const agent::Directory& directory,
                             const std::string& agent_name, const sys::Environment& environment);

// Returns the variables that commands of the agent may see besides those that all may see.
std::vector<std::string> environment_in_force(const agent::Configuration& agent,
                                              const agent::HomeConfiguration& home);

// Error(no_driver) for an unknown model; Error(config_invalid) for a dollar budget without a price.
Settings resolve_settings(const TurnOptions& options, const sys::Environment& environment,
                          const agent::Configuration& agent, const agent::HomeConfiguration& home,
                          const model::Catalog& catalog, const agent::Home& paths);

// Adds the limits of the agents above a sub-agent. Errors as resolve_settings.
void bound_by_those_above(Settings& settings, store::Store& store,
                          const std::vector<AgentAbove>& agents,
                          const agent::HomeConfiguration& home, const model::Catalog& catalog);

// The length of the rolling window, and the time without activity after which idle-save saves (0:
// never). agent.json overrides config.json.
std::int64_t window_in_force_ms(const agent::Shared& own, const agent::Shared& general);
std::int64_t idle_timeout_in_force_ms(const agent::Shared& own, const agent::Shared& general,
                                      const sys::Environment& environment);

// endpoint_for returns how a model is reached, without a key (place/keyring.hpp), or throws
// Error(no_driver) for an unknown provider; transport_for reads the usual proxy and CA variables.
model::Endpoint endpoint_for(const std::string& model, const agent::HomeConfiguration& home,
                             const model::Catalog& catalog, const sys::Environment& environment);
// Throws Error(config_invalid) if config.json says of the provider (of all, if it is empty) what no
// request can be made with, or names one that the catalog does not have.
void check_providers(const agent::HomeConfiguration& home, const model::Catalog& catalog,
                     const std::string& provider = {});
net::Transport transport_for(const sys::Environment& environment, bool plain_http);

// Returns the person whom an actor's text names by uid.
sys::Person person_of(std::string_view actor);
// Returns "uid 1000" (sys::invoking_uid) and, if given, the claimed name in brackets, without keys.
std::string actor_text(const std::string& claimed, const sys::Environment& environment);

}  // namespace chorus::place
