#include "store/prompts.hpp"

#include "base/enum_names.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr base::EnumNames<PromptState, 6> prompt_states{
    {"pending", "approved", "denied", "answered", "expired", "cancelled"}};

std::string select(std::string_view condition) {
    return std::string(
               "SELECT id, agent_id, turn_id, kind, tool_call_id, action, tool, arguments, "
               "arguments_hash, directory, profile, files, "
               "text, options, state, created_at, expires_at, decided_at, decided_by, answer, "
               "consumed_at "
               "FROM prompts WHERE ")
        .append(condition);
}

Prompt read(const Statement& statement) {
    Row row(statement);
    Prompt prompt;
    prompt.id = row.text();
    prompt.agent_id = row.integer();
    prompt.turn_id = row.integer();
    prompt.kind = chat::prompt_kinds.require(row.view(), "prompt kind");
    prompt.tool_call_id = row.text();
    prompt.action = row.text();
    prompt.tool = row.text();
    prompt.arguments = row.text();
    prompt.arguments_hash = row.text();
    prompt.directory = row.text();
    prompt.profile = row.text();
    prompt.files = row.text();
    prompt.text = row.text();
    prompt.options = row.text();
    prompt.state = prompt_states.require(row.view(), "prompt state");
    prompt.created_at = row.integer();
    prompt.expires_at = row.integer();
    prompt.decided_at = row.integer();
    prompt.decided_by = row.text();
    prompt.answer = row.text();
    prompt.consumed_at = row.integer();
    return prompt;
}

std::vector<Prompt> read_all(Statement& statement) {
    std::vector<Prompt> prompts;
    while (statement.step()) prompts.push_back(read(statement));
    return prompts;
}

void keep_fingerprint(Store& store, const Prompt& prompt) {
    if (prompt.fingerprint.empty()) return;
    store.prepare("INSERT OR IGNORE INTO fingerprints (hash, packed) VALUES (?, CAST(? AS BLOB))")
        .bind(prompt.files)
        .bind(prompt.fingerprint)
        .run();
}

}  // namespace

std::string_view name(PromptState state) {
    return prompt_states.name(state);
}

void insert_prompt(Store& store, const Prompt& prompt) {
    keep_fingerprint(store, prompt);
    store
        .prepare(
            "INSERT INTO prompts (id, agent_id, turn_id, kind, tool_call_id, action, tool, "
            "arguments, "
            "arguments_hash, directory, profile, files, text, options, state, created_at, "
            "expires_at, decided_at, decided_by, answer, consumed_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(prompt.id)
        .bind(prompt.agent_id)
        .bind_or_null(prompt.turn_id)
        .bind(chat::prompt_kinds.name(prompt.kind))
        .bind_or_null(prompt.tool_call_id)
        .bind(prompt.action)
        .bind(prompt.tool)
        .bind(prompt.arguments)
        .bind(prompt.arguments_hash)
        .bind(prompt.directory)
        .bind(prompt.profile)
        .bind(prompt.files)
        .bind(prompt.text)
        .bind(prompt.options)
        .bind(name(prompt.state))
        .bind(prompt.created_at)
        .bind_or_null(prompt.expires_at)
        .bind_or_null(prompt.decided_at)
        .bind(prompt.decided_by)
        .bind(prompt.answer)
        .bind_or_null(prompt.consumed_at)
        .run();
}

std::string load_fingerprint(Store& store, std::string_view hash) {
    Statement statement = store.prepare("SELECT packed FROM fingerprints WHERE hash = ?");
    return statement.bind(hash).step() ? statement.text(0) : std::string();
}

std::optional<Prompt> find_prompt(Store& store, std::string_view id) {
    Statement statement = store.prepare(select("id = ?"));
    if (!statement.bind(id).step()) return std::nullopt;
    return read(statement);
}

std::vector<Prompt> load_prompts(Store& store, TurnId turn) {
    Statement statement = store.prepare(select("turn_id = ? ORDER BY rowid"));
    return read_all(statement.bind(turn));
}

std::vector<Prompt> pending_prompts(Store& store, AgentId agent) {
    // Most agents have none, so the statement with all columns is prepared only when there is one.
    Statement statement = store.prepare(
        "SELECT id FROM prompts WHERE agent_id = ? AND state = 'pending' ORDER BY rowid");
    statement.bind(agent);
    std::vector<Prompt> prompts;
    while (statement.step()) prompts.push_back(*find_prompt(store, statement.text(0)));
    return prompts;
}

std::vector<Prompt> pending_prompts(Store& store) {
    Statement statement = store.prepare(select("state = 'pending' ORDER BY rowid"));
    return read_all(statement);
}

bool was_asked_for_trust(Store& store, AgentId agent, std::string_view arguments_hash) {
    return store
        .prepare(
            "SELECT 1 FROM prompts WHERE agent_id = ? AND kind = 'trust' AND arguments_hash = ? "
            "AND state IN ('pending', 'denied') LIMIT 1")
        .bind(agent)
        .bind(arguments_hash)
        .step();
}

bool decide_prompt(Store& store, const Prompt& decided) {
    store
        .prepare(
            "UPDATE prompts SET state = ?, decided_at = ?, decided_by = ?, answer = ?, profile = "
            "?, "
            "files = ? WHERE id = ? AND state = 'pending' AND (expires_at IS NULL OR expires_at > "
            "?2) "
            "AND EXISTS (SELECT 1 FROM agents WHERE id = agent_id AND status IN ('creating', "
            "'active'))")
        .bind(name(decided.state))
        .bind(decided.decided_at)
        .bind(decided.decided_by)
        .bind(decided.answer)
        .bind(decided.profile)
        .bind(decided.files)
        .bind(decided.id)
        .run();
    if (store.changed_rows() != 1) return false;
    keep_fingerprint(store, decided);
    return true;
}

bool consume_prompt(Store& store, std::string_view id, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL "
            "AND state IN ('approved', 'denied', 'answered', 'expired')")
        .bind(now)
        .bind(id)
        .run();
    return store.changed_rows() == 1;
}

