#include "turn/leftovers.hpp"

#include "repo/repository.hpp"
#include "sys/file.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {
void remove_leftovers(Place& place, const agent::Home& home, const store::Turn& crashed) {
    const std::string path = worked_in(place, crashed);
    sys::remove_temporaries(home.locks());
    sys::remove_temporaries(place.directory.path());
    sys::remove_temporaries(place.directory.sessions());
    if (!sys::is_directory(path)) return;
    sys::remove_temporaries(path + "/.git");
    const sys::Root root(path);
    for (const store::ToolRun& run : store::load_tool_runs(place.store, crashed.id))
        if (run.intent_at != 0 && run.finished_at == 0 && !run.evidence.empty())
            root.remove_temporaries(tools::Arguments::parse(run.evidence).text("path"));
    repo::clear_broken_mutation(path);
}

}  // namespace chorus::turn
