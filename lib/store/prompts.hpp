#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/event.hpp"
#include "store/turns.hpp"

namespace chorus::store {

enum class PromptState { pending, approved, denied, answered, expired, cancelled };
std::string_view name(PromptState state);

// A question that waits for a user's answer.
struct Prompt {
    std::string id;
    AgentId agent_id = 0;
    TurnId turn_id = 0;
    chat::PromptKind kind = chat::PromptKind::permission;
    std::string tool_call_id;
    std::string action;
    std::string tool;
    std::string arguments;
    // What an approval is bound to (approval/binding.hpp).
    std::string arguments_hash;
    std::string directory;
    std::string profile;
    std::string files;
    std::string fingerprint;  // packed, stored under `files`; not read back with the row
    std::string text;
    std::string options;
    PromptState state = PromptState::pending;
    base::TimeMs created_at = 0;
    base::TimeMs expires_at = 0;
    base::TimeMs decided_at = 0;
    std::string decided_by;
    std::string answer;
    base::TimeMs consumed_at = 0;
};

// An expired prompt can no longer be decided, even if its row does not say so yet.
inline bool has_expired(const Prompt& prompt, base::TimeMs now) {
    return prompt.expires_at != 0 && prompt.expires_at <= now;
}

void insert_prompt(Store& store, const Prompt& prompt);
// Returns the fingerprint stored under that hash; "" if there is none.
std::string load_fingerprint(Store& store, std::string_view hash);
// Deletes the fingerprints of all calls but those that may still run.
void drop_used_fingerprints(Store& store);
std::optional<Prompt> find_prompt(Store& store, std::string_view id);
std::vector<Prompt> load_prompts(Store& store, TurnId turn);
// Adds those of the open turns of its sub-agents (open_turns_below).
std::vector<Prompt> load_prompts_below(Store& store, TurnId turn);
std::vector<Prompt> pending_prompts(Store& store, AgentId agent);
// Adds those of its sub-agents, at any depth.
std::vector<Prompt> pending_prompts_below(Store& store, AgentId agent);
// All of the home.
std::vector<Prompt> pending_prompts(Store& store);
// Returns whether trust for the agent's change with that hash is pending or was denied.
bool was_asked_for_trust(Store& store, AgentId agent, std::string_view arguments_hash);
// Stores state, decided_at, decided_by, answer, profile and files from `decided`. Returns false if
// it was already decided, has expired, or its agent is being destroyed.
bool decide_prompt(Store& store, const Prompt& decided);
// Part of the transaction that writes the intent or the result. Returns false if the prompt is
// pending, cancelled, or already consumed.
bool consume_prompt(Store& store, std::string_view id, base::TimeMs now);
// Cancels the prompt unless it was consumed or has expired.
void cancel_prompt(Store& store, std::string_view id, base::TimeMs now);
// The same for all prompts of one call, which already has its result.
void cancel_prompts_of(Store& store, TurnId turn, std::string_view tool_call_id, base::TimeMs now);
// Marks all pending prompts of the home that have expired. Runs inside a transaction of the caller,
// like every function here that writes; has_expired_prompts tells whether it is needed.
void expire_prompts(Store& store, base::TimeMs now);
bool has_expired_prompts(Store& store, base::TimeMs now);
// Moves approvals that are not consumed yet from profile `from` to profile `to`.
void rebind_prompts(Store& store, AgentId agent, std::string_view from, std::string_view to);
// Cancels the pending prompts of the turn's calls.
void cancel_questions(Store& store, TurnId turn, base::TimeMs now);
// Cancels all pending prompts of the agent; returns how many.
std::int64_t cancel_pending_prompts(Store& store, AgentId agent, base::TimeMs now);
// Cancels every prompt of the turn that is neither consumed nor expired.
void cancel_prompts(Store& store, TurnId turn, base::TimeMs now);

}  // namespace chorus::store
