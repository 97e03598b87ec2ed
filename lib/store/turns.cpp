#include "store/turns.hpp"

#include <algorithm>
#include <array>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "chat/json.hpp"
#include "store/believed.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<TurnState, 8> state_names{
    {"starting", "working", "idle", "prompt", "error", "parked", "exited", "unknown"}};

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, agent_id, thread_id, turn_number, state, reason, pid, pid_start, actor, "
               "model, "
               "profile, attempt, started_at, ended_at, exit_code, iterations, tool_calls, "
               "current_step, "
               "error_category, error_detail, resume_at, input_tokens, output_tokens, "
               "cache_read_tokens, "
               "cache_write_tokens, cost_usd, idempotency_key, options, result, working_directory, "
               "prefix_hash, commit_before, commit_after FROM known_turns WHERE ")
        .append(condition);
}

chat::Usage read_usage(Row& row) {
    chat::Usage usage;
    usage.input_tokens = row.integer();
    usage.output_tokens = row.integer();
    usage.cache_read_tokens = row.integer();
    usage.cache_write_tokens = row.integer();
    return usage;
}

Turn read(const Statement& statement) {
    Row row(statement);
    Turn turn;
    turn.id = row.integer();
    turn.agent_id = row.integer();
    turn.thread_id = row.integer();
    turn.turn_number = row.integer();
    turn.state = state_names.require(row.view(), "turn state");
    turn.reason = row.text();
    turn.pid = row.integer();
    turn.pid_start = row.integer();
    turn.actor = row.text();
    turn.model = row.text();
    turn.profile = row.text();
    turn.attempt = row.integer();
    turn.started_at = row.integer();
    turn.ended_at = row.integer();
    turn.exit_code = static_cast<int>(row.integer_or(-1));
    turn.iterations = row.integer();
    turn.tool_calls = row.integer();
    turn.current_step = row.text();
    turn.error_category = row.text();
    turn.error_detail = row.text();
    turn.resume_at = row.integer();
    turn.usage = read_usage(row);
    turn.cost_usd = row.real_or(-1);
    turn.idempotency_key = row.text();
    turn.options = row.text();
    turn.result = row.text();
    turn.working_directory = row.text();
    turn.prefix_hash = row.text();
    turn.commit_before = row.text();
    turn.commit_after = row.text();
    return turn;
}

std::optional<Turn> read_first(Statement& statement) {
    if (!statement.step()) return std::nullopt;
    return read(statement);
}

// In the order in which insert_turn and update_turn name the columns.
Statement& bind_columns(Statement& statement, const Turn& turn) {
    statement.bind(name(turn.state))
        .bind(turn.reason)
        .bind_or_null(turn.pid)
        .bind_or_null(turn.pid_start)
        .bind(turn.actor)
        .bind(turn.model)
        .bind(turn.profile)
        .bind(turn.attempt)
        .bind(turn.started_at)
        .bind_or_null(turn.ended_at);
    if (turn.exit_code < 0)
        statement.bind_null();
    else
        statement.bind(turn.exit_code);
    statement.bind(turn.iterations)
        .bind(turn.tool_calls)
        .bind(turn.current_step)
        .bind(turn.error_category)
        .bind(turn.error_detail)
        .bind_or_null(turn.resume_at)
        .bind(turn.usage.input_tokens)
        .bind(turn.usage.output_tokens)
        .bind(turn.usage.cache_read_tokens)
        .bind(turn.usage.cache_write_tokens);
    if (turn.cost_usd < 0)
        statement.bind_null();
    else
        statement.bind(turn.cost_usd);
    return statement.bind_or_null(turn.idempotency_key)
        .bind(turn.options)
        .bind(turn.result)
        .bind(turn.working_directory)
        .bind(turn.prefix_hash)
        .bind(turn.commit_before)
        .bind(turn.commit_after);
}

// Follows the ids of `turns` and those that imports have reserved.
constexpr std::string_view next_id =
    "1 + max((SELECT coalesce(max(id), 0) FROM turns), "
    "(SELECT coalesce(max(last_turn), 0) FROM imports))";

