#include "store/usage.hpp"

#include <fmt/format.h>

#include <array>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

struct Grouping {
    std::string_view key;
    std::string_view label;
    std::string_view order;
    std::string_view join = {};
};

// A session's window may begin with the turn's first message, which is slightly later than the
// turn's start.
constexpr std::string_view session_of_turn =
    "LEFT JOIN sessions AS s ON s.rowid = (SELECT rowid FROM sessions WHERE agent_id = t.agent_id "
    "AND saved_at >= t.started_at AND window_start <= coalesce(t.ended_at, t.started_at) AND "
    "window_end >= t.started_at ORDER BY saved_at LIMIT 1)";

constexpr std::array<Grouping, 4> groupings{{
    {"date(t.started_at / 1000, 'unixepoch')", "''", "key"},
    {"a.name", "''", "key"},
    {"t.model", "''", "key"},
    {"coalesce(s.id, '')", "coalesce(s.description, '')", "key = '', min(t.id)", session_of_turn},
}};

std::string sql_for(UsageBy by) {
    const Grouping& grouping = groupings[static_cast<std::size_t>(by)];
    return fmt::format(
        "SELECT {} AS key, {} AS label, count(*), sum(t.input_tokens), sum(t.output_tokens), "
        "sum(t.cache_read_tokens), sum(t.cache_write_tokens), total(t.cost_usd), count(t.cost_usd) "
        "FROM turns AS t JOIN agents AS a ON a.id = t.agent_id {} WHERE t.attempt > 0 AND (?1 = '' "
        "OR a.name = ?1) AND t.started_at >= ?2 AND t.started_at < ?3 GROUP BY key ORDER BY {}",
        grouping.key, grouping.label, grouping.join, grouping.order);
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
