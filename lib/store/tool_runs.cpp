#include "store/columns.hpp"
#include "store/turns.hpp"

namespace chorus::store {
namespace {

constexpr Table tool_runs{
    Source<ToolRun>{"tool_runs"},
    key("turn_id", &ToolRun::turn_id),
    key("position", &ToolRun::position),
    key("tool_call_id", &ToolRun::tool_call_id),
    column("tool", &ToolRun::tool),
    column("action", &ToolRun::action),
    column("decision", &ToolRun::decision),
    column("evidence", &ToolRun::evidence),
    column("intent_at", &ToolRun::intent_at, NullIs{0}),
    column("finished_at", &ToolRun::finished_at, NullIs{0}),
    column("outcome", &ToolRun::outcome, NullIs{""}),
    read_only("CASE outcome WHEN 'ok' THEN patch END", &ToolRun::patch),
};

}  // namespace

void insert_tool_run(Store& store, const ToolRun& run) {
    tool_runs.insert(store, run);
}

void update_tool_run(Store& store, const ToolRun& run) {
    tool_runs.update(store, run, "turn_id = ? AND tool_call_id = ?", run.turn_id, run.tool_call_id);
}

void set_patch(Store& store, TurnId turn, std::string_view tool_call_id, std::string_view patch) {
    run(store, "UPDATE tool_runs SET patch = ? WHERE turn_id = ? AND tool_call_id = ?", patch, turn,
        tool_call_id);
}

std::vector<ToolRun> load_tool_runs(Store& store, TurnId turn) {
    return tool_runs.all(store, "WHERE turn_id = ? ORDER BY position, tool_call_id", turn);
}

std::vector<ToolRun> unfinished_tool_runs(Store& store, TurnId turn) {
    return tool_runs.all(store,
                         "WHERE turn_id = ? AND intent_at IS NOT NULL AND finished_at IS NULL "
                         "ORDER BY position, tool_call_id",
                         turn);
}

}  // namespace chorus::store
