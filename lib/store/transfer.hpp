// Messages on their way from one record to another, with all that is stored beside them.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"
#include "store/threads.hpp"

namespace chorus::store {

struct StoredMessage {
    chat::Message message;
    ThreadId thread = 1;
    std::string outcome;                  // of the call that it is the result of; "": nobody knows
    std::string restored_from;            // "": said here
    base::TimeMs original_timestamp = 0;  // 0: as the message's own
    bool left_out = false;                // of every window
};

struct Extent {
    ThreadId thread = 0;                                            // 0: all of them
    base::TimeMs since = 0;                                         // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
};
// In order of id. Reads back from the newest to the first that is too old.
std::vector<StoredMessage> load_messages(Store& store, AgentId agent, const Extent& extent);

// What restored_from begins with for a message that was imported.
constexpr std::string_view import_mark = "import:";
// The restored_from of each message of the agent that was imported.
std::set<std::string, std::less<>> import_marks(Store& store, AgentId agent);
// Whether the agent has a message that was not imported.
bool has_own_messages(Store& store, AgentId agent);
std::optional<StoredMessage> find_stored_message(Store& store, AgentId agent, std::int64_t id);

// insert_message, with restored_from, original_timestamp and left_out. Inside a transaction of the
// caller.
std::int64_t insert_copy(Store& store, AgentId agent, const StoredMessage& copy);

}  // namespace chorus::store
