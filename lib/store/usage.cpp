#include "store/usage.hpp"

#include <array>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

struct Grouping {
    std::string_view key;
    std::string_view label;
    std::string_view order;
};

// A session's window may begin with the turn's first message, which is slightly later than the
// turn's start.
constexpr std::string_view session_of_turn =
    "FROM sessions AS s WHERE s.agent_id = t.agent_id AND s.saved_at >= t.started_at AND "
    "s.window_start <= coalesce(t.ended_at, t.started_at) AND s.window_end >= t.started_at ORDER "
    "BY s.saved_at LIMIT 1";

constexpr std::array<Grouping, 4> groupings{{
    {"date(t.started_at / 1000, 'unixepoch')", "''", "key"},
    {"a.name", "''", "key"},
    {"t.model", "''", "key"},
    {"", "", "key = '', min(t.id)"},
}};

std::string sql_for(UsageBy by) {
    const Grouping& grouping = groupings[static_cast<std::size_t>(by)];
    const bool sessions = by == UsageBy::session;
    const auto column = [&](std::string_view of_session, std::string_view plain) {
        if (!sessions) return std::string(plain);
        return "coalesce((SELECT s." + std::string(of_session) + " " +
               std::string(session_of_turn) + "), '')";
    };
    return "SELECT " + column("id", grouping.key) + " AS key, " +
           column("description", grouping.label) +
           " AS label, count(*), sum(t.input_tokens), sum(t.output_tokens), "
           "sum(t.cache_read_tokens), sum(t.cache_write_tokens), total(t.cost_usd), "
           "count(t.cost_usd) FROM turns AS t JOIN agents AS a ON a.id = t.agent_id WHERE "
           "t.attempt > 0 AND (?1 = '' OR a.name = ?1) AND t.started_at >= ?2 AND t.started_at < "
           "?3 GROUP BY key ORDER BY " +
           std::string(grouping.order);
}

}  // namespace

std::vector<UsageRow> load_usage(Store& store, const UsageFilter& filter) {
    const auto read = [](const Statement& row) {
        return UsageRow{.key = row.text(0),
                        .label = row.text(1),
                        .turns = row.integer(2),
                        .usage = {row.integer(3), row.integer(4), row.integer(5), row.integer(6)},
                        .cost_usd = row.real(7),
                        .priced_turns = row.integer(8)};
    };
    return query_all(store, sql_for(filter.by), read, filter.agent, filter.since, filter.until);
}

UsageRow total_of(const std::vector<UsageRow>& rows) {
    UsageRow total;
    for (const UsageRow& row : rows) {
        total.turns += row.turns;
        total.usage += row.usage;
        total.cost_usd += row.cost_usd;
        total.priced_turns += row.priced_turns;
    }
    return total;
}

}  // namespace chorus::store
