// The verb trim: removes old records that are no longer needed.
#include "life/trim_home.hpp"

#include <iostream>

#include "agent/home.hpp"
#include "chat/dialect.hpp"
#include "chorus-config/call.hpp"
#include "cli/field.hpp"
#include "cli/time_text.hpp"
#include "life/deciders.hpp"
#include "life/find_agent.hpp"
#include "life/opening.hpp"
#include "sys/clock.hpp"
#include "turn/present.hpp"

namespace chorus::config {
namespace {

using base::ExitStatus;

std::vector<store::Agent> agents_of(store::Store& store, const std::string& name) {
    if (name.empty()) return store::all_agents(store);
    life::require_known(store, name);
    return store::list_generations(store, name);
}

void print(const Call& call, const life::TrimReport& report) {
    if (call.json) {
        chat::JsonText out = chat::open_object("trimmed");
        out.key("messages").number(report.rows.messages);
        out.key("events").number(report.rows.events).key("steps").number(report.rows.steps);
        out.key("checkpoints").number(report.checkpoints);
        out.key("locks").number(report.locks).key("freed_bytes").number(report.bytes);
        out.key("dry_run").boolean(call.dry_run);
        std::cout << out.end_object().text() << '\n';
        return;
    }
    std::cout << (call.dry_run ? "would remove " : "removed ")
              << cli::counted(report.rows.messages, "message") << ", "
              << cli::counted(report.rows.events, "event") << ", "
              << cli::counted(report.rows.steps, "step") << ", "
              << cli::counted(report.checkpoints, "checkpoint") << ", "
              << cli::counted(report.locks, "lock file");
    if (!call.dry_run) std::cout << "; the database is " << report.bytes << " bytes smaller";
    std::cout << '\n';
}

}  // namespace

ExitStatus trim(const Call& call, const sys::Environment& environment) {
    const std::int64_t age_ms = cli::require_duration_ms(call.older_than, "--older-than");
    const agent::Home home = agent::find_home(environment);
    store::Store store = life::open_home(home, environment, agent::IfMissing::refuse,
                                         agent::groom_in_force("", environment));
    life::refuse_from_inside(store, environment);
    print(call, life::trim(
                    home, store,
                    {.agents = agents_of(store, call.agent),
                     .before = sys::now_ms() - age_ms,
                     .window_begin =
                         [&](const store::Agent& agent) { return turn::window_begin(home, agent); },
                     .dry_run = call.dry_run}));
    return ExitStatus::done;
}

}  // namespace chorus::config
