#include "store/prompts.hpp"

#include "store/agent_tree.hpp"
#include "store/columns.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<PromptState, 6> prompt_states{
    {"pending", "approved", "denied", "answered", "expired", "cancelled"}};

constexpr Table prompts{
    Source<Prompt>{"prompts"},
    column("id", &Prompt::id),
    column("agent_id", &Prompt::agent_id),
    column("turn_id", &Prompt::turn_id, NullIs{0}),
    column("kind", &Prompt::kind, ByName{chat::prompt_kinds, "prompt kind"}),
    column("tool_call_id", &Prompt::tool_call_id, NullIs{""}),
    column("action", &Prompt::action),
    column("tool", &Prompt::tool),
    column("arguments", &Prompt::arguments),
    column("arguments_hash", &Prompt::arguments_hash),
    column("directory", &Prompt::directory),
    column("profile", &Prompt::profile),
    column("files", &Prompt::files),
    column("text", &Prompt::text),
    column("options", &Prompt::options),
    column("state", &Prompt::state, ByName{prompt_states, "prompt state"}),
    column("created_at", &Prompt::created_at),
    column("expires_at", &Prompt::expires_at, NullIs{0}),
    column("decided_at", &Prompt::decided_at, NullIs{0}),
    column("decided_by", &Prompt::decided_by),
    column("answer", &Prompt::answer),
    column("consumed_at", &Prompt::consumed_at, NullIs{0}),
};

// Cancels the prompts for which the condition holds, and returns how many. One that was consumed or
// has expired stays as it is.
template <typename... Values>
std::int64_t cancel(Store& store, base::TimeMs now, std::string_view condition,
                    const Values&... values) {
    const std::int64_t cancelled =
        run(store,
            std::string("UPDATE prompts SET state = 'cancelled', decided_at = coalesce(decided_at, "
                        "?) WHERE consumed_at IS NULL AND state <> 'expired' AND ")
                .append(condition),
            now, values...);
    if (cancelled > 0) drop_used_fingerprints(store);
    return cancelled;
}

void keep_fingerprint(Store& store, const Prompt& prompt) {
    if (prompt.fingerprint.empty()) return;
    run(store, "INSERT OR IGNORE INTO fingerprints (hash, packed) VALUES (?, CAST(? AS BLOB))",
        prompt.files, prompt.fingerprint);
}

}  // namespace

void drop_used_fingerprints(Store& store) {
    run(store,
        "DELETE FROM fingerprints WHERE NOT EXISTS (SELECT 1 FROM prompts WHERE files = hash AND "
        "consumed_at IS NULL AND state IN ('pending', 'approved'))");
}

std::string_view name(PromptState state) {
    return prompt_states.name(state);
}

void insert_prompt(Store& store, const Prompt& prompt) {
    keep_fingerprint(store, prompt);
    prompts.insert(store, prompt);
}

std::string load_fingerprint(Store& store, std::string_view hash) {
    return query_text(store, "SELECT packed FROM fingerprints WHERE hash = ?", hash);
}

std::optional<Prompt> find_prompt(Store& store, std::string_view id) {
    return prompts.find(store, "WHERE id = ?", id);
}

std::vector<Prompt> load_prompts(Store& store, TurnId turn) {
    return prompts.all(store, "WHERE turn_id = ? ORDER BY rowid", turn);
}

std::vector<Prompt> load_prompts_below(Store& store, TurnId turn) {
    std::vector<Prompt> all = load_prompts(store, turn);
    for (const Turn& below : open_turns_below(store, turn))
        for (Prompt& prompt : load_prompts(store, below.id)) all.push_back(std::move(prompt));
    return all;
}

std::vector<Prompt> pending_prompts(Store& store, AgentId agent) {
    // Most agents have none, so the statement with all columns is prepared only when there is one.
    Statement statement = store.prepare(
        "SELECT id FROM prompts WHERE agent_id = ? AND state = 'pending' ORDER BY rowid");
    statement.bind(agent);
    std::vector<Prompt> pending;
    while (statement.step()) pending.push_back(*find_prompt(store, statement.text(0)));
    return pending;
}

std::vector<Prompt> pending_prompts_below(Store& store, AgentId agent) {
    return prompts.all(
        store,
        "WHERE state = 'pending' AND agent_id IN " + agent_tree("SELECT ?") + " ORDER BY rowid",
        agent);
}

std::vector<Prompt> pending_prompts(Store& store) {
    return prompts.all(store, "WHERE state = 'pending' ORDER BY rowid");
}

bool was_asked_for_trust(Store& store, AgentId agent, std::string_view arguments_hash) {
    return has_row(store,
                   "SELECT 1 FROM prompts WHERE agent_id = ? AND kind = 'trust' AND arguments_hash "
                   "= ? AND state IN ('pending', 'denied') LIMIT 1",
                   agent, arguments_hash);
}

bool decide_prompt(Store& store, const Prompt& decided) {
    const auto changed = run(store,
                             "UPDATE prompts SET state = ?, decided_at = ?, decided_by = ?, answer "
                             "= ?, profile = ?, files = ? WHERE id = ? AND state = 'pending' AND "
                             "(expires_at IS NULL OR expires_at > ?2) AND EXISTS (SELECT 1 FROM "
                             "agents WHERE id = agent_id AND status IN ('creating', 'active'))",
                             name(decided.state), decided.decided_at, decided.decided_by,
                             decided.answer, decided.profile, decided.files, decided.id);
    if (changed != 1) return false;
    keep_fingerprint(store, decided);
    drop_used_fingerprints(store);
    return true;
}

bool consume_prompt(Store& store, std::string_view id, base::TimeMs now) {
    if (run(store,
            "UPDATE prompts SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL AND state IN "
            "('approved', 'denied', 'answered', 'expired')",
            now, id) != 1)
        return false;
    drop_used_fingerprints(store);
    return true;
}

void cancel_prompt(Store& store, std::string_view id, base::TimeMs now) {
    cancel(store, now, "id = ?", id);
}

void cancel_prompts_of(Store& store, TurnId turn, std::string_view tool_call_id, base::TimeMs now) {
    cancel(store, now, "turn_id = ? AND tool_call_id = ?", turn, tool_call_id);
}

bool has_expired_prompts(Store& store, base::TimeMs now) {
    return has_row(
        store, "SELECT 1 FROM prompts WHERE state = 'pending' AND expires_at <= ? LIMIT 1", now);
}

void rebind_prompts(Store& store, AgentId agent, std::string_view from, std::string_view to) {
    run(store,
        "UPDATE prompts SET profile = ? WHERE agent_id = ? AND profile = ? AND state = 'approved' "
        "AND consumed_at IS NULL",
        to, agent, from);
}

void expire_prompts(Store& store, base::TimeMs now) {
    if (run(store,
            "UPDATE prompts SET state = 'expired', decided_at = ?1 WHERE state = 'pending' AND "
            "expires_at <= ?1",
            now) > 0)
        drop_used_fingerprints(store);
}

void cancel_questions(Store& store, TurnId turn, base::TimeMs now) {
    cancel(store, now, "turn_id = ? AND state = 'pending' AND kind <> 'trust'", turn);
}

std::int64_t cancel_pending_prompts(Store& store, AgentId agent, base::TimeMs now) {
    return cancel(store, now, "agent_id = ? AND state = 'pending'", agent);
}

void cancel_prompts(Store& store, TurnId turn, base::TimeMs now) {
    cancel(store, now, "turn_id = ?", turn);
}

}  // namespace chorus::store
