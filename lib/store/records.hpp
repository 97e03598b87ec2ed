// What is only ever appended: the audit log, events, and the inbox.
#pragma once

#include <cstdint>
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
// In order; turn 0: of every turn.
std::vector<AuditRow> load_audit(Store& store, AgentId agent, TurnId turn);
// Computes the chain again: the id of the first row that is not what was appended, 0 for none. Rows
// cut off at the end show only against a head kept elsewhere.
std::int64_t find_audit_break(Store& store);

struct EventRow {
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

struct InboxRow {
    std::int64_t id = 0;
    AgentId agent_id = 0;
    ThreadId thread_id = 1;
    std::string source;
    std::string content;
    base::TimeMs created_at = 0;
    TurnId delivered_turn = 0;
};
void insert_inbox(Store& store, const InboxRow& row);
std::vector<InboxRow> undelivered(Store& store, AgentId agent, ThreadId thread);
void mark_delivered(Store& store, std::int64_t id, TurnId turn);

}  // namespace chorus::store
