#include "chorus-run/here.hpp"

#include "agent/home.hpp"
#include "base/text.hpp"
#include "context/import.hpp"
#include "life/deciders.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "life/reserve.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "sys/file.hpp"

namespace chorus::run_command {
namespace {

void check_before(const place::TurnOptions& options, const agent::Home& home) {
    if (!options.directory.empty() && !sys::is_directory(options.directory))
        throw base::Error(base::ErrorCode::bad_request,
                          "-C: " + base::quoted(options.directory) + ": not a directory");
    if (options.permissions)
        (void)agent::resolve_profile(*options.permissions, agent::load_home_configuration(home),
                                     "--permissions");
}

}  // namespace

void find_agent_here(place::TurnOptions& options, bool may_make, const agent::Home& home,
                     const sys::Environment& environment,
                     const std::function<void(const std::string&)>& warn) {
    const life::Here here = life::find_here(home, environment, "'.'");
    store::Store store = life::open_home(
        home, environment, may_make ? agent::IfMissing::create : agent::IfMissing::refuse,
        agent::groom_in_force(options.groom, environment));
    options.stands_in = here.below;
    const auto present = store::find_agent_of_place(store, here.root);
    if (!may_make || (present && present->status == store::AgentStatus::active)) {
        options.agent = life::agent_here(store, here).name;
        return;
    }
    life::refuse_from_inside(store, environment);
    check_before(options, home);
    life::BirthOptions birth;
    birth.model = options.model;
    birth.decider = {place::actor_text(options.actor, environment),
                     place::secrets_of(home, environment)};
    birth.bring_conversation = context::bring_packed;
    const life::Birth made = life::settle_here(home, store, environment, here, birth);
    options.agent = made.agent.name;
    if (made.existed) return;
    life::keep_reserve(home);
    if (made.adopted) context::remove_packed(home.directory(made.agent.dir));
    warn("agent " + made.agent.name + (made.adopted ? " adopted" : " made") + " for " + here.root +
         ", model " + made.agent.model + ", permissions " + made.agent.permissions);
}

}  // namespace chorus::run_command
