#include "store/ledger.hpp"

#include <algorithm>
#include <vector>

#include "store/agent_tree.hpp"
#include "store/columns.hpp"
#include "sys/process.hpp"

namespace chorus::store {
namespace {

constexpr Table calls{
    Source<ModelCall>{"model_calls"},
    key("id", &ModelCall::id),
    column("agent_id", &ModelCall::agent_id),
    column("turn_id", &ModelCall::turn_id, NullIs{0}),
    column("model", &ModelCall::model),
    column("profile", &ModelCall::profile),
    column("state", &ModelCall::state, ByName{call_states, "state of a model call"}),
    column("pid", &ModelCall::pid, NullIs{0}),
    column("pid_start", &ModelCall::pid_start, NullIs{0}),
    column("input_tokens", in(&ModelCall::usage, &chat::Usage::input_tokens)),
    column("output_tokens", in(&ModelCall::usage, &chat::Usage::output_tokens)),
    column("cache_read_tokens", in(&ModelCall::usage, &chat::Usage::cache_read_tokens)),
    column("cache_write_tokens", in(&ModelCall::usage, &chat::Usage::cache_write_tokens)),
    column("reasoning_tokens", in(&ModelCall::usage, &chat::Usage::reasoning_tokens)),
    column("cost", in(&ModelCall::usage, &chat::Usage::cost), NullIs{base::unknown_cost}),
};

constexpr std::string_view reserved_rows = "WHERE state = 'reserved'";

// The clock may have been set back, and calls may begin at the same time.
std::int64_t free_id(Store& store, base::TimeMs now) {
    constexpr std::int64_t us_per_ms = 1'000;
    constexpr std::int64_t us_per_day = 86'400'000'000;
    constexpr base::TimeMs latest = 253'402'214'400'000;  // SQLite's dates end with the year 9999
    const std::int64_t first = std::clamp<std::int64_t>(now, 1, latest) * us_per_ms;
    const std::int64_t taken =
        query_integer(store, "SELECT max(id) FROM model_calls WHERE id BETWEEN ? AND ?", first,
                      first + us_per_day);
    return std::max(first, taken + 1);
}

void add_to_sums(Store& store, const ModelCall& call) {
    const chat::Usage& usage = call.usage;
    const bool has_cost = usage.cost != base::unknown_cost;
    const auto write = [&](std::string_view sql) {
        return run(store, sql, call.id, call.agent_id, call.model, call.profile, has_cost,
                   call.state == CallState::estimated, usage.input_tokens, usage.output_tokens,
                   usage.cache_read_tokens, usage.cache_write_tokens, usage.reasoning_tokens,
                   has_cost ? usage.cost : 0);
    };
    // not one statement with ON CONFLICT: SQLite prepares that for as long as five others
    if (write("UPDATE usage_sums SET calls = calls + 1, priced_calls = priced_calls + ?5, "
              "estimated_calls = estimated_calls + ?6, input_tokens = input_tokens + ?7, "
              "output_tokens = output_tokens + ?8, cache_read_tokens = cache_read_tokens + ?9, "
              "cache_write_tokens = cache_write_tokens + ?10, reasoning_tokens = reasoning_tokens "
              "+ ?11, cost = cost + ?12 WHERE day = date(?1 / 1000000, 'unixepoch', 'localtime') "
              "AND agent_id = ?2 AND model = ?3 AND profile = ?4") == 0)
        write(
            "INSERT INTO usage_sums VALUES (date(?1 / 1000000, 'unixepoch', 'localtime'), ?2, ?3, "
            "?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
}

// Settles what was reserved as used in full.
void settle_as_estimated(Store& store, ModelCall call) {
    const chat::Usage& usage = call.usage;
    call.state = CallState::estimated;
    settle_call(store, call, 0);
    run(store,
        "UPDATE turns SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, "
        "cost = cost + ? WHERE id = ?",
        usage.input_tokens, usage.output_tokens,
        usage.cost == base::unknown_cost ? std::nullopt : std::optional(usage.cost), call.turn_id);
}

chat::Usage read_usage(const Statement& row) {
    return {.input_tokens = row.integer(0),
            .output_tokens = row.integer(1),
            .cache_read_tokens = row.integer(2),
            .cache_write_tokens = row.integer(3),
            .reasoning_tokens = row.integer(4),
            .cost = row.integer(5)};
}

constexpr std::string_view sums =
    "SELECT sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), "
    "sum(cache_write_tokens), sum(reasoning_tokens), sum(cost) FROM ";

template <typename... Values>
chat::Usage sum_of(Store& store, std::string_view with, std::string_view from,
                   const Values&... values) {
    Statement row = store.prepare(std::string(with).append(sums).append(from));
    row.bind(values...).step();
    return read_usage(row);
}

// Sub-agents that calls of a turn spawned, at any depth, and their turns.
constexpr std::string_view agents_below =
    "WITH RECURSIVE below(agent, turn) AS (SELECT agents.id, turns.id FROM agents JOIN turns ON "
    "turns.agent_id = agents.id WHERE agents.parent_turn = ? UNION SELECT agents.id, turns.id FROM "
    "below JOIN agents ON agents.parent_turn = below.turn JOIN turns ON turns.agent_id = "
    "agents.id) ";

}  // namespace

void reserve_call(Store& store, ModelCall& call, base::TimeMs now) {
    const sys::Identity self = sys::own_identity();
    call.id = free_id(store, now);
    call.state = CallState::reserved;
    call.pid = self.pid;
    call.pid_start = self.start;
    calls.insert(store, call);
}

void settle_call(Store& store, ModelCall call, base::TimeMs now) {
    call.pid = 0;
    call.pid_start = 0;
    if (call.id == 0) {
        call.id = free_id(store, now);
        calls.insert(store, call);
    } else {
        calls.update(store, call, "id = ?", call.id);
    }
    add_to_sums(store, call);
}

void release_call(Store& store, std::int64_t id) {
    run(store, "DELETE FROM model_calls WHERE id = ?", id);
}

chat::Usage settle_reserved(Store& store, TurnId turn) {
    for (const ModelCall& call :
         calls.all(store, std::string(reserved_rows).append(" AND turn_id = ?"), turn))
        settle_as_estimated(store, call);
    return find_turn(store, turn)->usage;
}

void settle_gone(Store& store) {
    const auto gone = [&] {
        auto rows = calls.all(store, reserved_rows);
        std::erase_if(rows, [](const ModelCall& call) {
            return sys::is_alive({call.pid, call.pid_start});
        });
        return rows;
    };
    if (gone().empty()) return;
    Transaction transaction(store);
    for (const ModelCall& call : gone()) settle_as_estimated(store, call);
    transaction.commit();
}

std::int64_t count_spawned(Store& store, TurnId turn) {
    return query_integer(
        store, std::string(agents_below).append("SELECT count(DISTINCT agent) FROM below"), turn);
}

Spent spent_below(Store& store, TurnId turn) {
    return {sum_of(store, agents_below, "turns WHERE id IN (SELECT turn FROM below)", turn),
            sum_of(store, agents_below,
                   "model_calls WHERE state = 'reserved' AND turn_id IN (SELECT turn FROM below)",
                   turn)};
}

Spent spent_on_day(Store& store, AgentId agent, base::TimeMs now) {
    const std::string of_agent = "(?1 = 0 OR agent_id IN " + agent_tree("SELECT ?1") + ")";
    return {sum_of(store, "",
                   "usage_sums WHERE " + of_agent +
                       " AND day = date(?2 / 1000, 'unixepoch', 'localtime')",
                   agent, now),
            sum_of(store, "",
                   "model_calls WHERE state = 'reserved' AND " + of_agent +
                       " AND date(id / 1000000, 'unixepoch', 'localtime') = date(?2 / 1000, "
                       "'unixepoch', 'localtime')",
                   agent, now)};
}

}  // namespace chorus::store
