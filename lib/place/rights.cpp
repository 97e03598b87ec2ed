#include "place/rights.hpp"

#include <algorithm>
#include <set>

#include "agent/configuration.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "life/trust.hpp"
#include "tools/self_edit.hpp"

namespace chorus::place {
namespace {

using chat::Json;
using sys::SandboxMode;

bool is_among(const std::vector<agent::TrustChange>& changes, std::string_view key) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const agent::TrustChange& change) { return change.key == key; });
}

Json rules_json(const std::vector<policy::Rule>& rules) {
    Json list = Json::array();
    for (const policy::Rule& rule : rules)
        list.push_back(rule.shell ? Json{{"pattern", rule.pattern}, {"shell", true}}
                                  : Json(rule.pattern));
    return list;
}

constexpr const char* limits_key = "limits.permissions";

struct Source {
    const agent::Permissions* permissions;
    const char* file;
    const char* key = "permissions";
};

// Returns the permissions that decide; the strictest wins. The name of the first is shown to
// people.
std::vector<Source> sources_of(const InForce& in_force, const agent::HomeConfiguration& home) {
    std::vector<Source> sources;
    if (in_force.for_turn) sources.push_back({&*in_force.for_turn, "--permissions"});
    if (!in_force.for_turn || in_force.is_shared) {
        sources.push_back({&in_force.configuration.permissions, "agent.json"});
        if (in_force.also) sources.push_back({&*in_force.also, "agent.json"});
    }
    for (const agent::Permissions& bound : in_force.bounds)
        sources.push_back({&bound, "preset.md"});
    if (home.limits.permissions)
        sources.push_back({&*home.limits.permissions, "config.json", limits_key});
    return sources;
}

// An unknown mode counts as the strictest.
SandboxMode sandbox_of(const Json& rights) {
    return sys::sandbox_modes.find(chat::string_or(rights, "sandbox"))
        .value_or(SandboxMode::workspace);
}

agent::Permissions in_full(const char* name, policy::ProfileText text) {
    agent::Permissions permissions;
    permissions.name = name;
    permissions.custom = std::move(text);
    return permissions;
}

// Everything but these tools is denied.
agent::Permissions only(const std::vector<std::string>& names) {
    policy::ProfileText text;
    for (const std::string& name : names)
        text.allow.push_back({tools::action_pattern(*tools::find_tool(name))});
    return in_full("tools of preset.md", std::move(text));
}

// Denies what no sub-agent does: its work is between it and the agent above. git's tools would show
// and change files beside its paths.
agent::Permissions without_more(const agent::PathLists& paths) {
    const sys::PathRules rules{paths.read, paths.write, paths.deny};
    policy::ProfileText text{.base = "open", .deny = {{"tool:self_edit:[\\s\\S]*"}}};
    for (const char* name : {"list_agents", "read_agent_docs", "send_to_agent"})
        text.deny.push_back({tools::action_pattern(*tools::find_tool(name))});
    for (const char* name : {"branch", "checkout", "commit", "diff", "init", "status"})
        text.deny.push_back({"tool:git:" + std::string(name) + "[\\s\\S]*"});
    if (!rules.shows_history()) text.deny.push_back({"tool:git:[\\s\\S]*"});
    return in_full("every sub-agent", std::move(text));
}

InForce sub_agent_in_force(store::Store& store, const store::Agent& agent,
                           const agent::Directory& directory,
                           const agent::HomeConfiguration& home) {
    InForce in_force;
    in_force.file = agent::configuration_text(directory);
    const std::string path = directory.configuration();
    const agent::Preset preset = agent::parse_preset(in_force.file, path);
    check_tools(preset);
    in_force.configuration = agent::configuration_of(preset);
    in_force.configuration.text = in_force.file;
    if (preset.tools) in_force.bounds.push_back(only(*preset.tools));
    in_force.bounds.push_back(without_more(preset.paths));
    if (preset.confirm_calls)
        in_force.bounds.push_back(
            in_full("confirm-tool-calls of preset.md", {.ask = {{"[\\s\\S]*"}}}));

    const auto parent = store::find_agent(store, agent.parent_id);
    if (!parent)
        throw base::Error(base::ErrorCode::config_invalid,
                          "sub-agent '" + agent.name + "': its agent is gone");
    const agent::Home paths(
        directory.path().substr(0, directory.path().size() - agent.dir.size() - 1));
    InForce above = configuration_in_force(store, *parent, paths.directory(parent->dir), home);
    const agent::Configuration& its = above.configuration;
    if (!preset.permissions) in_force.configuration.permissions = its.permissions;
    in_force.bounds.push_back(its.permissions);
    if (above.also) in_force.bounds.push_back(*above.also);
    for (agent::Permissions& bound : above.bounds) in_force.bounds.push_back(std::move(bound));
    in_force.configuration.shared.sandbox = its.shared.sandbox;
    in_force.above.push_back({parent->id, agent.parent_turn, its.shared.budget});
    for (AgentAbove& one : above.above) in_force.above.push_back(std::move(one));
    return in_force;
}

}  // namespace

agent::Permissions without_traces() {
    policy::ProfileText text{.base = "open"};
    for (const char* name : {"spawn_agent", "artifact_create", "artifact_append"})
        text.deny.push_back({tools::action_pattern(*tools::find_tool(name))});
    return in_full("--ephemeral", std::move(text));
}