// Throws Error(agent_busy) for a second open turn of a thread.
void number_turn(Store& store, Turn& turn) {
    Statement statement =
        store.prepare(std::string("SELECT coalesce(max(turn_number), 0) + 1, ")
                          .append(next_id)
                          .append(", (SELECT turn_number FROM turns WHERE agent_id = ?1 AND "
                                  "thread_id = ?2 AND ended_at IS NULL) "
                                  "FROM turns WHERE agent_id = ?1 AND thread_id = ?2"));
    statement.bind(turn.agent_id).bind(turn.thread_id).step();
    turn.turn_number = statement.integer(0);
    turn.id = statement.integer(1);
    const std::int64_t open = statement.integer(2);
    if (open != 0 && turn.ended_at == 0)
        throw base::Error(base::ErrorCode::agent_busy, "thread " + std::to_string(turn.thread_id) +
                                                           ": turn " + std::to_string(open) +
                                                           " has not ended");
}

}  // namespace

std::string_view name(TurnState state) {
    return state_names.name(state);
}

bool is_fresh(const Turn& turn) {
    const auto options = chat::try_parse_json(turn.options);
    // turns begun by an earlier version have fresh_after
    return options && (options->contains("fresh") || options->contains("fresh_after"));
}

TurnId next_turn_id(Store& store) {
    return query_integer(store.handle(), std::string("SELECT ").append(next_id));
}

void insert_turn(Store& store, Turn& turn, TurnId id) {
    number_turn(store, turn);
    if (id != 0) turn.id = id;
    Statement statement = store.prepare(
        "INSERT INTO turns (state, reason, pid, pid_start, actor, model, profile, attempt, "
        "started_at, "
        "ended_at, exit_code, iterations, tool_calls, current_step, error_category, error_detail, "
        "resume_at, "
        "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, "
        "idempotency_key, "
        "options, result, working_directory, prefix_hash, commit_before, commit_after, agent_id, "
        "thread_id, "
        "turn_number, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, "
        "?, ?, ?, "
        "?, ?, ?, ?, ?, ?)");
    bind_columns(statement, turn)
        .bind(turn.agent_id)
        .bind(turn.thread_id)
        .bind(turn.turn_number)
        .bind(turn.id)
        .run();
}

void update_turn(Store& store, const Turn& turn) {
    Statement statement = store.prepare(
        "UPDATE turns SET state = ?, reason = ?, pid = ?, pid_start = ?, actor = ?, model = ?, "
        "profile = ?, "
        "attempt = ?, started_at = ?, ended_at = ?, exit_code = ?, iterations = ?, tool_calls = ?, "
        "current_step = ?, error_category = ?, error_detail = ?, resume_at = ?, input_tokens = ?, "
        "output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?, cost_usd = ?, "
        "idempotency_key = ?, "
        "options = ?, result = ?, working_directory = ?, prefix_hash = ?, commit_before = ?, "
        "commit_after = ? "
        "WHERE id = ?");
    bind_columns(statement, turn).bind(turn.id).run();
}

std::optional<Turn> find_turn(Store& store, TurnId id) {
    Statement statement = store.prepare(select("id = ?"));
    return read_first(statement.bind(id));
}

std::optional<Turn> find_open_turn(Store& store, AgentId agent, ThreadId thread) {
    Statement statement =
        store.prepare(select("agent_id = ? AND thread_id = ? AND ended_at IS NULL"));
    return read_first(statement.bind(agent).bind(thread));
}

std::optional<Turn> newest_turn(Store& store, AgentId agent, ThreadId thread) {
    Statement statement =
        store.prepare(select("agent_id = ? AND thread_id = ? ORDER BY turn_number DESC LIMIT 1"));
    return read_first(statement.bind(agent).bind(thread));
}

// Called for every new turn. Same as through the view known_turns, but with the view SQLite
// prepares all its columns.
bool newest_turn_is_idle(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        "SELECT state = ? AND ended_at IS NOT NULL AND pid IS NULL FROM turns WHERE agent_id = ? "
        "AND thread_id = ? AND NOT EXISTS (SELECT 1 FROM imports WHERE turns.id BETWEEN first_turn "
        "AND last_turn) ORDER BY turn_number DESC LIMIT 1");
    statement.bind(name(TurnState::idle)).bind(agent).bind(thread);
    return !statement.step() || statement.integer(0) != 0;
}

