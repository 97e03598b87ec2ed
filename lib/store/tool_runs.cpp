#include "store/sqlite.hpp"
#include "store/turns.hpp"

namespace chorus::store {

void insert_tool_run(Store& store, const ToolRun& run) {
    store
        .prepare(
            "INSERT INTO tool_runs (turn_id, tool_call_id, position, tool, action, decision, "
            "evidence, "
            "intent_at, finished_at, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(run.turn_id)
        .bind(run.tool_call_id)
        .bind(run.position)
        .bind(run.tool)
        .bind(run.action)
        .bind(run.decision)
        .bind(run.evidence)
        .bind_or_null(run.intent_at)
        .bind_or_null(run.finished_at)
        .bind_or_null(run.outcome)
        .run();
}

void update_tool_run(Store& store, const ToolRun& run) {
    store
        .prepare(
            "UPDATE tool_runs SET tool = ?, action = ?, decision = ?, evidence = ?, "
            "intent_at = ?, finished_at = ?, outcome = ? WHERE turn_id = ? AND tool_call_id = ?")
        .bind(run.tool)
        .bind(run.action)
        .bind(run.decision)
        .bind(run.evidence)
        .bind_or_null(run.intent_at)
        .bind_or_null(run.finished_at)
        .bind_or_null(run.outcome)
        .bind(run.turn_id)
        .bind(run.tool_call_id)
        .run();
}

namespace {

std::vector<ToolRun> load(Store& store, TurnId turn, std::string_view condition) {
    Statement statement = store.prepare(
        std::string(
            "SELECT turn_id, position, tool_call_id, tool, action, decision, evidence, intent_at, "
            "finished_at, outcome, CASE outcome WHEN 'ok' THEN patch END FROM tool_runs WHERE "
            "turn_id = ? ")
            .append(condition)
            .append(" ORDER BY position, tool_call_id"));
    statement.bind(turn);
    std::vector<ToolRun> runs;
    while (statement.step())
        runs.push_back({.turn_id = statement.integer(0),
                        .position = statement.integer(1),
                        .tool_call_id = statement.text(2),
                        .tool = statement.text(3),
                        .action = statement.text(4),
                        .decision = statement.text(5),
                        .evidence = statement.text(6),
                        .intent_at = statement.integer(7),
                        .finished_at = statement.integer(8),
                        .outcome = statement.text(9),
                        .patch = statement.text(10)});
    return runs;
}

}  // namespace

void set_patch(Store& store, TurnId turn, std::string_view tool_call_id, std::string_view patch) {
    store.prepare("UPDATE tool_runs SET patch = ? WHERE turn_id = ? AND tool_call_id = ?")
        .bind(patch)
        .bind(turn)
        .bind(tool_call_id)
        .run();
}

std::vector<ToolRun> load_tool_runs(Store& store, TurnId turn) {
    return load(store, turn, "");
}

std::vector<ToolRun> unfinished_tool_runs(Store& store, TurnId turn) {
    return load(store, turn, "AND intent_at IS NOT NULL AND finished_at IS NULL");
}

}  // namespace chorus::store
