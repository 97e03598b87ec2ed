#include "chat/stored.hpp"

#include "chat/json.hpp"
#include "chat/json_text.hpp"

namespace chorus::chat {

std::string store_tool_calls(const std::vector<ToolCall>& calls) {
    if (calls.empty()) return {};
    JsonText out;
    out.begin_array();
    for (const ToolCall& call : calls)
        out.begin_object()
            .key("id")
            .string(call.id)
            .key("name")
            .string(call.name)
            .key("arguments")
            .string(call.arguments)
            .end_object();
    return out.end_array().take();
}

std::vector<ToolCall> load_tool_calls(std::string_view stored) {
    std::vector<ToolCall> calls;
    if (stored.empty()) return calls;
    for (const Json& call :
         parse_json(stored, "stored tool calls", DuplicateKeys::last_wins, stored.size()))
        calls.push_back(
            {string_or(call, "id"), string_or(call, "name"), string_or(call, "arguments")});
    return calls;
}

std::string store_extra(const Message& message) {
    if (!message.opaque && message.status.empty() && !message.is_error && !message.starts_turn &&
        !message.is_compaction)
        return {};
    JsonText out;
    out.begin_object();
    if (message.opaque)
        out.key("provider")
            .string(message.opaque->provider)
            .key("model")
            .string(message.opaque->model)
            .key("wire")
            .string(message.opaque->wire);
    if (!message.status.empty()) out.key("status").string(message.status);
    if (message.is_error) out.key("is_error").boolean(true);
    if (message.starts_turn) out.key("starts_turn").boolean(true);
    if (message.is_compaction) out.key("compaction").boolean(true);
    return out.end_object().take();
}

void load_extra(std::string_view stored, Message& message) {
    if (stored.empty()) return;
    // by far the most common value; it needs no JSON tree
    if (stored == R"({"starts_turn":true})") {
        message.starts_turn = true;
        return;
    }
    const Json extra =
        parse_json(stored, "stored message", DuplicateKeys::last_wins, stored.size());
    const auto flag = [&](const char* key) {
        const auto found = extra.find(key);
        return found != extra.end() && *found == true;
    };
    if (extra.contains("wire"))
        message.opaque = Opaque{string_or(extra, "provider"), string_or(extra, "model"),
                                string_or(extra, "wire")};
    message.status = string_or(extra, "status");
    message.is_error = flag("is_error");
    message.starts_turn = flag("starts_turn");
    message.is_compaction = flag("compaction");
}

}  // namespace chorus::chat
