#include "context/import_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"
#include "context/export.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

constexpr std::size_t most_line_bytes = 256U << 20U;  // of a saved session, escaped
constexpr std::size_t most_word_bytes = 256;
constexpr std::size_t most_detail_bytes = 64U << 10U;
constexpr std::size_t most_calls = 1000;
constexpr std::int64_t most_threads = 1'000'000;
constexpr std::int64_t any_id = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_tokens = 1'000'000'000'000;
constexpr double most_usd = 1'000'000'000;

// The members of a line, each read as the type it must have.
class Members {
  public:
    Members(const Json& object, const std::string& what) : object_(object), what_(what) {
        if (!object.is_object()) throw wrong("not an object");
    }

    Error wrong(const std::string& why) const {
        return {ErrorCode::bad_request, what_ + ": " + why, std::string(import_hint)};
    }

    const Json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    std::string text(const char* key, std::size_t most) const {
        const Json* value = find(key);
        if (value == nullptr || !value->is_string())
            throw wrong(std::string("\"") + key + "\" is not a string");
        const auto& text = value->get_ref<const std::string&>();
        if (text.size() > most)
            throw wrong(std::string("\"") + key + "\" is longer than " + std::to_string(most) +
                        " bytes");
        return text;
    }
    std::string text_or_none(const char* key, std::size_t most = most_word_bytes) const {
        return find(key) == nullptr ? std::string() : text(key, most);
    }

    std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
        const Json* value = find(key);
        if (value == nullptr || !value->is_number_integer() ||
            (value->is_number_unsigned() &&
             value->get<std::uint64_t>() > static_cast<std::uint64_t>(any_id)))
            throw wrong(std::string("\"") + key + "\" is not a whole number");
        const auto number = value->get<std::int64_t>();
        if (number < least || number > most)
            throw wrong(std::string("\"") + key + "\" is " + std::to_string(number) +
                        "; it must be from " + std::to_string(least) + " to " +
                        std::to_string(most));
        return number;
    }
    std::int64_t integer_or_none(const char* key, std::int64_t most) const {
        return find(key) == nullptr ? 0 : integer(key, 0, most);
    }

    base::TimeMs time(const char* key) const {
        const auto at = base::parse_iso8601(text(key, most_word_bytes));
        if (!at) throw wrong(std::string("\"") + key + "\" is not a time");
        return *at;
    }
    base::TimeMs time_or_none(const char* key) const {
        return find(key) == nullptr ? 0 : time(key);
    }

    bool flag(const char* key) const {
        const Json* value = find(key);
        if (value != nullptr && !value->is_boolean())
            throw wrong(std::string("\"") + key + "\" is neither true nor false");
        return value != nullptr && value->get<bool>();
    }

  private:
    const Json& object_;
    const std::string& what_;
};