void check_tools(const agent::Preset& preset) {
    std::vector<std::string> unknown;
    for (const std::string& name : preset.tools.value_or(std::vector<std::string>()))
        if (tools::find_tool(name) == nullptr) unknown.push_back(base::visible(name));
    if (unknown.empty()) return;
    std::vector<std::string> known;
    for (const tools::Tool& tool : tools::registry()) known.emplace_back(tool.name);
    throw base::Error(base::ErrorCode::config_invalid,
                      preset.tools_place + ": tools: there is no " + base::join(unknown, ", no "),
                      "there are " + base::join(known, ", "));
}

std::optional<agent::Permissions> permissions_of_turn(const store::Turn& turn) {
    const Json options = chat::parse_json(store::options_json(turn), "turn options");
    const auto found = options.find("permissions");
    if (found == options.end()) return std::nullopt;
    return agent::parse_permissions(chat::dump(*found), "permissions of the turn");
}

InForce configuration_in_force(store::Store& store, const store::Agent& agent,
                               const agent::Directory& directory,
                               const agent::HomeConfiguration& home) {
    if (directory.is_of_sub_agent()) return sub_agent_in_force(store, agent, directory, home);
    InForce in_force{
        {}, life::trusted_part(store, agent.id), agent::load_configuration(directory), {}};
    in_force.file = in_force.configuration.text;
    const std::string& part = in_force.part;
    if (part.empty() || part == in_force.configuration.trust_part) return in_force;
    in_force.untrusted = agent::trust_changes(part, in_force.configuration.text);
    if (in_force.untrusted.empty()) return in_force;

    agent::Configuration file = std::move(in_force.configuration);
    in_force.configuration = agent::parse_configuration(agent::with_trust_part(file.text, part),
                                                        directory.configuration());
    if (is_among(in_force.untrusted, "permissions")) in_force.also = file.permissions;
    if (is_among(in_force.untrusted, "sandbox")) {
        const auto general = home.shared.sandbox.value_or(SandboxMode::workspace);
        auto& own = in_force.configuration.shared.sandbox;
        own = sys::strictest(own.value_or(general), file.shared.sandbox.value_or(general));
    }
    return in_force;
}

Rights rights_of(const InForce& in_force, const agent::HomeConfiguration& home,
                 SandboxMode sandbox) {
    const std::vector<Source> sources = sources_of(in_force, home);
    Rights rights{sources.front().permissions->name,
                  agent::profile_text(in_force.configuration.permissions, home),
                  {},
                  sandbox};
    for (const Source& source : sources) {
        // reasons name the key, which says where to change it
        const bool is_limit = std::string_view(source.key) == limits_key;
        rights.profiles.push_back(agent::resolve_profile(
            is_limit ? in_full(limits_key, agent::profile_text(*source.permissions, home))
                     : *source.permissions,
            home, source.file, source.key));
    }
    rights.configured = rights.profiles.size();
    return rights;
}

std::string Rights::fingerprint() const {
    std::string all(sys::name(sandbox));
    for (std::size_t i = 0; i < configured; ++i) all += " " + profiles[i].fingerprint();
    return base::sha256_hex(all);
}

std::string profile_json(const policy::ProfileText& text) {
    Json object = Json::object();
    if (!text.base.empty()) object["base"] = text.base;
    if (!text.deny.empty()) object["deny"] = rules_json(text.deny);
    if (!text.allow.empty()) object["allow"] = rules_json(text.allow);
    if (!text.ask.empty()) object["ask"] = rules_json(text.ask);
    return chat::dump(object);
}

std::string rights_text(const InForce& in_force, const agent::HomeConfiguration& home,
                        SandboxMode sandbox, const std::vector<std::string>& joined) {
    std::set<std::string> profiles;
    for (const Source& source : sources_of(in_force, home))
        profiles.insert(profile_json(agent::profile_text(*source.permissions, home)));
    for (const std::string& text : joined) {
        const Json rights = chat::parse_json(text, "rights");
        for (const Json& profile : rights.at("profiles")) profiles.insert(chat::dump(profile));
        sandbox = sys::strictest(sandbox, sandbox_of(rights));
    }
    chat::JsonText out;
    out.begin_object().key("sandbox").string(sys::name(sandbox)).key("profiles").begin_array();
    for (const std::string& profile : profiles) out.raw(profile);
    return out.end_array().end_object().take();
}

void join_rights(const std::string& text, const char* name, const agent::HomeConfiguration& home,
                 Rights& rights, SandboxMode& sandbox) {
    const Json stored = chat::parse_json(text, "rights");
    for (const Json& profile : stored.at("profiles")) {
        agent::Permissions bound = agent::parse_permissions(chat::dump(profile), "rights");
        bound.name = name;
        rights.profiles.push_back(agent::resolve_profile(bound, home, "rights"));
    }
    sandbox = sys::strictest(sandbox, sandbox_of(stored));
}

std::optional<agent::Permissions> wanted_profile(std::string_view tool,
                                                 const tools::Arguments& arguments) {
    if (tool != "self_edit_permissions") return std::nullopt;
    try {
        return tools::wanted_permissions(arguments);
    } catch (const base::Error&) {
        return std::nullopt;
    }
}

std::string profile_problem(std::string_view tool, const tools::Arguments& arguments,
                            const agent::HomeConfiguration& home) {
    if (tool != "self_edit_permissions") return {};
    try {
        (void)agent::resolve_profile(tools::wanted_permissions(arguments), home, "new_profile");
        return {};
    } catch (const base::Error& error) {
        return std::string(tool) + ": " + error.message() +
               (error.hint().empty() ? "" : "\n" + error.hint());
    }
}

}  // namespace chorus::place