std::optional<Turn> newest_counted_turn(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        select("agent_id = ? AND thread_id = ? AND ended_at IS NOT NULL AND input_tokens > 0 "
               "AND prefix_hash <> '' ORDER BY turn_number DESC LIMIT 1"));
    return read_first(statement.bind(agent).bind(thread));
}

std::optional<Turn> find_turn_by_key(Store& store, AgentId agent,
                                     std::string_view idempotency_key) {
    Statement statement = store.prepare(select("agent_id = ? AND idempotency_key = ?"));
    return read_first(statement.bind(agent).bind(idempotency_key));
}

std::vector<Turn> open_turns(Store& store, AgentId agent) {
    Statement statement =
        store.prepare(select("agent_id = ? AND ended_at IS NULL ORDER BY thread_id"));
    statement.bind(agent);
    std::vector<Turn> turns;
    while (statement.step()) turns.push_back(read(statement));
    return turns;
}

std::vector<Turn> newest_turns(Store& store, AgentId agent) {
    Statement statement =
        store.prepare(select("id IN (SELECT (SELECT id FROM known_turns AS turn WHERE "
                             "turn.agent_id = threads.agent_id AND turn.thread_id = "
                             "threads.thread_id ORDER BY turn_number DESC LIMIT 1) "
                             "FROM threads WHERE agent_id = ?) ORDER BY thread_id"));
    statement.bind(agent);
    std::vector<Turn> turns;
    while (statement.step()) turns.push_back(read(statement));
    return turns;
}

std::vector<Turn> list_turns(Store& store, AgentId agent) {
    Statement statement = store.prepare(select("agent_id = ?"));
    statement.bind(agent);
    std::vector<Turn> turns;
    while (statement.step()) turns.push_back(read(statement));
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.id < b.id; });
    return turns;
}

std::vector<std::string> working_directories(Store& store) {
    Statement statement =
        store.prepare("SELECT DISTINCT working_directory FROM turns WHERE working_directory <> ''");
    std::vector<std::string> all;
    while (statement.step()) all.push_back(statement.text(0));
    return all;
}

std::vector<Turn> turns_at_work(Store& store) {
    Statement statement =
        store.prepare(select("ended_at IS NULL AND pid IS NOT NULL ORDER BY agent_id, thread_id"));
    std::vector<Turn> turns;
    while (statement.step()) turns.push_back(read(statement));
    return turns;
}

void uncount_turn(Store& store, const Turn& turn) {
    store.prepare("UPDATE agents SET turn_count = turn_count - 1 WHERE id = ?")
        .bind(turn.agent_id)
        .run();
}

void count_turn(Store& store, const Turn& turn, base::TimeMs now) {
    store
        .prepare(
            "UPDATE agents SET turn_count = turn_count + 1, "
            "last_activity = max(iif(last_activity > ?3, 0, last_activity), ?1) WHERE id = ?2")
        .bind(now)
        .bind(turn.agent_id)
        .bind(now + most_ahead_ms)
        .run();
}

void insert_step(Store& store, const Step& step) {
    store
        .prepare(
            "INSERT INTO steps (turn_id, step_number, description, started_at, ended_at, "
            "duration_ms) "
            "VALUES (?, ?, ?, ?, ?, ?)")
        .bind(step.turn_id)
        .bind(step.step_number)
        .bind(step.description)
        .bind(step.started_at)
        .bind_or_null(step.ended_at)
        .bind(step.duration_ms)
        .run();
}

std::vector<Step> load_steps(Store& store, TurnId turn) {
    Statement statement = store.prepare(
        "SELECT turn_id, step_number, description, started_at, ended_at, duration_ms FROM steps "
        "WHERE turn_id = ? ORDER BY step_number");
    statement.bind(turn);
    std::vector<Step> steps;
    while (statement.step())
        steps.push_back({.turn_id = statement.integer(0),
                         .step_number = statement.integer(1),
                         .description = statement.text(2),
                         .started_at = statement.integer(3),
                         .ended_at = statement.integer(4),
                         .duration_ms = statement.integer(5)});
    return steps;
}

}  // namespace chorus::store