// Whether the name can be that of a directory in branches/.
bool is_branch_name(std::string_view name) {
    return !name.empty() && name.front() != '.' && name.size() < most_word_bytes &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

ImportedAgent parse_agent(const Members& line) {
    const std::string schema = line.text("schema", most_word_bytes);
    const std::string_view known = export_schema;
    if (schema != known) {
        const std::string_view family = known.substr(0, known.find('/') + 1);
        if (schema.rfind(family, 0) != 0)
            throw line.wrong("\"schema\" is not " + std::string(known));
        throw Error(ErrorCode::bad_request,
                    line.wrong("").message() + "made by a newer chorus (" +
                        base::visible(schema, base::Newlines::escape) + ", this one knows " +
                        std::string(known) + ")",
                    "use the newer chorus");
    }
    ImportedAgent agent{line.text("origin", most_word_bytes),
                        line.integer_or_none("cleared_until", any_id),
                        line.text_or_none("current_branch")};
    if (!is_branch_name(agent.current_branch)) agent.current_branch.clear();
    return agent;
}

std::int64_t limit_or_unknown(const Members& line, const char* key) {
    return line.find(key) == nullptr ? -1 : line.integer_or_none(key, any_id);
}

ThreadLine parse_thread(const Members& line) {
    store::Thread thread;
    thread.id = line.integer("thread_id", 1, most_threads);
    thread.branch = line.text_or_none("branch", most_detail_bytes);
    if (!is_branch_name(thread.branch)) thread.branch.clear();
    thread.parent_thread = line.integer_or_none("parent_thread", most_threads);
    thread.branch_point = line.integer_or_none("branch_point", any_id);
    thread.window_start = line.integer_or_none("window_start", any_id);
    thread.window_floor = line.integer_or_none("window_floor", any_id);
    thread.cut_limits = {limit_or_unknown(line, "cut_rolling_window_ms"),
                         limit_or_unknown(line, "cut_max_messages"),
                         limit_or_unknown(line, "cut_token_budget")};
    thread.summary = line.text_or_none("summary", most_detail_bytes);
    thread.created_at = line.time_or_none("created_at");
    thread.last_activity = line.time_or_none("last_activity");
    return {std::move(thread)};
}

store::TurnState ended(std::string_view state) {
    for (const store::TurnState one : {store::TurnState::idle, store::TurnState::error})
        if (state == store::name(one)) return one;
    return store::TurnState::exited;
}

double parse_cost(const Members& line) {
    const Json* cost = line.find("cost_usd");
    if (cost == nullptr) return -1;
    const double usd = cost->is_number() ? cost->get<double>() : -1;
    if (!(usd >= 0 && usd <= most_usd)) throw line.wrong("\"cost_usd\" is not an amount");
    return usd;
}

TurnLine parse_turn(const Members& line, const Json& object, const std::string& what) {
    store::Turn turn;
    turn.id = line.integer("id", 1, any_id);
    turn.thread_id = line.integer("thread_id", 1, most_threads);
    turn.state = ended(line.text("state", most_word_bytes));
    turn.reason = line.text_or_none("reason");
    turn.actor = line.text_or_none("actor");
    turn.model = line.text_or_none("model");
    turn.profile = line.text_or_none("profile");
    turn.started_at = line.time("started_at");
    turn.ended_at = std::max(line.time_or_none("ended_at"), turn.started_at);
    turn.iterations = line.integer_or_none("iterations", most_tokens);
    turn.tool_calls = line.integer_or_none("tool_calls", most_tokens);
    turn.error_category = line.text_or_none("error_category");
    turn.error_detail = line.text_or_none("error_detail", most_detail_bytes);
    if (line.find("exit_code") != nullptr)
        turn.exit_code = static_cast<int>(line.integer("exit_code", 0, 255));
    if (line.find("usage") != nullptr) {
        const Members usage(object.at("usage"), what);
        turn.usage.input_tokens = usage.integer_or_none("input_tokens", most_tokens);
        turn.usage.output_tokens = usage.integer_or_none("output_tokens", most_tokens);
        turn.usage.cache_read_tokens = usage.integer_or_none("cache_read_tokens", most_tokens);
        turn.usage.cache_write_tokens = usage.integer_or_none("cache_write_tokens", most_tokens);
    }
    turn.cost_usd = parse_cost(line);
    if (line.flag("fresh")) turn.options = store::fresh_options;
    return {std::move(turn)};
}

std::vector<chat::ToolCall> parse_calls(const Members& line, const std::string& what) {
    std::vector<chat::ToolCall> calls;
    const Json* list = line.find("tool_calls");
    if (list == nullptr) return calls;
    if (!list->is_array() || list->size() > most_calls)
        throw line.wrong("\"tool_calls\" is not a list of at most " + std::to_string(most_calls));
    std::set<std::string> ids;
    for (const Json& each : *list) {
        const Members call(each, what);
        calls.push_back({call.text("id", most_word_bytes), call.text("name", most_word_bytes),
                         call.text("arguments", base::limits::answer_bytes)});
        if (!ids.insert(calls.back().id).second || calls.back().id.empty())
            throw line.wrong("two calls have the same id, or one has none");
    }
    return calls;
}

chat::Role parse_role(const Members& line) {
    const std::string name = line.text("role", most_word_bytes);
    for (const chat::Role role : {chat::Role::user, chat::Role::assistant, chat::Role::tool_result})
        if (name == chat::name(role)) return role;
    throw line.wrong("\"role\" is unknown");
}

// Keeps the flags that such a message can have; drops what is specific to a provider or to a home.
void take_extra(const Json& extra, const std::string& what, chat::Message& message) {
    const Members members(extra, what);
    chat::load_extra(chat::dump(extra), message);
    message.opaque.reset();
    message.status.clear();
    message.starts_turn = message.starts_turn && message.role == chat::Role::user;
    message.is_error = message.is_error && message.role == chat::Role::tool_result;
}

MessageLine parse_message(const Members& line, const std::string& what) {
    store::StoredMessage stored;
    chat::Message& message = stored.message;
    message.id = line.integer("id", 1, any_id);
    stored.thread = line.integer("thread_id", 1, most_threads);
    message.turn_id = line.integer_or_none("turn_id", any_id);
    message.role = parse_role(line);
    message.timestamp = line.time("timestamp");
    message.content = line.text("content", base::limits::answer_bytes);
    if (message.role == chat::Role::assistant) message.tool_calls = parse_calls(line, what);
    if (message.role == chat::Role::tool_result)
        message.tool_call_id = line.text("tool_call_id", most_word_bytes);
    if (const Json* extra = line.find("extra")) take_extra(*extra, what, message);
    stored.restored_from = line.text_or_none("restored_from");
    stored.original_timestamp = line.time_or_none("original_timestamp");
    stored.left_out = line.flag("left_out");
    stored.taken_back = line.flag("taken_back");
    return {std::move(stored)};
}

QueuedLine parse_queued(const Members& line) {
    store::InboxRow row;
    row.thread_id = line.integer("thread_id", 1, most_threads);
    row.source = "user";
    row.actor = line.text_or_none("actor");
    row.content = line.text("content", base::limits::answer_bytes);
    row.created_at = line.time("created_at");
    return {std::move(row)};
}

SessionLine parse_session(const Members& line, const std::string& what) {
    SessionLine session{line.text("id", most_word_bytes), line.text("text", most_line_bytes), {}};
    auto read = read_session(session.text, what + ": session");
    if (const auto* error = std::get_if<Error>(&read))
        throw Error(ErrorCode::bad_request, error->message(), error->hint());
    session.file = std::get<SessionFile>(std::move(read));
    if (session.id.empty() || session.file.head.id != session.id)
        throw line.wrong("the session's id differs from its line's");
    return session;
}

EndLine parse_end(const Members& line) {
    return {line.integer("threads", 0, any_id), line.integer("turns", 0, any_id),
            line.integer("messages", 0, any_id), line.integer("sessions", 0, any_id),
            line.integer_or_none("queued", any_id)};
}

}  // namespace

ImportLine parse_import_line(std::string_view text, const std::string& what) {
    const Json object = chat::parse_json(text, what, chat::DuplicateKeys::last_wins,
                                         most_line_bytes, ErrorCode::bad_request);
    const Members line(object, what);
    const std::string type = line.text("type", most_word_bytes);
    if (type == "agent") return parse_agent(line);
    if (type == "thread") return parse_thread(line);
    if (type == "turn") return parse_turn(line, object, what);
    if (type == "message") return parse_message(line, what);
    if (type == "queued") return parse_queued(line);
    if (type == "session") return parse_session(line, what);
    if (type == "end") return parse_end(line);
    throw line.wrong("\"type\" is unknown");
}

}  // namespace chorus::context
