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
            .member("id", call.id)
            .member("name", call.name)
            .member("arguments", call.arguments)
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

namespace {

void store_attachments(JsonText& out, const std::vector<Attachment>& attachments) {
    if (attachments.empty()) return;
    out.key("attachments").begin_array();
    for (const Attachment& each : attachments)
        out.begin_object()
            .member("sha256", each.sha256)
            .member("name", each.name)
            .member("mime_type", each.mime_type)
            .member("size", each.size)
            .end_object();
    out.end_array();
}

std::vector<Attachment> load_attachments(const Json& stored) {
    std::vector<Attachment> attachments;
    if (!stored.is_array()) return attachments;
    for (const Json& each : stored)
        attachments.push_back({string_or(each, "sha256"), string_or(each, "name"),
                               string_or(each, "mime_type"), integer_or(each, "size", 0)});
    return attachments;
}

}  // namespace

std::string store_extra(const Message& message) {
    if (!message.opaque && message.status.empty() && !message.is_error && !message.starts_turn &&
        !message.is_compaction && message.attachments.empty() && message.external_id.empty())
        return {};
    JsonText out;
    out.begin_object();
    if (message.opaque)
        out.member("provider", message.opaque->provider)
            .member("model", message.opaque->model)
            .member("wire", message.opaque->wire);
    if (!message.status.empty()) out.member("status", message.status);
    if (message.is_error) out.member("is_error", true);
    if (message.starts_turn) out.member("starts_turn", true);
    if (message.is_compaction) out.member("compaction", true);
    store_attachments(out, message.attachments);
    if (!message.external_id.empty()) out.member("external_id", message.external_id);
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
    if (extra.contains("wire"))
        message.opaque = Opaque{string_or(extra, "provider"), string_or(extra, "model"),
                                string_or(extra, "wire")};
    message.status = string_or(extra, "status");
    message.is_error = member(extra, "is_error") == true;
    message.starts_turn = member(extra, "starts_turn") == true;
    message.is_compaction = member(extra, "compaction") == true;
    message.attachments = load_attachments(member(extra, "attachments"));
    message.external_id = external_id_of(extra);
}

}  // namespace chorus::chat
