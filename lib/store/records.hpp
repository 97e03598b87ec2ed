// What is appended in the order in which it happened: the audit log, events, inbox and outbox.
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
    std::string agent_name;
    base::TimeMs timestamp = 0;
    TurnId turn_id = 0;
    std::string action;
    std::string decision;  // allow, ask_approved, ask_denied, deny
    std::int64_t user_id = 0;
    std::string actor;
    std::string detail;
};
// Appends to the hash chain of the home. Inside a transaction of the caller.
void append_audit(Store& store, const AuditRow& row);
struct AuditHead {
    std::int64_t rows = 0;
    std::string hash;
};
AuditHead audit_head(Store& store);

// A row as it stands in the chain.
struct AuditEntry {
    std::int64_t id = 0;
    AuditRow row;
    std::string previous_hash;
    std::string hash;
};
// One JSON object, without a newline: what `chorus-context audit --json` prints and sinks get.
std::string audit_json(const AuditEntry& entry);

struct AuditFilter {
    std::int64_t after = 0;  // greater ids only
    std::string agent = {};  // by name, destroyed ones too; "": of every agent
    base::TimeMs since = 0;  // from then on
    base::TimeMs until = std::numeric_limits<base::TimeMs>::max();  // and before then
    std::string decision = {};                                      // "": every one
    TurnId turn = 0;                                                // 0: of every turn
    std::function<bool(std::string_view)> action = {};
    std::int64_t newest = 0;  // so many of the last ones; 0: all
};
// Oldest first, one at a time, until `use` returns false.
void for_each_audit(Store& store, const AuditFilter& filter,
                    const std::function<bool(const AuditEntry&)>& use);

// The chain, computed again up to the first row that is not what was appended. Rows cut off at the
// end show only against a head kept elsewhere.
struct AuditChain {
    AuditHead head;               // of the rows that are right
    std::int64_t broken_row = 0;  // the id of the first that is not, 0: none
    std::string hash_at;          // after `at` rows, "" where there are fewer
};
AuditChain check_audit(Store& store, std::int64_t at = 0);

struct EventRow {
    std::int64_t id = 0;  // given when it is inserted; rises
    AgentId agent_id = 0;
    ThreadId thread_id = 0;
    TurnId turn_id = 0;
    base::TimeMs at = 0;
    std::string kind;  // "turn", "agent"
    std::string previous;
    std::string next;
    std::string cause;
    std::string data;
};
void insert_event(Store& store, const EventRow& row);
std::vector<EventRow> load_events(Store& store, AgentId agent);
struct EventFilter {
    AgentId agent = 0;
    std::int64_t after = 0;  // greater ids only
    base::TimeMs since = 0;  // what came behind the last one that is older
};
// In order of id, until `use` returns false; costs what it gives out.
void for_each_event(Store& store, const EventFilter& filter,
                    const std::function<bool(const EventRow&)>& use);
// When the turn came to be at work, by its newest event of that; 0 where there is none. Costs what
// the agent's events since then are.
base::TimeMs began_work_at(Store& store, AgentId agent, TurnId turn);

struct InboxRow {
    std::int64_t id = 0;
    AgentId agent_id = 0;
    ThreadId thread_id = 1;
    std::string source;
    std::string actor;  // as a turn's
    std::string content;
    base::TimeMs created_at = 0;
    TurnId delivered_turn = 0;
    std::int64_t depth = 0;    // of the task that left it
    std::string rights = {};   // what a turn that works for it may do at most; "": what it may
    bool begins_turn = false;  // it is of a task that begins a turn; read, never inserted
};
void insert_inbox(Store& store, const InboxRow& row);
// Whether there is, or was, the same text of the same moment in that inbox.
bool is_in_inbox(Store& store, const InboxRow& row);
// In order of id.
std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread);
// What nobody has taken up, of all its threads; how many there were.
std::int64_t drop_undelivered(Store& store, AgentId agent);
void mark_delivered(Store& store, std::int64_t id, TurnId turn);
// The actors of what was delivered to a turn, each once.
std::vector<std::string> senders(Store& store, TurnId turn);
// The rights of what was delivered to a turn, each once, and how deep the deepest was.
std::vector<std::string> delivered_rights(Store& store, TurnId turn);
std::int64_t delivered_depth(Store& store, TurnId turn);

// What is for the agent's channel. Returns the id of the row, which rises.
std::int64_t insert_outbox(Store& store, AgentId agent, TurnId turn, std::string_view content);
// The oldest of the agent with an id of at most `newest`, which is deleted. Inside a transaction of
// the caller, as all that writes.
std::optional<std::string> take_from_outbox(Store& store, AgentId agent, std::int64_t newest);

}  // namespace chorus::store
