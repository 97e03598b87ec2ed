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

// Inserts and returns the row's id; the timestamp is what the agent's clock makes of the given one
// (store/believed.hpp). Search finds it from then on, and the thread knows one that stands for
// earlier ones. Inside a transaction of the caller.
std::int64_t insert_message(Store& store, AgentId agent, ThreadId thread,
                            const chat::Message& message);
// The same with the id (0: the next one) and the timestamp that it has: nothing else changes. The
// row's id.
std::int64_t insert_row(Store& store, AgentId agent, ThreadId thread, const chat::Message& message);
// Deletes the row and its full-text row, which a message that a branch copied does not have. Inside
// a transaction of the caller.
void delete_message(Store& store, std::int64_t id);

struct WindowBounds {
    std::int64_t after_message = 0;  // ids greater than this
    base::TimeMs after_time = 0;     // timestamps greater than this
    std::int64_t open_turn = 0;      // its messages are in whatever the bounds say; 0: none
    std::int64_t cut = 0;            // ids from this on, but for `compaction`
    std::int64_t compaction = 0;     // the thread's message that stands for earlier ones; 0: none
};
// Behind the agent's last clear, from the thread's cut on; a cut that was made under a clock which
// was ahead does not count (store/believed.hpp).
WindowBounds bounds_of(const Agent& agent, const Thread& thread, base::TimeMs after_time,
                       std::int64_t open_turn = 0);
// In order of id, but a message that stands for earlier ones first; costs what the window holds,
// however many rows the table has.
std::vector<chat::Message> load_window(Store& store, AgentId agent, ThreadId thread,
                                       const WindowBounds& bounds);
// How many there are; costs the same, but for what the messages say.
std::int64_t count_window(Store& store, AgentId agent, ThreadId thread, const WindowBounds& bounds);
// Of one thread, ids greater than `after`, oldest first: for the transcript, so a copy has the time
// of the original.
std::vector<chat::Message> load_messages_after(Store& store, AgentId agent, ThreadId thread,
                                               std::int64_t after);
// Without what was dropped.
std::vector<chat::Message> load_turn_messages(Store& store, std::int64_t turn_id);
// When the thread's copies with greater ids than `after` were said first, by their ids.
std::unordered_map<std::int64_t, base::TimeMs> original_times(Store& store, AgentId agent,
                                                              ThreadId thread, std::int64_t after);
// 0 for none.
std::int64_t newest_message_id(Store& store, AgentId agent);  // of all its threads
std::int64_t newest_message_id(Store& store, AgentId agent, ThreadId thread);
std::int64_t newest_kept_message_id(Store& store, AgentId agent, ThreadId thread);
// What the window held when message `at` of the thread was said, and that message: what left it
// later is there, what had left it before is not. The bounds are those of that time. In order of
// id.
std::vector<chat::Message> load_window_at(Store& store, AgentId agent, ThreadId thread,
                                          std::int64_t at, const WindowBounds& bounds);

// As they are sent.
void put_compactions_first(std::vector<chat::Message>& messages);

struct MessageRow {
    AgentId agent_id = 0;
    ThreadId thread_id = 0;
    std::int64_t original = 0;  // the message it is a copy of, 0: it is none
    bool is_kept = true;        // not dropped, rewound or compacted
    chat::Message message;
};
std::optional<MessageRow> find_message(Store& store, std::int64_t id);
// The same message in another thread, with everything a request needs, at the agent's present time;
// the time it was said stays with it. Search finds the original alone. `turn` 0: none. The new id.
std::int64_t copy_message(Store& store, std::int64_t id, AgentId agent, ThreadId thread,
                          std::int64_t turn, base::TimeMs now);
// The thread's messages from `first` on leave every window, but for one that stands for all before
// it; history and search keep them. How many did.
std::int64_t rewind_messages(Store& store, AgentId agent, ThreadId thread, std::int64_t first);

// The turn's messages from `first` on leave every window; history and search keep them.
void drop_messages(Store& store, std::int64_t turn_id, std::int64_t first);
// These leave every window, where `into` now stands for them. Inside a transaction of the caller.
void compact_messages(Store& store, const std::vector<chat::Message>& messages, std::int64_t into);

// Where a message that was inserted came from. Inside a transaction of the caller.
struct Restored {
    std::string_view session;
    base::TimeMs original_timestamp = 0;  // 0: not known
};
void mark_restored(Store& store, std::int64_t message_id, const Restored& from);
// Which messages of the thread, from that id on, came from that session.
std::vector<std::int64_t> restored_messages(Store& store, AgentId agent, ThreadId thread,
                                            std::int64_t from_id, std::string_view session);
// Whether any message behind that one was restored; a summary that was imported is none.
bool is_restored_after(Store& store, AgentId agent, ThreadId thread, std::int64_t message_id);

// Cumulative hash of the request up to this message.
void set_prefix_hash(Store& store, std::int64_t message_id, std::string_view hash);
std::string prefix_hash_of(Store& store, std::int64_t message_id);
// That of the thread's newest message in a window, a summary without one left aside; "": none.
std::string newest_prefix_hash(Store& store, AgentId agent, ThreadId thread);

}  // namespace chorus::store