void cancel_prompt(Store& store, std::string_view id, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'cancelled', decided_at = coalesce(decided_at, ?) "
            "WHERE id = ? AND consumed_at IS NULL AND state <> 'expired'")
        .bind(now)
        .bind(id)
        .run();
}

void cancel_prompts_of(Store& store, TurnId turn, std::string_view tool_call_id, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'cancelled', decided_at = coalesce(decided_at, ?) "
            "WHERE turn_id = ? AND tool_call_id = ? AND consumed_at IS NULL AND state <> 'expired'")
        .bind(now)
        .bind(turn)
        .bind(tool_call_id)
        .run();
}

bool has_expired_prompts(Store& store, base::TimeMs now) {
    return store
        .prepare("SELECT 1 FROM prompts WHERE state = 'pending' AND expires_at <= ? LIMIT 1")
        .bind(now)
        .step();
}

void rebind_prompts(Store& store, AgentId agent, std::string_view from, std::string_view to) {
    store
        .prepare(
            "UPDATE prompts SET profile = ? WHERE agent_id = ? AND profile = ? AND "
            "state = 'approved' AND consumed_at IS NULL")
        .bind(to)
        .bind(agent)
        .bind(from)
        .run();
}

void expire_prompts(Store& store, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'expired', decided_at = ?1 WHERE state = 'pending' AND "
            "expires_at <= ?1")
        .bind(now)
        .run();
}

void cancel_questions(Store& store, TurnId turn, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'cancelled', decided_at = ? WHERE turn_id = ? AND "
            "state = 'pending' AND kind <> 'trust'")
        .bind(now)
        .bind(turn)
        .run();
}

std::int64_t cancel_pending_prompts(Store& store, AgentId agent, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'cancelled', decided_at = ? WHERE agent_id = ? AND "
            "state = 'pending'")
        .bind(now)
        .bind(agent)
        .run();
    return store.changed_rows();
}

void cancel_prompts(Store& store, TurnId turn, base::TimeMs now) {
    store
        .prepare(
            "UPDATE prompts SET state = 'cancelled', decided_at = coalesce(decided_at, ?) "
            "WHERE turn_id = ? AND consumed_at IS NULL AND state <> 'expired'")
        .bind(now)
        .bind(turn)
        .run();
}

}  // namespace chorus::store
