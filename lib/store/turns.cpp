#include "store/turns.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "chat/json.hpp"
#include "store/believed.hpp"
#include "store/columns.hpp"
#include "store/known.hpp"
#include "store/settings.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<TurnState, 9> state_names{{"starting", "working", "idle", "prompt",
                                                     "error", "parked", "exited", "unknown",
                                                     "restarting"}};

constexpr Table turns{
    Source<Turn>{"turns", "turns AS turn", is_known_turn},
    key("id", &Turn::id),
    key("agent_id", &Turn::agent_id),
    key("thread_id", &Turn::thread_id),
    key("turn_number", &Turn::turn_number),
    column("state", &Turn::state, ByName{state_names, "turn state"}),
    column("reason", &Turn::reason),
    column("pid", &Turn::pid, NullIs{0}),
    column("pid_start", &Turn::pid_start, NullIs{0}),
    column("actor", &Turn::actor),
    column("model", &Turn::model),
    column("profile", &Turn::profile),
    column("attempt", &Turn::attempt),
    column("started_at", &Turn::started_at),
    column("ended_at", &Turn::ended_at, NullIs{0}),
    column("exit_code", &Turn::exit_code, NullIs{-1}),
    column("iterations", &Turn::iterations),
    column("tool_calls", &Turn::tool_calls),
    column("current_step", &Turn::current_step),
    column("error_category", &Turn::error_category),
    column("error_detail", &Turn::error_detail),
    column("resume_at", &Turn::resume_at, NullIs{0}),
    column("input_tokens", in(&Turn::usage, &chat::Usage::input_tokens)),
    column("output_tokens", in(&Turn::usage, &chat::Usage::output_tokens)),
    column("cache_read_tokens", in(&Turn::usage, &chat::Usage::cache_read_tokens)),
    column("cache_write_tokens", in(&Turn::usage, &chat::Usage::cache_write_tokens)),
    column("reasoning_tokens", in(&Turn::usage, &chat::Usage::reasoning_tokens)),
    column("cost", in(&Turn::usage, &chat::Usage::cost), NullIs{base::unknown_cost}),
    column("idempotency_key", &Turn::idempotency_key, NullIs{""}),
    column("options", &Turn::options),
    column("result", &Turn::result),
    column("working_directory", &Turn::working_directory),
    column("prefix_hash", &Turn::prefix_hash),
    column("commit_before", &Turn::commit_before),
    column("commit_after", &Turn::commit_after),
    column("plan", &Turn::plan, NullIs{""}),
};

// Whether the call that spawned a sub-agent has no result.
constexpr std::string_view is_waited_for =
    "EXISTS (SELECT 1 FROM tool_runs WHERE tool_runs.turn_id = agents.parent_turn AND "
    "tool_runs.tool_call_id = agents.parent_call AND tool_runs.finished_at IS NULL)";

constexpr Table steps{
    Source<Step>{"steps"},
    column("turn_id", &Step::turn_id),
    column("step_number", &Step::step_number),
    column("description", &Step::description),
    column("started_at", &Step::started_at),
    column("ended_at", &Step::ended_at, NullIs{0}),
    column("duration_ms", &Step::duration_ms),
};

