#include "turn/crash_leftovers.hpp"

#include "repo/repository.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "tools/effect.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {

void remove_leftovers(place::Place& place, const agent::Home& home, const store::Turn& crashed) {
    sys::remove_temporaries(home.locks());
    for (const std::string& directory : place.directory.written())
        sys::remove_temporaries(directory);
    const auto root = place::root_of(place, crashed);
    const sys::Root own(place.directory.path());
    for (const store::ToolRun& run : store::load_tool_runs(place.store, crashed.id)) {
        if (run.intent_at == 0 || run.finished_at != 0 || run.evidence.empty()) continue;
        const bool is_own = tools::is_of_own_file(run.evidence);
        if (!is_own && !root) continue;
        const std::string written = tools::Arguments::parse(run.evidence).text("path");
        (is_own ? own : *root).remove_temporaries(written);
    }
    if (!root) return;
    sys::remove_mount_points(root->path());
    repo::clear_broken_mutation(root->path());
}

}  // namespace chorus::turn
