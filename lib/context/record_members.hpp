// The members of the objects in an exported record. One description of each type writes it and
// reads it back: `io` is the writer of export_json.cpp or the reader of import_file.cpp. For this
// room's own use, in .cpp files only.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/limits.hpp"
#include "context/export.hpp"

namespace chorus::context {

// How an empty member is written; reading takes all three for empty.
enum class Empty { written, null, left_out };

constexpr std::size_t most_line_bytes = 256U << 20U;  // of a saved session, escaped
constexpr std::size_t most_word_bytes = 256;
constexpr std::size_t most_detail_bytes = 64U << 10U;
constexpr std::int64_t most_threads = 1'000'000;
constexpr std::int64_t any_id = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_tokens = 1'000'000'000'000;

// The first line.
struct AgentLine {
    const ExportRecord& record;
    base::TimeMs now = 0;
};

// The last line: how many lines of each kind come before it.
struct EndLine {
    std::int64_t threads = 0;
    std::int64_t turns = 0;
    std::int64_t messages = 0;
    std::int64_t sessions = 0;
    std::int64_t delivered = 0;
    std::int64_t queued = 0;
    std::int64_t attachments = 0;
};

// Whatever its state in the file, an imported turn has ended.
inline std::optional<store::TurnState> ended_state(std::string_view text) {
    for (const store::TurnState one : {store::TurnState::idle, store::TurnState::error})
        if (text == store::name(one)) return one;
    return store::TurnState::exited;
}

template <typename Type, typename Wanted>
concept Is = std::same_as<std::remove_const_t<Type>, Wanted>;

// Only written: import_file.cpp reads little of it.
void describe(auto& io, Is<AgentLine> auto& line) {
    const store::Agent& agent = line.record.agent;
    io.text("schema", export_schema);
    io.text("origin", origin_of(agent));
    io.text("name", agent.name);
    io.number("generation", agent.generation);
    io.text("model", agent.model);
    io.text("permissions", agent.permissions);
    io.text("description", agent.description);
    io.number_or_none("cleared_until", agent.last_clear_message, Empty::left_out);
    io.text_or_none("current_branch", line.record.current_branch, Empty::left_out);
    io.time_or_none("created_at", agent.created_at, Empty::null);
    io.time_or_none("exported_at", line.now, Empty::null);
}

void describe(auto& io, Is<store::Thread> auto& thread) {
    io.number("thread_id", thread.id, 1, most_threads);
    io.text_or_none("branch", thread.branch, Empty::written, most_detail_bytes);
    io.number_or_none("parent_thread", thread.parent_thread, Empty::left_out, most_threads);
    io.number_or_none("branch_point", thread.branch_point, Empty::left_out);
    io.number_or_none("window_start", thread.window_start, Empty::left_out);
    io.number_or_none("window_floor", thread.window_floor, Empty::left_out);
    io.known("cut_rolling_window_ms", thread.cut_limits.rolling_window_ms, Empty::left_out);
    io.known("cut_max_messages", thread.cut_limits.max_messages, Empty::left_out);
    io.known("cut_token_budget", thread.cut_limits.token_budget, Empty::left_out);
    io.text_or_none("summary", thread.summary, Empty::written, most_detail_bytes);
    io.time_or_none("created_at", thread.created_at, Empty::null);
    io.time_or_none("last_activity", thread.last_activity, Empty::null);
}

void describe(auto& io, Is<chat::Usage> auto& usage) {
    io.number_or_none("input_tokens", usage.input_tokens, Empty::written, most_tokens);
    io.number_or_none("output_tokens", usage.output_tokens, Empty::written, most_tokens);
    io.number_or_none("cache_read_tokens", usage.cache_read_tokens, Empty::written, most_tokens);
    io.number_or_none("cache_write_tokens", usage.cache_write_tokens, Empty::written, most_tokens);
    io.number_or_none("reasoning_tokens", usage.reasoning_tokens, Empty::written, most_tokens);
}

void describe(auto& io, Is<store::Turn> auto& turn) {
    io.number("id", turn.id, 1, any_id);
    io.number("thread_id", turn.thread_id, 1, most_threads);
    io.only_written("turn_number", turn.turn_number);
    io.named("state", turn.state, ended_state);
    io.text_or_none("reason", turn.reason, Empty::written);
    io.text_or_none("actor", turn.actor, Empty::written);
    io.text_or_none("model", turn.model, Empty::written);
    io.text_or_none("profile", turn.profile, Empty::written);
    io.time("started_at", turn.started_at);
    io.time_or_none("ended_at", turn.ended_at, Empty::null);
    io.known("exit_code", turn.exit_code, Empty::null, 255);
    io.number_or_none("iterations", turn.iterations, Empty::written, most_tokens);
    io.number_or_none("tool_calls", turn.tool_calls, Empty::written, most_tokens);
    io.text_or_none("error_category", turn.error_category, Empty::left_out);
    io.text_or_none("error_detail", turn.error_detail, Empty::left_out, most_detail_bytes);
    io.object("usage", turn.usage);
    io.cost(turn.usage.cost);
    io.options(turn);
    io.only_written("commit_before", turn.commit_before);
    io.only_written("commit_after", turn.commit_after);
}

// The import leaves out what is specific to a provider or to the other home.
void describe(auto& io, Is<store::StoredMessage> auto& stored) {
    auto& message = stored.message;
    io.number("id", message.id, 1, any_id);
    io.number("thread_id", stored.thread, 1, most_threads);
    io.number_or_none("turn_id", message.turn_id, Empty::left_out);
    io.named("role", message.role, [](auto text) { return chat::roles.find(text); });
    io.time("timestamp", message.timestamp);
    io.text("content", message.content, base::limits::answer_bytes);
    io.calls(message);
    if (message.role == chat::Role::tool_result)
        io.text("tool_call_id", message.tool_call_id, most_word_bytes);
    io.only_written("outcome", stored.outcome);
    io.extra(message);
    io.text_or_none("restored_from", stored.restored_from, Empty::left_out);
    io.time_or_none("original_timestamp", stored.original_timestamp, Empty::left_out);
    io.flag("left_out", stored.left_out);
    io.flag("taken_back", stored.taken_back);
}

void describe(auto& io, Is<Delivered> auto& one) {
    auto& row = one.row;
    io.number("turn_id", row.delivered_turn, 1, any_id);
    io.time("created_at", row.created_at);
    io.text_or_none("actor", row.actor, Empty::written);
    io.number_or_none("depth", row.depth, Empty::left_out, most_threads);
    io.text_or_none("rights", row.rights, Empty::left_out, base::limits::answer_bytes);
}

void describe(auto& io, Is<store::InboxRow> auto& row) {
    io.number("thread_id", row.thread_id, 1, most_threads);
    io.time("created_at", row.created_at);
    io.text_or_none("actor", row.actor, Empty::written);
    io.text("content", row.content, base::limits::answer_bytes);
}

void describe(auto& io, Is<SavedSession> auto& saved) {
    io.text("id", saved.row.id, most_word_bytes);
    io.text("text", saved.text, most_line_bytes);
}

void describe(auto& io, Is<AttachedFile> auto& file) {
    io.text("sha256", file.sha256, most_word_bytes);
    io.base64("data", file.bytes);
}

void describe(auto& io, Is<EndLine> auto& end) {
    io.number("threads", end.threads, 0, any_id);
    io.number("turns", end.turns, 0, any_id);
    io.number("messages", end.messages, 0, any_id);
    io.number("sessions", end.sessions, 0, any_id);
    io.number_or_none("delivered", end.delivered, Empty::written);
    io.number_or_none("queued", end.queued, Empty::written);
    io.number_or_none("attachments", end.attachments, Empty::written);
}

}  // namespace chorus::context
