// Sums of what model calls used, from the ledger. Those of whole days are read from its sums.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/enum_names.hpp"
#include "base/time.hpp"
#include "chat/message.hpp"
#include "store/store.hpp"

namespace chorus::store {

// session: the first saved session that contains the call's turn; "" for one that was never saved.
enum class UsageBy { day, agent, model, profile, session };
inline constexpr base::EnumNames<UsageBy, 5> usage_groupings{
    {"day", "agent", "model", "profile", "session"}};

struct UsageFilter {
    std::string agent = {};  // by name, destroyed ones too; "": all
    UsageBy by = UsageBy::day;
    base::TimeMs since = 0;                                         // calls sent from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
};

struct UsageRow {
    std::string key;    // "2026-02-12" (local), a name, a session's id
    std::string label;  // of a session: its description; else ""
    std::int64_t calls = 0;
    std::int64_t priced_calls = 0;     // with a known cost, which usage.cost sums up
    std::int64_t estimated_calls = 0;  // the provider has not said what was used
    chat::Usage usage;
};
// Sorted by key; sessions in the order of their calls. Calls in flight are not counted.
std::vector<UsageRow> load_usage(Store& store, const UsageFilter& filter);
UsageRow total_of(const std::vector<UsageRow>& rows);

}  // namespace chorus::store
