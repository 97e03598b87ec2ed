#include "context/session_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "chat/stored.hpp"
#include "model/attachment.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;
using chat::JsonText;
using chat::Role;

constexpr std::string_view schema_name = "chorus.session/";
constexpr std::string_view our_schema = "chorus.session/1";
constexpr std::size_t most_id_bytes = 128;
constexpr std::int64_t most_thread_number = 1'000'000;

// Returns a string as it is, and anything else as JSON.
std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : chat::dump(value);
}

std::string text_of(const Json& object, const char* key, const char* other) {
    const std::string text = chat::string_or(object, key);
    return text.empty() ? chat::string_or(object, other) : text;
}

base::TimeMs time_of(const Json& object, const char* key, const char* other) {
    return base::parse_iso8601(text_of(object, key, other)).value_or(0);
}

std::string in_quotes(std::string_view text) {
    return base::quoted(base::utf8_prefix(text, 64));
}

// The names of roles in a session file; a message of one without a role is left out.
struct Word {
    std::string_view text;
    std::optional<Role> role;
};
constexpr std::array<Word, 7> words{{{"user", Role::user},
                                     {"assistant", Role::assistant},
                                     {"tool_use", Role::assistant},
                                     {"tool_result", Role::tool_result},
                                     {"tool", Role::tool_result},
                                     {"system", std::nullopt},
                                     {"developer", std::nullopt}}};

// Returns the text as the model wrote it, if stored so, else the stored object as text.
std::string arguments_of(const Json& call) {
    for (const char* key : {"arguments", "params", "input"}) {
        const Json& found = chat::member(call, key);
        if (found.is_string() || found.is_object()) return text_of(found);
    }
    return "{}";
}

bool is_list_of_objects(const std::string& text) {
    const auto list = chat::try_parse_json(text, text.size());
    return list && list->is_array() &&
           std::all_of(list->begin(), list->end(), [](const Json& one) { return one.is_object(); });
}

// Reads only what belongs to the role. `opaque` is put into requests unchanged, so it must be a
// list of objects.
void read_extra(const Json& stored, chat::Message& message) {
    const Json& extra = chat::member(stored, "extra");
    if (!extra.is_object()) return;
    chat::Message read;
    chat::load_extra(chat::dump(extra), read);
    if (message.role == Role::user) {
        message.status = std::move(read.status);
        message.starts_turn = read.starts_turn;
        message.is_compaction = read.is_compaction;
        std::copy_if(read.attachments.begin(), read.attachments.end(),
                     std::back_inserter(message.attachments), model::is_attachment);
    }
    if (message.external_id.empty()) message.external_id = std::move(read.external_id);
    if (message.role == Role::tool_result) message.is_error = read.is_error;
    if (message.role == Role::assistant && read.opaque && is_list_of_objects(read.opaque->wire))
        message.opaque = std::move(read.opaque);
}

std::string id_of(const Json& file) {
    std::string id = text_of(file, "id", "session_id");
    const bool typable =
        id.size() <= most_id_bytes &&
        std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f; });
    return typable ? id : std::string();
}

// The first problem is kept; what is read after it does not matter.
class SessionReader {
  public:
    void read(const Json& stored) {
        if (!stored.is_object()) return refuse("not a session: it is not a JSON object");
        check_schema(stored);
        const Json& messages = chat::member(stored, "messages");
        if (!messages.is_array()) return refuse("not a session: it has no list of messages");
        file.row.id = id_of(stored);
        file.row.agent_name = chat::string_or(stored, "agent_name");
        file.row.description = chat::string_or(stored, "description");
        file.row.summary = chat::string_or(stored, "summary");
        file.row.trigger = chat::string_or(stored, "trigger");
        file.row.saved_at = time_of(stored, "saved_at", "timestamp");
        file.row.window_start = time_of(stored, "window_start", "window_start");
        file.row.window_end = time_of(stored, "window_end", "window_end");
        file.model = chat::string_or(stored, "model");
        for (std::size_t at = 0; at < messages.size() && problem.empty(); ++at) {
            where_ = "messages[" + std::to_string(at) + "]: ";
            read_message(messages[at]);
        }
        file.row.message_count = static_cast<std::int64_t>(file.messages.size());
    }

    SessionFile file;
    std::string problem;

  private:
    void refuse(const std::string& why) {
        if (problem.empty()) problem = where_ + why;
    }

    void check_schema(const Json& stored) {
        const Json& found = chat::member(stored, "schema");
        if (found.is_null() || found == our_schema) return;
        const std::string schema = text_of(found);
        refuse((schema.starts_with(schema_name) ? "made by a newer Chorus: its schema is "
                                                : "not a session: its schema is ") +
               in_quotes(schema));
    }

    void read_message(const Json& stored) {
        if (!stored.is_object()) return refuse("it is not an object");
        const std::optional<Role> role = role_of(stored);
        if (!role) return;
        SessionMessage each;
        chat::Message& message = each.message;
        message.role = *role;
        message.content = content_of(stored);
        each.thread = thread_of(stored);
        if (*role == Role::assistant) message.tool_calls = calls_of(stored);
        if (*role == Role::tool_result)
            message.tool_call_id = chat::string_or(stored, "tool_call_id");
        message.timestamp = time_of(stored, "timestamp", "timestamp");
        each.model = chat::string_or(stored, "model");
        message.external_id = chat::external_id_of(stored);
        read_extra(stored, message);
        file.messages.push_back(std::move(each));
    }

