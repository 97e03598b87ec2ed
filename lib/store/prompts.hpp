#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/turns.hpp"

namespace chorus::store {

// A question that waits for a person.
struct Prompt {
    std::string id;
    AgentId agent_id = 0;
    TurnId turn_id = 0;
    std::string kind;  // permission, question, trust
    std::string tool_call_id;
    std::string action;
    std::string tool;
    std::string arguments;
    // What an approval is bound to (turn/binding.hpp).
    std::string arguments_hash;
    std::string directory;
    std::string profile;
    std::string files;
    std::string fingerprint;  // packed, to be kept under `files`; never read back with the row
    std::string text;
    std::string options;
    std::string state = "pending";
    base::TimeMs created_at = 0;
    base::TimeMs expires_at = 0;
    base::TimeMs decided_at = 0;
    std::string decided_by;
    std::string answer;
    base::TimeMs consumed_at = 0;
};

// Nobody may decide it any more, whether or not its row says so yet.
inline bool has_expired(const Prompt& prompt, base::TimeMs now) {
    return prompt.expires_at != 0 && prompt.expires_at <= now;
}

void insert_prompt(Store& store, const Prompt& prompt);
// What was kept under that hash; "" where there is nothing, or nothing any more.
std::string load_fingerprint(Store& store, std::string_view hash);
std::optional<Prompt> find_prompt(Store& store, std::string_view id);
std::vector<Prompt> load_prompts(Store& store, TurnId turn);
std::vector<Prompt> pending_prompts(Store& store, AgentId agent);
// Of the whole home.
std::vector<Prompt> pending_prompts(Store& store);
// Whether the agent's change of that hash waits for trust, or was denied it.
bool was_asked_for_trust(Store& store, AgentId agent, std::string_view arguments_hash);
// Takes state, decided_at, decided_by, answer, profile and files from `decided`. False where
// somebody was first, it has expired, or its agent is being destroyed.
bool decide_prompt(Store& store, const Prompt& decided);
// Part of the transaction that writes the intent or the result: false where it is pending,
// cancelled, or consumed already.
bool consume_prompt(Store& store, std::string_view id, base::TimeMs now);
// One that is neither consumed nor expired becomes cancelled.
void cancel_prompt(Store& store, std::string_view id, base::TimeMs now);
// The same for all about one call, which has its result.
void cancel_prompts_of(Store& store, TurnId turn, std::string_view tool_call_id, base::TimeMs now);
// Expires the pending prompts of the whole home whose time has come. Inside a transaction of the
// caller, as all that writes; has_expired_prompts tells whether one is needed.
void expire_prompts(Store& store, base::TimeMs now);
bool has_expired_prompts(Store& store, base::TimeMs now);
// Approvals that are not consumed yet, given under `from`, hold under `to`.
void rebind_prompts(Store& store, AgentId agent, std::string_view from, std::string_view to);
// Those of the turn's calls that are pending become cancelled.
void cancel_questions(Store& store, TurnId turn, base::TimeMs now);
// Every one of the agent that is pending becomes cancelled; how many there were.
std::int64_t cancel_pending_prompts(Store& store, AgentId agent, base::TimeMs now);
// Every prompt of the turn that is neither consumed nor expired becomes cancelled.
void cancel_prompts(Store& store, TurnId turn, base::TimeMs now);

}  // namespace chorus::store
