#include "turn/rights.hpp"

#include <algorithm>

#include "agent/profile_text.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "life/trust.hpp"
#include "tools/self_edit.hpp"

namespace chorus::turn {
namespace {

using sys::SandboxMode;

bool is_among(const std::vector<agent::TrustChange>& changes, std::string_view key) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const agent::TrustChange& change) { return change.key == key; });
}

}  // namespace

InForce configuration_in_force(store::Store& store, const store::Agent& agent,
                               const agent::Directory& directory,
                               const agent::HomeConfiguration& home) {
    InForce in_force{
        {}, life::trusted_part(store, agent.id), agent::load_configuration(directory), {}, {}};
    in_force.file = in_force.configuration.text;
    const std::string& part = in_force.part;
    if (part.empty()) return in_force;
    in_force.untrusted = agent::trust_changes(part, in_force.configuration.text);
    if (in_force.untrusted.empty()) return in_force;

    agent::Configuration file = std::move(in_force.configuration);
    in_force.configuration = agent::parse_configuration(agent::with_trust_part(file.text, part),
                                                        directory.configuration());
    if (is_among(in_force.untrusted, "permissions")) in_force.also = file.permissions;
    if (is_among(in_force.untrusted, "sandbox")) {
        const auto general = home.shared.sandbox.value_or(SandboxMode::workspace);
        // workspace, workspace+net, off: in this order
        auto& own = in_force.configuration.shared.sandbox;
        own = std::min(own.value_or(general), file.shared.sandbox.value_or(general));
    }
    return in_force;
}

Rights rights_of(const InForce& in_force, const agent::HomeConfiguration& home,
                 SandboxMode sandbox) {
    const agent::Permissions& own = in_force.configuration.permissions;
    Rights rights{own.name, agent::profile_text(own, home), {}, {}};
    rights.profiles.push_back(agent::resolve_profile(own, home, "agent.json"));
    if (in_force.also)
        rights.profiles.push_back(agent::resolve_profile(*in_force.also, home, "agent.json"));
    if (home.limits.permissions)
        rights.profiles.push_back(agent::resolve_profile(*home.limits.permissions, home,
                                                         "config.json", "limits.permissions"));
    std::string all(sys::name(sandbox));
    for (const policy::Profile& profile : rights.profiles) all += " " + profile.fingerprint();
    rights.fingerprint = base::sha256_hex(all);
    return rights;
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

}  // namespace chorus::turn