    std::optional<Role> role_of(const Json& stored) {
        const Json& role = chat::member(stored, "role");
        if (role.is_null()) {
            if (!chat::member(stored, "tool_call_id").is_null()) return Role::tool_result;
            if (chat::member(stored, "tool_calls").is_null()) refuse("it has no role");
            return Role::assistant;
        }
        const std::string text = text_of(role);
        const auto* found = std::find_if(words.begin(), words.end(),
                                         [&](const Word& word) { return word.text == text; });
        if (found != words.end()) return found->role;
        refuse("role: " + in_quotes(text) + " is unknown");
        return std::nullopt;
    }

    std::string content_of(const Json& stored) {
        const Json& content = chat::member(stored, "content");
        if (!content.is_null() && !content.is_string()) refuse("content: it is not a string");
        return chat::string_or(stored, "content");
    }

    std::vector<chat::ToolCall> calls_of(const Json& stored) {
        std::vector<chat::ToolCall> calls;
        const Json& stored_calls = chat::member(stored, "tool_calls");
        if (!stored_calls.is_null() && !stored_calls.is_array())
            refuse("tool_calls: it is not a list");
        for (const Json& call : stored_calls)
            if (call.is_object())
                calls.push_back({chat::string_or(call, "id"), chat::string_or(call, "name"),
                                 arguments_of(call)});
            else
                refuse("tool_calls: one is not an object");
        return calls;
    }

    std::int64_t thread_of(const Json& stored) {
        const Json& found = chat::member(stored, "thread_id");
        if (found.is_null()) return 1;
        // a larger value would wrap to a signed one
        const bool fits =
            found.is_number_integer() &&
            (!found.is_number_unsigned() || found.get<std::uint64_t>() <= most_thread_number);
        const std::int64_t thread = fits ? found.get<std::int64_t>() : 0;
        if (thread < 1) refuse("thread_id: it is not the number of a thread");
        return thread;
    }

    std::string where_;
};

// Returns the arguments as an object, for simple readers. {} if the model's text is not an object,
// or is so deep that the file, which adds five levels, could not be read again.
std::string parameters_of(const chat::ToolCall& call) {
    const auto object = chat::try_parse_json(call.arguments, call.arguments.size());
    if (!object || !object->is_object()) return "{}";
    const std::string nested = "[[[[[" + chat::dump(*object) + "]]]]]";
    if (!chat::try_parse_json(nested, nested.size())) return "{}";
    return nested.substr(5, nested.size() - 10);
}

void write_message(JsonText& out, const SessionMessage& each) {
    const chat::Message& message = each.message;
    out.begin_object().key("role").string(chat::name(message.role));
    out.key("content").string(message.content);
    if (!message.tool_calls.empty()) {
        out.key("tool_calls").begin_array();
        for (const chat::ToolCall& call : message.tool_calls) {
            out.begin_object().key("id").string(call.id).key("name").string(call.name);
            out.key("params").raw(parameters_of(call));
            out.key("arguments").string(call.arguments).end_object();
        }
        out.end_array();
    }
    if (message.role == Role::tool_result) out.key("tool_call_id").string(message.tool_call_id);
    out.key("timestamp").string(base::iso8601(message.timestamp));
    out.key("thread_id").number(each.thread);
    if (!each.model.empty()) out.key("model").string(each.model);
    const std::string extra = chat::store_extra(message);
    if (!extra.empty()) out.key("extra").raw(extra);
    out.end_object();
}

}  // namespace

std::string session_text(const store::Session& row, const std::string& model,
                         const std::vector<SessionMessage>& messages) {
    std::size_t expected_bytes = 4096;
    for (const SessionMessage& each : messages)
        expected_bytes += each.message.content.size() * 9 / 8 + 256;
    JsonText out(expected_bytes);
    out.begin_object().key("schema").string("chorus.session/1");
    out.key("id").string(row.id).key("session_id").string(row.id);
    out.key("agent_name").string(row.agent_name);
    out.key("description").string(row.description);
    out.key("summary").string(row.summary);
    const std::string saved_at = base::iso8601(row.saved_at);
    out.key("saved_at").string(saved_at).key("timestamp").string(saved_at);
    out.key("trigger").string(row.trigger);
    out.key("message_count").number(row.message_count);
    out.key("window_start").string(base::iso8601(row.window_start));
    out.key("window_end").string(base::iso8601(row.window_end));
    out.key("model").string(model);
    out.key("messages").begin_array();
    for (const SessionMessage& each : messages) write_message(out, each);
    out.end_array().end_object();
    return base::replace_invalid_utf8(out.text()) + "\n";
}

std::variant<SessionFile, base::Error> read_session(std::string_view text,
                                                    const std::string& what) {
    const auto refused = [&](const std::string& problem) {
        return Error(ErrorCode::failed, what + ": " + problem);
    };
    if (text.size() > base::limits::session_bytes) return refused("it is larger than 100 MiB");
    const auto stored = chat::try_parse_json(text, text.size());
    if (!stored) return refused("it is cut off, or not JSON of at most 64 levels");
    SessionReader reader;
    reader.read(*stored);
    if (!reader.problem.empty()) return refused(reader.problem);
    return std::move(reader.file);
}

}  // namespace chorus::context
