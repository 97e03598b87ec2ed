#include "store/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "store/agent_tree.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

struct Grouping {
    std::string_view key;
    std::string_view label = "''";
    std::string_view order = "key";
    std::string_view join = {};
};

// A session's window may begin with the turn's first message, which is slightly later than the
// turn's start.
constexpr std::string_view session_of_call =
    "LEFT JOIN turns AS t ON t.id = u.turn_id LEFT JOIN sessions AS s ON s.rowid = (SELECT rowid "
    "FROM sessions WHERE agent_id = t.agent_id AND saved_at >= t.started_at AND window_start <= "
    "coalesce(t.ended_at, t.started_at) AND window_end >= t.started_at ORDER BY saved_at LIMIT 1)";

constexpr std::array<Grouping, 5> groupings{{
    {"u.day"},
    {"a.name"},
    {"u.model"},
    {"u.profile"},
    {"coalesce(s.id, '')", "coalesce(s.description, '')", "key = '', min(u.id)", session_of_call},
}};

constexpr std::string_view whole_days =
    "SELECT * FROM usage_sums WHERE day >= date(?2 / 1000, 'unixepoch', 'localtime') AND "
    "(?3 >= 253402300800000 OR day < date(?3 / 1000, 'unixepoch', 'localtime'))";
constexpr std::string_view single_calls =
    "SELECT id, turn_id, date(id / 1000000, 'unixepoch', 'localtime') AS day, agent_id, model, "
    "profile, 1 AS calls, cost IS NOT NULL AS priced_calls, state = 'estimated' AS "
    "estimated_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, "
    "reasoning_tokens, cost FROM model_calls WHERE state <> 'reserved' AND id >= ?2 * 1000 AND "
    "id < ?3 * 1000";

// Beyond the year 9999 SQLite has no dates.
constexpr base::TimeMs latest = 253'402'300'800'000;

bool begins_a_day(Store& store, base::TimeMs time) {
    if (time == 0 || time >= latest) return true;
    return query_text(store, "SELECT strftime('%H%M%S', ? / 1000, 'unixepoch', 'localtime')",
                      time) == "000000" &&
           time % 1000 == 0;
}

std::string sql_for(UsageBy by, std::string_view source) {
    const Grouping& grouping = groupings[static_cast<std::size_t>(by)];
    return fmt::format(
        "SELECT {} AS key, {} AS label, sum(u.calls), sum(u.priced_calls), sum(u.estimated_calls), "
        "sum(u.input_tokens), sum(u.output_tokens), sum(u.cache_read_tokens), "
        "sum(u.cache_write_tokens), sum(u.reasoning_tokens), sum(u.cost) FROM ({}) AS u JOIN "
        "agents AS a ON a.id = u.agent_id {} WHERE ?1 = '' OR a.id IN {} GROUP BY key "
        "ORDER BY {}",
        grouping.key, grouping.label, source, grouping.join,
        agent_tree("SELECT id FROM agents WHERE name = ?1"), grouping.order);
}

}  // namespace

std::vector<UsageRow> load_usage(Store& store, const UsageFilter& filter) {
    const auto read = [](const Statement& row) {
        return UsageRow{.key = row.text(0),
                        .label = row.text(1),
                        .calls = row.integer(2),
                        .priced_calls = row.integer(3),
                        .estimated_calls = row.integer(4),
                        .usage = {.input_tokens = row.integer(5),
                                  .output_tokens = row.integer(6),
                                  .cache_read_tokens = row.integer(7),
                                  .cache_write_tokens = row.integer(8),
                                  .reasoning_tokens = row.integer(9),
                                  .cost = row.integer(10)}};
    };
    const base::TimeMs until = std::min(filter.until, latest);
    const bool has_sums = filter.by != UsageBy::session && begins_a_day(store, filter.since) &&
                          begins_a_day(store, until);
    return query_all(store, sql_for(filter.by, has_sums ? whole_days : single_calls), read,
                     filter.agent, filter.since, until);
}

UsageRow total_of(const std::vector<UsageRow>& rows) {
    UsageRow total;
    for (const UsageRow& row : rows) {
        total.calls += row.calls;
        total.priced_calls += row.priced_calls;
        total.estimated_calls += row.estimated_calls;
        total.usage += row.usage;
    }
    return total;
}

}  // namespace chorus::store
