// Messages with everything that is stored beside them, for transfer between records.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"
#include "store/threads.hpp"

namespace chorus::store {

struct StoredMessage {
    chat::Message message;
    ThreadId thread = 1;
    std::string outcome;                  // of the call whose result it is; "": unknown
    std::string restored_from;            // "": original
    base::TimeMs original_timestamp = 0;  // 0: same as the message's own
    bool left_out = false;                // in no window any more
    bool taken_back = false;              // by --retry, here or in the original record
};

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
