// Records in chronological order: the audit log, events, inbox and outbox.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/turns.hpp"

namespace chorus::store {

struct AuditRow {
    AgentId agent_id = 0;
    std::string agent_name = {};
    base::TimeMs timestamp = 0;
    TurnId turn_id = 0;
    std::string action = {};
    std::string decision = {};  // allow, ask_approved, ask_denied, deny
    std::int64_t user_id = 0;
    std::string actor = {};
    std::string detail = {};
};
// Appends to the hash chain of the home. Inside a transaction of the caller.
void append_audit(Store& store, const AuditRow& row);
// The same for a row of the agent, from a process of this user; it is of now unless it has a time.
void append_audit(Store& store, const Agent& agent, AuditRow row);
struct AuditHead {
    std::int64_t rows = 0;
    std::string hash;
};
AuditHead audit_head(Store& store);

// A row of the chain.
struct AuditEntry {
    std::int64_t id = 0;
    AuditRow row;
    std::string previous_hash;
    std::string hash;
};
// One JSON object without a newline, as `chorus-context audit --json` prints it and sinks get it.
std::string audit_json(const AuditEntry& entry);

struct AuditFilter {
    std::int64_t after = 0;  // greater ids only
    std::string agent = {};  // by name, destroyed ones too; "": all
    base::TimeMs since = 0;  // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::string decision = {};                                      // "": all
    TurnId turn = 0;                                                // 0: all
    std::function<bool(std::string_view)> action = {};
    std::int64_t newest = 0;  // this many of the last ones; 0: all
};
// Calls `use` oldest first, one row at a time, until it returns false.
void for_each_audit(Store& store, const AuditFilter& filter,
                    const std::function<bool(const AuditEntry&)>& use);

// Recomputes the chain up to the first row that does not match. Rows removed at the end can only be
// detected with a head stored elsewhere.
struct AuditChain {
    AuditHead head;               // of the rows that match
    std::int64_t broken_row = 0;  // the id of the first row that does not match, 0: none
    std::string hash_at;          // after `at` rows, "" if there are fewer
};
AuditChain check_audit(Store& store, std::int64_t at = 0);

struct EventRow {
    std::int64_t id = 0;  // assigned on insertion; rises
    AgentId agent_id = 0;
    ThreadId thread_id = 0;
    TurnId turn_id = 0;
    base::TimeMs at = 0;
    std::string kind = {};  // "turn", "agent", "task", "branch", "rewind", "home"
    std::string previous = {};
    std::string next = {};
    std::string cause = {};
    std::string data = {};
};
void insert_event(Store& store, const EventRow& row);
struct EventFilter {
    AgentId agent = 0;
    std::int64_t after = 0;  // greater ids only
    base::TimeMs since = 0;  // events after the last older one
};
// Calls `use` in order of id until it returns false; reads only those rows.
void for_each_event(Store& store, const EventFilter& filter,
                    const std::function<bool(const EventRow&)>& use);
// Returns when the turn last entered `working`, from its events; 0 if never. Reads the agent's
// events since then.
base::TimeMs began_work_at(Store& store, AgentId agent, TurnId turn);

struct InboxRow {
    std::int64_t id = 0;
    AgentId agent_id = 0;
    ThreadId thread_id = 1;
    std::string source = {};
    std::string actor = {};  // as a turn's
    std::string content = {};
    base::TimeMs created_at = 0;
    TurnId delivered_turn = 0;
    std::int64_t depth = 0;            // of the task that left it
    std::string rights = {};           // the most that a turn for it may do; "": no extra limit
    bool begins_turn = false;          // from a task that begins a turn; read, never inserted
    std::string idempotency_key = {};  // "": none
};
// Returns false, and does nothing, if a row has that idempotency key.
bool insert_inbox(Store& store, const InboxRow& row);
bool has_inbox_key(Store& store, std::string_view idempotency_key);
// Returns whether that inbox has or had the same text with the same time.
bool is_in_inbox(Store& store, const InboxRow& row);
// In order of id.
std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread);
// Deletes undelivered rows of all the agent's threads; returns how many.
std::int64_t drop_undelivered(Store& store, AgentId agent);
// Returns the rows that the agent's turns took, in order of id.
std::vector<InboxRow> delivered(Store& store, AgentId agent);
void mark_delivered(Store& store, std::int64_t id, TurnId turn);
// The distinct actors of the rows delivered to a turn.
std::vector<std::string> senders(Store& store, TurnId turn);
// The distinct rights of the rows delivered to a turn, and their greatest depth.
std::vector<std::string> delivered_rights(Store& store, TurnId turn);
std::int64_t delivered_depth(Store& store, TurnId turn);
// Records for `copy` what was delivered to `turn`: a copy of a turn has its senders and their
// rights.
void copy_delivered(Store& store, TurnId turn, const Turn& copy);

// Adds a message for the agent's channel. Returns the row's id; ids rise.
std::int64_t insert_outbox(Store& store, AgentId agent, TurnId turn, std::string_view content);
// Removes and returns the agent's oldest message with an id of at most `newest`. Runs inside a
// transaction of the caller, like every function here that writes.
std::optional<std::string> take_from_outbox(Store& store, AgentId agent, std::int64_t newest);

}  // namespace chorus::store
