// The verb trim: removes old records that are no longer needed.
#include "life/trim_home.hpp"

#include "chorus-config/subject.hpp"
#include "cli/time_text.hpp"
#include "life/deciders.hpp"
#include "sys/clock.hpp"
#include "turn/present.hpp"

namespace chorus::command {
namespace {

std::vector<store::Agent> agents_of(const agent::Home& home, store::Store& store,
                                    const std::string& name) {
    if (name.empty()) return store::all_agents(store);
    life::require_known(home, store, name);
    return store::list_generations(store, name);
}

struct Trim : Printing {
    explicit Trim(cli::Command& verb) {
        verb.option("--older-than TIME", older_than,
                    "remove only what is older than TIME (default: 90d)");
        verb.option("-A,--agent NAME", agent, "only this agent and earlier ones of the same name");
        verb.flag("--dry-run", dry_run, "only count what would be removed");
    }

    void print(const life::TrimReport& report) const {
        cli::print(
            json, "trimmed",
            {{"messages", report.rows.messages},
             {"events", report.rows.events},
             {"steps", report.rows.steps},
             {"checkpoints", report.checkpoints},
             {"locks", report.locks},
             {"freed_bytes", report.bytes},
             {"dry_run", dry_run}},
            (dry_run ? "would remove " : "removed ") + counted(report.rows.messages, "message") +
                ", " + counted(report.rows.events, "event") + ", " +
                counted(report.rows.steps, "step") + ", " +
                counted(report.checkpoints, "checkpoint") + ", " +
                counted(report.locks, "lock file") +
                (dry_run ? ""
                         : "; the database is " + std::to_string(report.bytes) + " bytes smaller"));
    }

    void run(Begun& begun) const {
        const std::int64_t age_ms = cli::require_duration_ms(older_than, "--older-than");
        store::Store store = open_store(begun);
        life::refuse_from_inside(store, begun.environment);
        print(life::trim(
            begun.home, store,
            {.agents = agents_of(begun.home, store, agent),
             .before = sys::now_ms() - age_ms,
             .window_begin =
                 [&](const store::Agent& one) { return turn::window_begin(begun.home, one); },
             .dry_run = dry_run}));
    }

    std::string older_than = "90d";
    std::string agent;
    bool dry_run = false;
};

}  // namespace

const cli::Verb trim_verb =
    verb<Trim>("trim", "remove old records that are no longer needed", "print JSON");

}  // namespace chorus::command
