#include "turn/remains.hpp"

#include <algorithm>

#include "life/leftovers.hpp"
#include "repo/repository.hpp"
#include "store/records.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "tools/effect.hpp"
#include "tools/tool.hpp"
#include "turn/alerts.hpp"
#include "turn/own_artifacts.hpp"

namespace chorus::turn {

void remove_remains(const place::Surroundings& surroundings, store::Store& store,
                    const policy::Redaction& redaction, const store::Agent& agent,
                    const store::Turn& turn) {
    if (turn.pid == 0 || turn.state == store::TurnState::prompt ||
        turn.state == store::TurnState::parked)
        return;
    const agent::Home& home = surroundings.home;
    const agent::Directory directory = home.directory(agent.dir);
    sys::remove_temporaries(home.locks());
    for (const std::string& written : directory.written()) sys::remove_temporaries(written);
    alert_of_killed(surroundings, store, redaction, agent, turn);
    const auto runs = store::load_tool_runs(store, turn.id);
    // a sub-agent is created before its call is marked as begun
    if (std::any_of(runs.begin(), runs.end(), [](const store::ToolRun& run) {
            return run.finished_at == 0 && run.tool == "spawn_agent";
        }))
        life::reclaim_leftovers(home, store);
    const auto root = place::root_of(store, home, agent, turn);
    const auto own = sys::Root::find(directory.path());
    for (const store::ToolRun& run : store::unfinished_tool_runs(store, turn.id)) {
        if (run.evidence.empty()) continue;
        const bool is_own = tools::is_of_own_file(run.evidence);
        const auto& written_in = is_own ? own : root;
        if (!written_in) continue;
        const std::string path = tools::Arguments::parse(run.evidence).text("path");
        written_in->remove_temporaries(path);
        if (is_own)
            enter_written_artifact({store, agent, directory, redaction, surroundings.warn}, run,
                                   path);
    }
    if (!root) return;
    sys::remove_mount_points(root->path());
    repo::clear_broken_mutation(root->path());
}

}  // namespace chorus::turn
