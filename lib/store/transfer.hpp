// Messages on their way from one record to another, with all that is stored beside them.
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
    std::string outcome;                  // of the call that it is the result of; "": nobody knows
    std::string restored_from;            // "": said here
    base::TimeMs original_timestamp = 0;  // 0: as the message's own
    bool left_out = false;                // of every window
    bool taken_back = false;              // by --retry, here or where it was said
};

struct Extent {
    ThreadId thread = 0;                                            // 0: all of them
    base::TimeMs since = 0;                                         // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
};
// Thread by thread, each from its newest message back to the first that is too old.
void for_each_stored(Store& store, AgentId agent, const Extent& extent,
                     const std::function<void(StoredMessage&&)>& use);
// In order of id.
std::vector<StoredMessage> load_messages(Store& store, AgentId agent, const Extent& extent);

// What restored_from begins with for a message that was imported.
constexpr std::string_view import_mark = "import:";
// The message with the id and the timestamp that it has, and restored_from, original_timestamp,
// left_out and taken_back; neither the agent's clock nor the thread's summary changes. Inside a
// transaction of the caller.
void insert_copy(Store& store, AgentId agent, const StoredMessage& copy);

}  // namespace chorus::store
