// Sums of what turns cost.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "chat/message.hpp"
#include "store/store.hpp"

namespace chorus::store {

// session: the first saved session that contains the turn; "" for turns that were never saved.
enum class UsageBy { day, agent, model, session };

struct UsageFilter {
    std::string agent = {};  // by name, destroyed ones too; "": all
    UsageBy by = UsageBy::day;
    base::TimeMs since = 0;                                         // turns started from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
};

struct UsageRow {
    std::string key;    // "2026-02-12" (UTC), a name, a session's id
    std::string label;  // of a session: its description; else ""
    std::int64_t turns = 0;
    chat::Usage usage;
    double cost_usd = 0;
    std::int64_t priced_turns = 0;  // turns with a known cost, which cost_usd sums up
};
// Sorted by key; sessions in the order of their turns.
std::vector<UsageRow> load_usage(Store& store, const UsageFilter& filter);
UsageRow total_of(const std::vector<UsageRow>& rows);

}  // namespace chorus::store
