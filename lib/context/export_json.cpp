#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chat/stored.hpp"
#include "context/export.hpp"

namespace chorus::context {
namespace {

using chat::JsonText;

// Where an object begins: as an item of a list, or as a line that states its type.
enum class Shape { item, line };

void begin(JsonText& out, Shape shape, std::string_view type) {
    out.begin_object();
    if (shape == Shape::line) out.key("type").string(type);
}

void time(JsonText& out, std::string_view key, base::TimeMs at) {
    out.key(key);
    if (at == 0)
        out.null();
    else
        out.string(base::iso8601(at));
}

void limit(JsonText& out, const char* key, std::int64_t limit) {
    if (limit >= 0) out.key(key).number(limit);
}

void write_agent(JsonText& out, const ExportRecord& record, base::TimeMs now) {
    const store::Agent& agent = record.agent;
    out.key("schema").string(export_schema);
    out.key("origin").string(origin_of(agent));
    out.key("name").string(agent.name).key("generation").number(agent.generation);
    out.key("model").string(agent.model).key("permissions").string(agent.permissions);
    out.key("description").string(agent.description);
    if (agent.last_clear_message != 0) out.key("cleared_until").number(agent.last_clear_message);
    if (!record.current_branch.empty()) out.key("current_branch").string(record.current_branch);
    time(out, "created_at", agent.created_at);
    time(out, "exported_at", now);
}

void write_thread(JsonText& out, const store::Thread& thread, Shape shape) {
    begin(out, shape, "thread");
    out.key("thread_id").number(thread.id).key("branch").string(thread.branch);
    if (thread.parent_thread != 0) out.key("parent_thread").number(thread.parent_thread);
    if (thread.branch_point != 0) out.key("branch_point").number(thread.branch_point);
    if (thread.window_start != 0) out.key("window_start").number(thread.window_start);
    if (thread.window_floor != 0) out.key("window_floor").number(thread.window_floor);
    const store::CutLimits& limits = thread.cut_limits;
    limit(out, "cut_rolling_window_ms", limits.rolling_window_ms);
    limit(out, "cut_max_messages", limits.max_messages);
    limit(out, "cut_token_budget", limits.token_budget);
    out.key("summary").string(thread.summary);
    time(out, "created_at", thread.created_at);
    time(out, "last_activity", thread.last_activity);
    out.end_object();
}

void write_turn(JsonText& out, const store::Turn& turn, Shape shape) {
    begin(out, shape, "turn");
    out.key("id").number(turn.id).key("thread_id").number(turn.thread_id);
    out.key("turn_number").number(turn.turn_number);
    out.key("state").string(store::name(turn.state)).key("reason").string(turn.reason);
    out.key("actor").string(turn.actor).key("model").string(turn.model);
    out.key("profile").string(turn.profile);
    out.key("started_at").string(base::iso8601(turn.started_at));
    time(out, "ended_at", turn.ended_at);
    out.key("exit_code");
    if (turn.exit_code < 0)
        out.null();
    else
        out.number(turn.exit_code);
    out.key("iterations").number(turn.iterations).key("tool_calls").number(turn.tool_calls);
    if (!turn.error_category.empty()) out.key("error_category").string(turn.error_category);
    if (!turn.error_detail.empty()) out.key("error_detail").string(turn.error_detail);
    out.key("usage").begin_object();
    out.key("input_tokens").number(turn.usage.input_tokens);
    out.key("output_tokens").number(turn.usage.output_tokens);
    out.key("cache_read_tokens").number(turn.usage.cache_read_tokens);
    out.key("cache_write_tokens").number(turn.usage.cache_write_tokens).end_object();
    out.key("cost_usd");
    if (turn.cost_usd < 0)
        out.null();
    else
        out.real(turn.cost_usd);
    if (store::is_fresh(turn)) out.key("fresh").boolean(true);
    if (!turn.commit_before.empty()) out.key("commit_before").string(turn.commit_before);
    if (!turn.commit_after.empty()) out.key("commit_after").string(turn.commit_after);
    out.end_object();
}

void write_message(JsonText& out, const store::StoredMessage& stored, Shape shape) {
    const chat::Message& message = stored.message;
    begin(out, shape, "message");
    out.key("id").number(message.id).key("thread_id").number(stored.thread);
    if (message.turn_id != 0) out.key("turn_id").number(message.turn_id);
    out.key("role").string(chat::name(message.role));
    out.key("timestamp").string(base::iso8601(message.timestamp));
    out.key("content").string(message.content);
    if (!message.tool_calls.empty())
        out.key("tool_calls").raw(chat::store_tool_calls(message.tool_calls));
    if (message.role == chat::Role::tool_result)
        out.key("tool_call_id").string(message.tool_call_id);
    if (!stored.outcome.empty()) out.key("outcome").string(stored.outcome);
    const std::string extra = chat::store_extra(message);
    if (!extra.empty()) out.key("extra").raw(extra);
    if (!stored.restored_from.empty()) out.key("restored_from").string(stored.restored_from);
    if (stored.original_timestamp != 0) time(out, "original_timestamp", stored.original_timestamp);
    if (stored.left_out) out.key("left_out").boolean(true);
    if (stored.taken_back) out.key("taken_back").boolean(true);
    out.end_object();
}

std::size_t expected_bytes(const ExportRecord& record) {
    std::size_t bytes = 4096;
    for (const auto& stored : record.messages) bytes += stored.message.content.size() * 9 / 8 + 256;
    for (const SavedSession& saved : record.sessions) bytes += saved.text.size() * 5 / 4 + 256;
    return bytes;
}

std::int64_t count(std::size_t size) {
    return static_cast<std::int64_t>(size);
}

// Only a record that a faulty program wrote holds anything to replace.
std::string as_utf8(std::string text) {
    return base::find_invalid_utf8(text) ? base::replace_invalid_utf8(text) : text;
}

}  // namespace

std::string to_json(const ExportRecord& record, base::TimeMs now) {
    JsonText out(expected_bytes(record));
    out.begin_object();
    out.key("schema").string(export_schema);
    out.key("agent").begin_object();
    write_agent(out, record, now);
    out.end_object();
    out.key("threads").begin_array();
    for (const store::Thread& thread : record.threads) write_thread(out, thread, Shape::item);
    out.end_array().key("turns").begin_array();
    for (const store::Turn& turn : record.turns) write_turn(out, turn, Shape::item);
    out.end_array().key("messages").begin_array();
    for (const auto& stored : record.messages) write_message(out, stored, Shape::item);
    out.end_array().end_object();
    return as_utf8(out.take() + "\n");
}

std::string to_jsonl(const ExportRecord& record, base::TimeMs now) {
    std::string all;
    all.reserve(expected_bytes(record));
    const auto line = [&all](const auto& write) {
        JsonText out;
        write(out);
        all += out.text();
        all += '\n';
    };
    line([&](JsonText& out) {
        begin(out, Shape::line, "agent");
        write_agent(out, record, now);
        out.end_object();
    });
    for (const store::Thread& thread : record.threads)
        line([&](JsonText& out) { write_thread(out, thread, Shape::line); });
    for (const store::Turn& turn : record.turns)
        line([&](JsonText& out) { write_turn(out, turn, Shape::line); });
    for (const auto& stored : record.messages)
        line([&](JsonText& out) { write_message(out, stored, Shape::line); });
    for (const store::InboxRow& row : record.queued)
        line([&](JsonText& out) {
            begin(out, Shape::line, "queued");
            out.key("thread_id").number(row.thread_id).key("created_at");
            out.string(base::iso8601(row.created_at)).key("actor").string(row.actor);
            out.key("content").string(row.content).end_object();
        });
    for (const SavedSession& saved : record.sessions)
        line([&](JsonText& out) {
            begin(out, Shape::line, "session");
            out.key("id").string(saved.row.id).key("text").string(saved.text).end_object();
        });
    line([&](JsonText& out) {
        begin(out, Shape::line, "end");
        out.key("threads").number(count(record.threads.size()));
        out.key("turns").number(count(record.turns.size()));
        out.key("messages").number(count(record.messages.size()));
        out.key("sessions").number(count(record.sessions.size()));
        out.key("queued").number(count(record.queued.size())).end_object();
    });
    return as_utf8(std::move(all));
}

}  // namespace chorus::context
