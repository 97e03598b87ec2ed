#include "context/session_file.hpp"

#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "chat/stored.hpp"

namespace chorus::context {
namespace {

using chat::JsonText;
using chat::Role;

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
        for (const chat::ToolCall& call : message.tool_calls)
            out.begin_object()
                .key("id")
                .string(call.id)
                .key("name")
                .string(call.name)
                .key("params")
                .raw(parameters_of(call))
                .key("arguments")
                .string(call.arguments)
                .end_object();
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

std::string session_text(const SessionHead& head, const std::vector<SessionMessage>& messages) {
    std::size_t expected_bytes = 4096;
    for (const SessionMessage& each : messages)
        expected_bytes += each.message.content.size() * 9 / 8 + 256;
    JsonText out(expected_bytes);
    out.begin_object().key("schema").string("chorus.session/1");
    out.key("id").string(head.id).key("session_id").string(head.id);
    out.key("agent_name").string(head.agent_name);
    out.key("description").string(head.description);
    out.key("summary").string(head.summary);
    const std::string saved_at = base::iso8601(head.saved_at);
    out.key("saved_at").string(saved_at).key("timestamp").string(saved_at);
    out.key("trigger").string(head.trigger);
    out.key("message_count").number(static_cast<std::int64_t>(messages.size()));
    out.key("window_start").string(base::iso8601(head.window_start));
    out.key("window_end").string(base::iso8601(head.window_end));
    out.key("model").string(head.model);
    out.key("messages").begin_array();
    for (const SessionMessage& each : messages) write_message(out, each);
    out.end_array().end_object();
    return base::replace_invalid_utf8(out.text()) + "\n";
}

}  // namespace chorus::context
