#include "place/agent_tasks.hpp"

#include "base/error.hpp"
#include "life/deciders.hpp"
#include "place/place.hpp"
#include "place/rights.hpp"
#include "place/secrets.hpp"
#include "place/shutdown.hpp"
#include "store/records.hpp"
#include "sys/file.hpp"

namespace chorus::place {
namespace {

// Records the command as allowed by the person who typed it.
void audit(store::Store& store, const store::Agent& agent, const HandOrder& order,
           const sys::Environment& environment) {
    store::Transaction transaction(store);
    store::append_audit(store, agent,
                        {.action = policy::Redaction().apply("tool:bash:" + order.command),
                         .decision = "allow",
                         .actor = actor_text(order.actor, environment),
                         .detail = "chorus-tasks run"});
    transaction.commit();
}

}  // namespace

task::Site task_site(store::Store& store, const agent::Home& home, const store::Agent& agent) {
    return {home, home.directory(agent.dir), store, agent.id};
}

std::vector<store::Task> settle_tasks(Place& place, const std::string& text) {
    const task::Site site = task_site(place.store, place.surroundings.home, place.agent);
    auto running = task::settle(site, [&](const store::Task& lost) {
        place.surroundings.warn(lost.id + ": " + store::outcome(lost) + "; " + lost.note);
    });
    // the usual form, in which this program writes the file; then the file need not be read again
    const bool says_none = text.find(R"("running_tasks": [])") != std::string::npos;
    if (!running.empty() || !says_none) task::mirror(site);
    return running;
}

store::Task start_by_hand(store::Store& store, const store::Agent& agent, const HandOrder& order,
                          const agent::Home& home, const sys::Environment& environment) {
    life::refuse_from_inside(store, environment);
    const task::Site site = task_site(store, home, agent);
    const agent::HomeConfiguration general = agent::load_home_configuration(home);
    const agent::Configuration own =
        configuration_in_force(store, agent, site.directory, general).configuration;
    const auto commands_see = environment_in_force(own, general);
    const policy::Redaction secrets = secrets_of(home, environment, commands_see);
    if (secrets.holds_active(order.command))
        throw base::Error(base::ErrorCode::bad_request, "run: the command holds a key",
                          "write $NAME, and let commands see the variable: chorus-config set "
                          "environment '[\"NAME\"]' -A " +
                              agent.name);
    const sys::Root root = root_for(store, agent, {agent.place, false}, home, environment);
    const std::string& workspace = root.path();
    sys::Sandbox sandbox =
        command_sandbox(store, home, general, agent::sandbox_in_force(own, general), workspace,
                        site.directory, agent.name, environment);
    confine(sandbox, root);
    if (const auto problem = sys::sandbox_problem(sandbox, home.sandbox_state()))
        throw base::Error(problem->code(), "no command can be run: " + problem->message(),
                          problem->hint());
    audit(store, agent, order, environment);
    store::Task about;
    about.command = order.command;
    about.directory = workspace;
    about.actor = actor_text(order.actor, environment);
    about.on_exit = secrets.apply(order.on_exit);
    about.goes_on = order.goes_on;
    about.depth = 1;
    const store::Task task = task::start(
        site,
        {.about = about,
         .environment = sys::scrubbed_environment(environment, agent.name, commands_see),
         .sandbox = sandbox,
         .timeout_ms = 0,
         .grace_ms = shutdown_grace_ms(environment),
         .secrets = secrets.active()},
        environment);
    task::mirror(site);
    return task;
}

}  // namespace chorus::place
