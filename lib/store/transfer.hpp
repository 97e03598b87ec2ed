// Messages with everything that is stored beside them, for transfer between records.
#pragma once

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "store/messages.hpp"

namespace chorus::store {

struct Extent {
    ThreadId thread = 0;                                            // 0: all of them
    base::TimeMs since = 0;                                         // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
};
// Calls `use` thread by thread, each from its newest message back to the first one that is too old.
void for_each_stored(Store& store, AgentId agent, const Extent& extent,
                     const std::function<void(StoredMessage&&)>& use);
// In order of id.
std::vector<StoredMessage> load_messages(Store& store, AgentId agent, const Extent& extent);

// The beginning of restored_from of an imported message.
constexpr std::string_view import_mark = "import:";
// Inserts the message with its own id and timestamp, and with restored_from, original_timestamp,
// left_out and taken_back; changes neither the agent's clock nor the thread's compaction. Runs
// inside a transaction of the caller.
void insert_copy(Store& store, AgentId agent, const StoredMessage& copy);

}  // namespace chorus::store
