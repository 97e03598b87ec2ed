#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chat/message.hpp"
#include "store/threads.hpp"

namespace chorus::store {

// Inserts the message and returns the row's id. The agent's clock may advance the timestamp
// (store/believed.hpp). The row is searchable from then on, and a summary becomes the thread's
// compaction. Runs inside a transaction of the caller.
std::int64_t insert_message(Store& store, AgentId agent, ThreadId thread,
                            const chat::Message& message);
// Deletes the row and its full-text row (a copy made by a branch has none). Runs inside a
// transaction of the caller.
void delete_message(Store& store, std::int64_t id);

struct WindowBounds {
    std::int64_t after_message = 0;  // ids greater than this
    base::TimeMs after_time = 0;     // timestamps greater than this
    std::int64_t open_turn = 0;      // its messages are always included; 0: none
    std::int64_t cut = 0;            // ids from this one on, except `compaction`
    std::int64_t compaction = 0;     // the thread's summary of earlier messages; 0: none
};
// The window after the agent's last clear, from the thread's cut on. A cut that was made while the
// clock was ahead does not count (store/believed.hpp).
WindowBounds bounds_of(const Agent& agent, const Thread& thread, base::TimeMs after_time,
                       std::int64_t open_turn = 0);
// Loads the window in order of id, but the summary first. The cost depends on the window, not on
// the size of the table.
std::vector<chat::Message> load_window(Store& store, AgentId agent, ThreadId thread,
                                       const WindowBounds& bounds);
// Returns the number of messages in the window, without reading their content.
std::int64_t count_window(Store& store, AgentId agent, ThreadId thread, const WindowBounds& bounds);
// Messages of one thread with ids greater than `after`, oldest first. For the transcript, so a copy
// has the time of its original.
std::vector<chat::Message> load_messages_after(Store& store, AgentId agent, ThreadId thread,
                                               std::int64_t after);
// Messages of the turn, without those that left the window.
std::vector<chat::Message> load_turn_messages(Store& store, std::int64_t turn_id);
// Original times of the thread's copies with ids greater than `after`, by id.
std::unordered_map<std::int64_t, base::TimeMs> original_times(Store& store, AgentId agent,
                                                              ThreadId thread, std::int64_t after);
// The newest id; 0 if there is none.
std::int64_t newest_message_id(Store& store, AgentId agent);  // over all its threads
std::int64_t newest_message_id(Store& store, AgentId agent, ThreadId thread);
std::int64_t newest_kept_message_id(Store& store, AgentId agent, ThreadId thread);
// Loads the window as it was when message `at` of the thread was written, including that message.
// Messages that left the window later are included, those that had left before are not. The bounds
// are those of that time. In order of id.
std::vector<chat::Message> load_window_at(Store& store, AgentId agent, ThreadId thread,
                                          std::int64_t at, const WindowBounds& bounds);

// Moves summaries to the front, the order in which messages are sent.
void put_compactions_first(std::vector<chat::Message>& window);

// A message with what is stored beside it.
struct StoredMessage {
    chat::Message message;
    AgentId agent_id = 0;  // only read
    ThreadId thread = 1;
    std::string outcome;                  // of the call whose result it is; "": unknown
    std::string restored_from;            // a session, a message or an import; "": itself original
    std::int64_t original = 0;            // only read: the message it is a copy of; 0: not a copy
    base::TimeMs original_timestamp = 0;  // 0: same as the message's own
    // Only read: the id of its replacement in the window; 0: none. Negative: it was rewound.
    std::optional<std::int64_t> left_for = {};
    bool left_out = false;    // in no window any more: it has left_for
    bool taken_back = false;  // by --retry, here or in the original record
    std::string prefix_hash;  // only read
};
std::optional<StoredMessage> find_message(Store& store, std::int64_t id);
// Copies a message to another thread with everything a request needs, at the agent's present time;
// the original time is kept beside it. Search finds only the original. `turn` 0: none. Returns the
// new id.
std::int64_t copy_message(Store& store, std::int64_t id, AgentId agent, ThreadId thread,
                          std::int64_t turn, base::TimeMs now);
// The beginning of restored_from of an imported message.
constexpr std::string_view import_mark = "import:";
// Inserts a message of another record or a saved session with its own id and timestamp, and with
// restored_from, original_timestamp, left_out and taken_back; changes neither the agent's clock nor
// the thread's compaction. Runs inside a transaction of the caller.
void insert_copy(Store& store, AgentId agent, const StoredMessage& copy);
// Removes the thread's messages from `first` on from every window, except a summary of earlier
// ones; history and search keep them. Returns how many.
std::int64_t rewind_messages(Store& store, AgentId agent, ThreadId thread, std::int64_t first);

// Removes the turn's messages from `first` on from every window; history and search keep them.
void drop_messages(Store& store, std::int64_t turn_id, std::int64_t first);
// Replaces these messages by `into` in every window. Runs inside a transaction of the caller.
void compact_messages(Store& store, const std::vector<chat::Message>& replaced, std::int64_t into);

// Ids of the thread's messages, from `from_id` on, that came from that session.
std::vector<std::int64_t> restored_messages(Store& store, AgentId agent, ThreadId thread,
                                            std::int64_t from_id, std::string_view session);
// Returns whether any later message was restored; imported summaries do not count.
bool is_restored_after(Store& store, AgentId agent, ThreadId thread, std::int64_t message_id);

// Cumulative hash of the request up to this message.
void set_prefix_hash(Store& store, std::int64_t message_id, std::string_view hash);
std::string prefix_hash_of(Store& store, std::int64_t message_id);
// The hash of the thread's newest message in a window, skipping a summary that has none; "": none.
std::string newest_prefix_hash(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