// Throws Error(agent_busy) for a second open turn of a thread.
void number_turn(Store& store, Turn& turn) {
    turn.id = next_turn_id(store);
    turn.turn_number =
        1 + query_integer(store,
                          "SELECT max(turn_number) FROM turns WHERE agent_id = ? AND thread_id = ?",
                          turn.agent_id, turn.thread_id);
    const std::int64_t open = query_integer(
        store,
        "SELECT turn_number FROM turns WHERE agent_id = ? AND thread_id = ? AND ended_at IS NULL",
        turn.agent_id, turn.thread_id);
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

std::string metadata_of(const Turn& turn) {
    const auto options = chat::try_parse_json(options_json(turn));
    const chat::Json& metadata = options ? chat::member(*options, "metadata") : chat::Json();
    return metadata.is_object() ? chat::dump(metadata) : "";
}

std::string imported_options(bool is_fresh, const std::string& metadata) {
    std::string members = is_fresh ? R"("fresh": true)" : "";
    if (!metadata.empty())
        members += (members.empty() ? "" : ", ") + (R"("metadata": )" + metadata);
    return members.empty() ? "" : "{" + members + "}";
}

TurnId next_turn_id(Store& store) {
    return 1 +
           std::max({query_integer(store, "SELECT max(id) FROM turns"),
                     query_integer(store, "SELECT max(last_turn) FROM imports"),
                     base::parse_number<TurnId>(find_setting(store, "home", newest_forgotten_turn))
                         .value_or(0)});
}

void insert_turn(Store& store, Turn& turn, TurnId id) {
    number_turn(store, turn);
    if (id != 0) turn.id = id;
    turns.insert(store, turn);
}

void update_turn(Store& store, const Turn& turn) {
    turns.update(store, turn, "id = ?", turn.id);
}

std::optional<Turn> find_turn(Store& store, TurnId id) {
    return turns.find(store, "WHERE id = ?", id);
}

std::optional<Turn> find_open_turn(Store& store, AgentId agent, ThreadId thread) {
    return turns.find(store, "WHERE agent_id = ? AND thread_id = ? AND ended_at IS NULL", agent,
                      thread);
}

std::optional<Turn> newest_turn(Store& store, AgentId agent, ThreadId thread) {
    return turns.find(store,
                      "WHERE agent_id = ? AND thread_id = ? ORDER BY turn_number DESC LIMIT 1",
                      agent, thread);
}

bool newest_turn_is_idle(Store& store, AgentId agent, ThreadId thread) {
    Statement statement = store.prepare(
        "SELECT state = ? AND ended_at IS NOT NULL AND pid IS NULL FROM turns AS turn WHERE" +
        std::string(is_known_turn) +
        "AND agent_id = ? AND thread_id = ? ORDER BY turn_number DESC LIMIT 1");
    statement.bind(name(TurnState::idle), agent, thread);
    return !statement.step() || statement.integer(0) != 0;
}

std::optional<Turn> newest_counted_turn(Store& store, AgentId agent, ThreadId thread) {
    return turns.find(store,
                      "WHERE agent_id = ? AND thread_id = ? AND ended_at IS NOT NULL AND "
                      "input_tokens > 0 AND prefix_hash <> '' ORDER BY turn_number DESC LIMIT 1",
                      agent, thread);
}

std::optional<Turn> find_turn_by_key(Store& store, AgentId agent,
                                     std::string_view idempotency_key) {
    return turns.find(store, "WHERE agent_id = ? AND idempotency_key = ?", agent, idempotency_key);
}

std::vector<Turn> open_turns(Store& store, AgentId agent) {
    return turns.all(store, "WHERE agent_id = ? AND ended_at IS NULL ORDER BY thread_id", agent);
}

std::vector<Turn> open_turns_below(Store& store, TurnId turn) {
    std::vector<Turn> below;
    for (const TurnId id : query_integers(
             store,
             "WITH RECURSIVE below(turn, depth) AS (SELECT ?, 0 UNION SELECT child.id, depth + 1 "
             "FROM below JOIN agents ON agents.parent_turn = below.turn AND " +
                 std::string(is_waited_for) +
                 " JOIN turns AS child ON child.agent_id = agents.id AND child.ended_at IS NULL) "
                 "SELECT turn FROM below WHERE depth > 0 ORDER BY depth DESC, turn",
             turn))
        if (auto one = find_turn(store, id)) below.push_back(std::move(*one));
    return below;
}

TurnId top_turn(Store& store, TurnId turn) {
    return query_integer(
        store,
        "WITH RECURSIVE above(turn, height) AS (SELECT ?, 0 UNION SELECT parent.id, height + 1 "
        "FROM above JOIN turns ON turns.id = above.turn JOIN agents ON agents.id = turns.agent_id "
        "AND " +
            std::string(is_waited_for) +
            " JOIN turns AS parent ON parent.id = agents.parent_turn) SELECT turn FROM above ORDER "
            "BY height DESC LIMIT 1",
        turn);
}

std::vector<Turn> newest_turns(Store& store, AgentId agent) {
    return turns.all(
        store,
        "WHERE id IN (SELECT (SELECT id FROM turns AS turn WHERE" + std::string(is_known_turn) +
            "AND turn.agent_id = threads.agent_id AND turn.thread_id = threads.thread_id ORDER BY "
            "turn_number DESC LIMIT 1) FROM threads WHERE agent_id = ? AND thread_id < ?) ORDER BY "
            "thread_id",
        agent, first_ephemeral_thread);
}

std::vector<Turn> list_turns(Store& store, AgentId agent) {
    auto all =
        turns.all(store, "WHERE agent_id = ? AND thread_id < ?", agent, first_ephemeral_thread);
    std::sort(all.begin(), all.end(), [](const Turn& a, const Turn& b) { return a.id < b.id; });
    return all;
}

std::vector<std::string> working_directories(Store& store) {
    return query_texts(
        store, "SELECT DISTINCT working_directory FROM turns WHERE working_directory <> ''");
}

std::vector<Turn> turns_at_work(Store& store) {
    return turns.all(store,
                     "WHERE ended_at IS NULL AND pid IS NOT NULL ORDER BY agent_id, thread_id");
}

void uncount_turn(Store& store, const Turn& turn) {
    run(store, "UPDATE agents SET turn_count = turn_count - 1 WHERE id = ?", turn.agent_id);
}

void count_turn(Store& store, const Turn& turn, base::TimeMs now) {
    run(store,
        "UPDATE agents SET turn_count = turn_count + 1, last_activity = max(iif(last_activity > "
        "?3, 0, last_activity), ?1) WHERE id = ?2",
        now, turn.agent_id, now + most_ahead_ms);
}

void insert_step(Store& store, const Step& step) {
    steps.insert(store, step);
}

std::vector<Step> load_steps(Store& store, TurnId turn) {
    return steps.all(store, "WHERE turn_id = ? ORDER BY step_number", turn);
}

}  // namespace chorus::store
