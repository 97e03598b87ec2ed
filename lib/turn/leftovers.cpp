#include "turn/leftovers.hpp"

#include <algorithm>

#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "sys/file.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {
namespace {

bool was_broken_off(const std::vector<store::ToolRun>& runs, const std::string& id) {
    return std::any_of(runs.begin(), runs.end(), [&](const store::ToolRun& run) {
        return run.tool_call_id == id && run.intent_at != 0 && run.finished_at == 0;
    });
}

}  // namespace

void remove_leftovers(Place& place, const store::Turn& crashed) {
    const std::string path =
        crashed.working_directory.empty() ? place.directory.workspace() : crashed.working_directory;
    sys::remove_temporaries(place.directory.path());
    sys::remove_temporaries(place.directory.sessions());
    if (!sys::is_directory(path)) return;
    sys::remove_temporaries(path + "/.git");
    const sys::Root root(path);
    const auto runs = store::load_tool_runs(place.store, crashed.id);
    for (const chat::Message& message : store::load_turn_messages(place.store, crashed.id))
        for (const chat::ToolCall& call : message.tool_calls)
            if (was_broken_off(runs, call.id))
                root.remove_temporaries(tools::Arguments::parse(call.arguments).text("path"));
    repo::clear_broken_mutation(path);
}

}  // namespace chorus::turn
